import type { KeyObject } from 'node:crypto';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

type Body = string | Uint8Array;

/** HMAC-SHA256 over `{timestamp}.{body}`, keyed with the secret, in lowercase hex as the service signs it. */
type Sign = (secret: string, timestamp: string, body: Body) => string;

/** More than the secrets of a busy receiver during rotation. Beyond it, only the caching is lost. */
const maxCachedKeys = 64;

/** Signs with `node:crypto`, which Node, Bun and Deno have, and Workers with `nodejs_compat`. */
export function nodeSign(crypto: typeof import('node:crypto')): Sign {
  // A prepared key makes each HMAC about a sixth cheaper than a secret in text form.
  const keys = new Map<string, KeyObject>();
  const keyOf = (secret: string): KeyObject => {
    let key = keys.get(secret);
    if (!key) {
      if (keys.size >= maxCachedKeys) keys.clear();
      key = crypto.createSecretKey(secret, 'utf8');
      keys.set(secret, key);
    }
    return key;
  };
  return (secret, timestamp, body) => {
    const signed = crypto.createHmac('sha256', keyOf(secret));
    if (typeof body === 'string') signed.update(`${timestamp}.${body}`);
    else signed.update(`${timestamp}.`).update(body);
    return signed.digest('hex');
  };
}

/** Signs where there is no `node:crypto`. */
export function portableSign(secret: string, timestamp: string, body: Body): string {
  const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
  const signed = hmac.create(sha256, utf8(secret)).update(utf8(`${timestamp}.`));
  const digest = signed.update(typeof body === 'string' ? utf8(body) : body).digest();
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

let sign: Sign | undefined;

/**
 * HMAC-SHA256 over `{timestamp}.{body}`, keyed with the secret, in lowercase hex as the service signs it.
 *
 * `node:crypto` is loaded at the first signature, and not imported: other runtimes do not have it, and an import would cost several ms at
 * start, because it reads every property of the module.
 */
export function hmacHex(secret: string, timestamp: string, body: Body): string {
  if (!sign) {
    const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
    sign = crypto ? nodeSign(crypto) : portableSign;
  }
  return sign(secret, timestamp, body);
}

/** Whether a signature of 64 hex digits, in either case, is the one of this body. The time that it takes does not depend on how many digits agree. */
export function hmacMatches(secret: string, timestamp: string, body: Body, signature: string): boolean {
  return isSameText(hmacHex(secret, timestamp, body), signature.toLowerCase());
}

/** Whether two texts of equal length are the same, in constant time. */
function isSameText(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
