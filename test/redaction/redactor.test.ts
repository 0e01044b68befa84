import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createRedactor, patternRedactor } from '../../src/redaction.js';
import { hardTexts } from '../support/hard-texts.js';

const key = 'sk_live_ab;cdefgh12';
const redactor = createRedactor([key, '48210937']);

describe('text from outside', () => {
  it.each([
    ['PIN is 48210938', 'PIN is [redacted]'],
    ['use 1234.5678.9012.3456.7890', 'use [redacted]'],
    ['use 1234/5678/9012/3456/7890', 'use [redacted]'],
    ['use 1234\u00a05678\u00a09012', 'use [redacted]'],
    ['use 1234-5678-9012', 'use [redacted]'],
    ['at 192.168.100.100.1', 'at [redacted]'],
    ['Serial No:WRN182135587, pin: 373820665258', 'Serial No:WRN[redacted], pin: [redacted]'],
    ['key=sk_live_abc, then', 'key=sk_[redacted], then'],
    ['Bearer abc.def', 'Bearer [redacted]'],
    ['authorization: bearer  abc', 'authorization: bearer  [redacted]'],
    ['Bearer%20sk_live_abc', 'Bearer%20sk_[redacted]'],
    ['{"a":"line\\nsk_live_abc', '{"a":"line\\nsk_[redacted]'],
    ['{"a":"line\\u0022sk_live_abc', '{"a":"line\\u0022sk_[redacted]'],
    ['xwhsec_abc', 'xwhsec_[redacted]'],
  ])('%s', (text, expected) => {
    expect(patternRedactor.text(text)).toBe(expected);
  });

  it.each([
    'the PIN is wrong',
    'task_list risk_score disk_full',
    'the bearer token is missing: log in',
    'order 2026-77',
    'starts with neither sk_ (secret key) nor pk_ (public key): sk_…',
    'connect ECONNREFUSED 192.168.100.200:44307',
    'from 255.255.255.255 to 100.100.100.100',
    'at 2026-01-31 09:30',
  ])('leaves %j', (text) => {
    expect(patternRedactor.text(text)).toBe(text);
  });

  it('is cut, and never shows half of a secret', () => {
    const secret = createRedactor(['0123456789abcdefghij']);
    const long = `${'x'.repeat(30)}${' 0123456789abcdefghij'.repeat(5000)}`;
    for (let shift = 0; shift < 25; shift++)
      expect(secret.text(' '.repeat(shift) + long).includes('0123')).toBe(false);
    expect(secret.text('x'.repeat(11_000))).toHaveLength(10_000);
    expect(secret.text('x'.repeat(4000), 300)).toHaveLength(300);
  });

  it.each(hardTexts)('reads %j, again and again, in a time that grows with its length', (part) => {
    const times = [50_000, 200_000].map((length) => {
      const text = part.repeat(Math.ceil(length / part.length));
      const startedAt = performance.now();
      patternRedactor.known(text);
      patternRedactor.text(text, text.length);
      return performance.now() - startedAt;
    });
    // Four times the text may take four times as long, and what a busy machine adds. What grows with the square takes minutes here.
    const [few = 0, many = 0] = times;
    expect(many).toBeLessThanOrEqual(Math.max(1000, few * 12));
  });
});

describe('a redactor', () => {
  it('replaces known secrets before anything that only looks like one', () => {
    expect(redactor.text(`key ${key}, other sk_live_x;y`)).toBe('key [redacted], other sk_[redacted];y');
    expect(redactor.known('TXN-20260131123456 sk_live_x')).toBe('TXN-20260131123456 sk_[redacted]');
    expect(redactor.known('48210937 or 48210938')).toBe('[redacted] or 48210938');
  });

  it('copies errors without them, and all that hangs on them', () => {
    const inner = Object.assign(new Error(`inner ${key}`), {
      code: key,
      hostname: `${key}.example`,
      errno: -104,
      request: { headers: { authorization: key } },
    });
    const copy = redactor.cause(new TypeError(`outer ${key}`, { cause: inner }));
    expect(copy).toMatchObject({ name: 'TypeError', message: 'outer [redacted]' });
    expect(copy?.cause).toMatchObject({ message: 'inner [redacted]', code: '[redacted]', errno: -104 });
    expect(copy?.cause).not.toHaveProperty('request');
    expect(inspect(copy, { depth: 9, showHidden: true })).not.toContain('cdefgh12');
    expect(redactor.cause(`thrown ${key}`)?.message).toBe('thrown [redacted]');
    expect([redactor.cause(undefined), redactor.cause(null)]).toEqual([undefined, undefined]);
  });

  it('follows no chain of causes without end', () => {
    const round = new Error('round');
    round.cause = round;
    let depth = 0;
    for (let at: unknown = redactor.cause(round); at instanceof Error; at = at.cause) depth++;
    expect(depth).toBe(6);
  });

  it('copies any value that was thrown, also one whose parts cannot be read', () => {
    const fail = (): never => {
      throw new Error('a getter');
    };
    const traps = { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail };
    for (const thrown of [Symbol('x'), { toString: fail }, new Proxy(new Error('x'), traps), 7n])
      expect(redactor.cause(thrown)).toBeInstanceOf(Error);
    const unnamed = Object.defineProperty(new Error('x'), 'name', { get: fail });
    expect(redactor.cause(unnamed)).toMatchObject({ name: 'Error', message: 'x' });
  });
});
