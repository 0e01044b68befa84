import ky from 'ky';
import { authorization, withClient } from './sale.mjs';

export function make(baseUrl) {
  const client = ky.create({ headers: { authorization } });
  return (key) => client.post(`${baseUrl}/airtime/purchase`, { json: withClient(key) }).json();
}
