import createClient from 'openapi-fetch';
import { authorization, withClient } from './sale.mjs';

export function make(baseUrl) {
  const client = createClient({ baseUrl, headers: { authorization } });
  return async (key) => {
    const { data, error } = await client.POST('/airtime/purchase', { body: withClient(key) });
    if (error) throw new Error(JSON.stringify(error));
    return data;
  };
}
