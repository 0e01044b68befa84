import got from 'got';
import { authorization, withClient } from './sale.mjs';

export function make(prefixUrl) {
  const client = got.extend({ prefixUrl, headers: { authorization } });
  return (key) => client.post('airtime/purchase', { json: withClient(key) }).json();
}
