import { request } from 'undici';
import { authorization, withClient } from './sale.mjs';

export function make(baseUrl) {
  return async (key) => {
    const { statusCode, body } = await request(`${baseUrl}/airtime/purchase`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify(withClient(key)),
    });
    if (statusCode >= 300) throw new Error(`failed with ${statusCode}`);
    return body.json();
  };
}
