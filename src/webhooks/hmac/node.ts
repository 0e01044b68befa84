import type { Hmac, KeyObject } from 'node:crypto';

let loaded: typeof import('node:crypto') | undefined;

/**
 * `node:crypto` at the first signature rather than by an import, which costs several ms: importing it reads every one of its
 * properties, and some of those load more modules.
 */
function crypto(): typeof import('node:crypto') {
  loaded ??= process.getBuiltinModule('node:crypto');
  return loaded;
}

/** Enough for every secret of a busy receiver during rotation; more than that only costs speed. */
const mostKeys = 64;
const keys = new Map<string, KeyObject>();

/** A prepared key makes each HMAC about a sixth cheaper than handing the secret over as text. */
function keyOf(secret: string): KeyObject {
  let key = keys.get(secret);
  if (!key) {
    if (keys.size >= mostKeys) keys.clear();
    key = crypto().createSecretKey(secret, 'utf8');
    keys.set(secret, key);
  }
  return key;
}

const signed = (secret: string, timestamp: string, body: string | Uint8Array): Hmac => {
  const hmac = crypto().createHmac('sha256', keyOf(secret));
  return typeof body === 'string'
    ? hmac.update(`${timestamp}.${body}`)
    : hmac.update(`${timestamp}.`).update(body);
};

/** HMAC-SHA256 over `{timestamp}.{body}`, keyed with the secret, in lowercase hex (service.md, "Events", rule 2). */
export const hmacHex = (secret: string, timestamp: string, body: string | Uint8Array): string =>
  signed(secret, timestamp, body).digest('hex');

/** Kept, because a digest in hex and a copy into these is cheaper than a new buffer for each. */
const expected = Buffer.alloc(64);
const given = Buffer.alloc(64);

/** Whether a signature of 64 hex digits, in either case, is the one of this body. Takes the same time either way. */
export function hmacMatches(
  secret: string,
  timestamp: string,
  body: string | Uint8Array,
  signature: string,
): boolean {
  expected.write(hmacHex(secret, timestamp, body), 'latin1');
  given.write(signature.toLowerCase(), 'latin1');
  return crypto().timingSafeEqual(expected, given);
}
