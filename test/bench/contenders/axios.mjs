import axios from 'axios';
import { authorization, withClient } from './sale.mjs';

export function make(baseURL) {
  const client = axios.create({ baseURL, headers: { authorization } });
  return async (key) => (await client.post('/airtime/purchase', withClient(key))).data;
}
