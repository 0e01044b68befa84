import OpenAI from 'openai';
import { apiKey } from './sale.mjs';

export function make(baseURL) {
  const client = new OpenAI({ apiKey, baseURL });
  return (key) =>
    client.chat.completions.create({ model: 'gpt', messages: [{ role: 'user', content: `MTN 500 ${key}` }] });
}
