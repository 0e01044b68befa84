import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const signed = (secret: string, timestamp: string, body: string | Uint8Array): Uint8Array =>
  hmac
    .create(sha256, utf8(secret))
    .update(utf8(`${timestamp}.`))
    .update(typeof body === 'string' ? utf8(body) : body)
    .digest();

/** HMAC-SHA256 over `{timestamp}.{body}`, keyed with the secret, in lowercase hex as the service signs it. */
export const hmacHex = (secret: string, timestamp: string, body: string | Uint8Array): string =>
  Array.from(signed(secret, timestamp, body), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Whether a signature of 64 hex digits, in either case, belongs to this body. Compares in constant time. */
export function hmacMatches(
  secret: string,
  timestamp: string,
  body: string | Uint8Array,
  signature: string,
): boolean {
  let difference = 0;
  signed(secret, timestamp, body).forEach((byte, index) => {
    difference |= byte ^ Number.parseInt(signature.slice(2 * index, 2 * index + 2), 16);
  });
  return difference === 0;
}
