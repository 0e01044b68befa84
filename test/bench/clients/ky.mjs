import ky from 'ky';
import { authorization, body } from './purchase.mjs';

export function make(baseUrl) {
  const client = ky.create({ headers: { authorization } });
  return (key) => client.post(`${baseUrl}/airtime/purchase`, { json: body(key) }).json();
}
