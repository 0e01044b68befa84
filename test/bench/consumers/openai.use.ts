import OpenAI from 'openai';

const client = new OpenAI();
export const ask = async (text: string): Promise<string> => {
  const { id } = await client.chat.completions.create({
    model: 'gpt',
    messages: [{ role: 'user', content: text }],
  });
  return id;
};
