import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as node from '../../src/webhooks/hmac/node.js';
import * as pure from '../../src/webhooks/hmac/pure.js';
import { vectors } from './vectors.js';

const implementations = [
  ['node:crypto', node],
  ['the implementation without node:crypto', pure],
] as const;

describe.each(implementations)('HMAC by %s', (_, { hmacHex, hmacMatches }) => {
  it.each(vectors)('agrees with OpenSSL on $name', ({ secret, timestamp, body, bytes, signature }) => {
    const raw = bytes === undefined ? body : Buffer.from(bytes, 'hex');
    expect(hmacHex(secret, timestamp, raw)).toBe(signature);
    expect(hmacHex(secret, timestamp, new Uint8Array(Buffer.from(raw)))).toBe(signature);
    expect(hmacMatches(secret, timestamp, raw, signature)).toBe(true);
    expect(hmacMatches(secret, timestamp, raw, signature.toUpperCase())).toBe(true);
  });

  it('finds a change of any one digit of the signature', () => {
    const { secret, timestamp, body, signature } = vectors[0]!;
    for (let at = 0; at < signature.length; at += 1) {
      const other = signature[at] === '0' ? '1' : '0';
      const forged = signature.slice(0, at) + other + signature.slice(at + 1);
      expect(hmacMatches(secret, timestamp, body, forged), `digit ${at}`).toBe(false);
    }
  });
});

describe('both implementations', () => {
  it('agree on any secret, timestamp and body', () => {
    const bodies = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 300 }));
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), bodies, (secret, timestamp, body) => {
        const signature = node.hmacHex(secret, timestamp, body);
        expect(pure.hmacHex(secret, timestamp, body)).toBe(signature);
        expect(pure.hmacMatches(secret, timestamp, body, signature)).toBe(true);
      }),
    );
  });
});
