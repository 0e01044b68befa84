import * as crypto from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hmacHex, hmacMatches, nodeSign, portableSign } from '../../src/webhooks/hmac.js';
import { vectors } from './vectors.js';

afterEach(() => vi.restoreAllMocks());

describe.each([
  ['node:crypto', nodeSign(crypto)],
  ['the implementation without node:crypto', portableSign],
])('HMAC by %s', (_, sign) => {
  it.each(vectors)('agrees with OpenSSL on $name', ({ secret, timestamp, body, bytes, signature }) => {
    const raw = bytes === undefined ? body : Buffer.from(bytes, 'hex');
    expect(sign(secret, timestamp, raw)).toBe(signature);
    expect(sign(secret, timestamp, new Uint8Array(Buffer.from(raw)))).toBe(signature);
  });
});

describe('both implementations', () => {
  it('agree on any secret, timestamp and body', () => {
    const sign = nodeSign(crypto);
    const bodies = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 300 }));
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), bodies, (...signed) => {
        expect(portableSign(...signed)).toBe(sign(...signed));
      }),
    );
  });

  it.each([
    ['there is no process', undefined],
    ['process cannot look modules up', {}],
    ['process has no node:crypto', { getBuiltinModule: () => undefined }],
  ])('are told apart at the first signature: %s', async (_, process) => {
    vi.resetModules();
    const fresh = await import('../../src/webhooks/hmac.js');
    vi.stubGlobal('process', process);
    try {
      const { secret, timestamp, body, signature } = vectors[0]!;
      expect(fresh.hmacHex(secret, timestamp, body)).toBe(signature);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe('the comparison of signatures', () => {
  const { secret, timestamp, body, signature } = vectors[0]!;

  it('accepts the right one in either case', () => {
    expect(hmacHex(secret, timestamp, body)).toBe(signature);
    expect(hmacMatches(secret, timestamp, body, signature)).toBe(true);
    expect(hmacMatches(secret, timestamp, body, signature.toUpperCase())).toBe(true);
  });

  it('finds a change of any one digit', () => {
    for (let at = 0; at < signature.length; at += 1) {
      const other = signature[at] === '0' ? '1' : '0';
      const forged = signature.slice(0, at) + other + signature.slice(at + 1);
      expect(hmacMatches(secret, timestamp, body, forged), `digit ${at}`).toBe(false);
    }
  });

  it.each(['', signature.slice(1), `${signature}0`, `${signature}${signature}`, `\0${signature.slice(1)}`])(
    'refuses what is no signature: %j',
    (forged) => expect(hmacMatches(secret, timestamp, body, forged)).toBe(false),
  );
});
