import { authorization, withClient } from './sale.mjs';

export function make(baseUrl) {
  return async (key) => {
    const response = await fetch(`${baseUrl}/airtime/purchase`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify(withClient(key)),
    });
    if (!response.ok) throw new Error(`failed with ${response.status}`);
    return response.json();
  };
}
