import { authorization, body } from './purchase.mjs';

export const make = (baseUrl) => async (key) => {
  const response = await fetch(`${baseUrl}/airtime/purchase`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify(body(key)),
  });
  if (!response.ok) throw new Error(`failed with ${response.status}`);
  return response.json();
};
