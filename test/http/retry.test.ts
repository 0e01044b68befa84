import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallKind } from '../../src/http/proof.js';
import { mayRepeat, nextWaitMs, type RetryQuestion, retryWaitMs } from '../../src/http/retry.js';
import type { AttemptOutcome } from '../../src/http/transport.js';
import { noResponse, refusal, responseOf } from './sample-outcomes.js';

const kinds: readonly CallKind[] = ['purchase', 'read', 'subscribe', 'unknown'];

/** The table: what an attempt ended in, then whether a purchase, a read, a subscribe, an unknown call is repeated. */
const table: readonly [what: string, AttemptOutcome, boolean, boolean, boolean, boolean][] = [
  ['409 ALREADY_PROCESSING', refusal(409, 'ALREADY_PROCESSING'), true, false, false, false],
  ['409 with another code', refusal(409, 'CONFLICT'), false, false, false, false],
  ['409 without a body', responseOf(409), false, false, false, false],
  ['429 RATE_LIMITED', refusal(429, 'RATE_LIMITED'), true, true, true, true],
  ['429 from a proxy', responseOf(429, '<html>'), true, true, true, true],
  ['500', refusal(500, 'GATEWAY_ERROR'), true, true, true, false],
  ['501', responseOf(501), false, false, false, false],
  ['502', refusal(502, 'GATEWAY_ERROR'), true, true, true, false],
  ['503 PROVIDER_UNAVAILABLE', refusal(503, 'PROVIDER_UNAVAILABLE'), true, true, true, false],
  ['503 QUEUE_UNAVAILABLE', refusal(503, 'QUEUE_UNAVAILABLE'), true, true, true, false],
  ['503 without a code', responseOf(503, '<html>'), true, true, true, false],
  ['504', responseOf(504), true, true, true, false],
  ['505', responseOf(505), false, false, false, false],
  ['a connection that was refused', noResponse('connection', false), true, true, false, false],
  ['a connection that broke', noResponse('connection'), true, true, false, false],
  ['a time-out', noResponse('timeout'), true, true, false, false],
  [
    'a success that was cut',
    { ...responseOf(202), bodyFailure: { why: 'incomplete' } },
    true,
    true,
    false,
    false,
  ],
  ['a success that cannot be read', responseOf(202, '<html>'), true, true, false, false],
  ['a bare 204', responseOf(204), true, true, false, false],
  ['the last 2xx', responseOf(299), true, true, false, false],
  ['an abort', noResponse('aborted'), false, false, false, false],
  ['a redirect', responseOf(302), false, false, false, false],
  ['an opaque redirect', responseOf(0), false, false, false, false],
  ...[400, 401, 402, 403, 404, 405, 408, 410, 418, 422, 425, 499].map(
    (status): [string, AttemptOutcome, boolean, boolean, boolean, boolean] => [
      String(status),
      responseOf(status),
      false,
      false,
      false,
      false,
    ],
  ),
];

describe('mayRepeat', () => {
  it.each(table)('%s', (_, outcome, ...expected) => {
    expect(kinds.map((kind) => mayRepeat(kind, outcome))).toEqual(expected);
  });
});

describe('retryWaitMs', () => {
  it.each([
    [1, 250, 500],
    [2, 500, 1000],
    [3, 1000, 2000],
    [4, 2000, 4000],
    [5, 4000, 8000],
    [6, 4000, 8000],
    [2000, 4000, 8000],
  ])('before retry %i lies between %i and %i ms', (n, least, most) => {
    expect(retryWaitMs(n, 0, undefined)).toBe(least);
    expect(retryWaitMs(n, 0.5, undefined)).toBe((least + most) / 2);
    expect(retryWaitMs(n, 0.999_999_9, undefined)).toBe(most);
  });

  it('takes what the service asked for as a floor, and adds nothing to a longer backoff', () => {
    expect(retryWaitMs(1, 0, 7)).toBe(7000);
    expect(retryWaitMs(1, 0, 0)).toBe(250);
    expect(retryWaitMs(5, 0.5, 1)).toBe(6000);
    expect(retryWaitMs(1, 0, 1.0004)).toBe(1001);
  });

  it('never leaves its bounds, and never goes below the floor', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const floor = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), random, floor, (n, at, seconds) => {
        const d = Math.min(8000, 500 * 2 ** (n - 1));
        const floorMs = (seconds ?? 0) * 1000;
        const wait = retryWaitMs(n, at, seconds);
        expect(wait).toBeGreaterThanOrEqual(Math.max(d / 2, floorMs));
        expect(wait).toBeLessThanOrEqual(Math.max(d, Math.ceil(floorMs)));
        expect(Number.isInteger(wait)).toBe(true);
      }),
    );
  });
});

describe('nextWaitMs', () => {
  const question: RetryQuestion = {
    kind: 'purchase',
    outcome: responseOf(500),
    final: false,
    attempt: 1,
    maxRetries: 4,
    remainingMs: 100_000,
    retryAfterSeconds: undefined,
    random: 0,
  };

  it('is the backoff where a repeat is allowed', () => {
    expect(nextWaitMs(question)).toBe(250);
    expect(nextWaitMs({ ...question, attempt: 4 })).toBe(2000);
  });

  it.each<[string, Partial<RetryQuestion>]>([
    ['the table says stop', { outcome: responseOf(400) }],
    ['the response was refused for good', { final: true }],
    ['the retries are used up', { attempt: 5 }],
    ['there are none to use', { maxRetries: 0 }],
    ['the wait is longer than the time left', { remainingMs: 249 }],
    ['the wait is all of the time left', { remainingMs: 250 }],
    ['the time is over', { remainingMs: -1 }],
    ['the service asks for more time than is left', { retryAfterSeconds: 100 }],
  ])('is to stop where %s', (_, change) => {
    expect(nextWaitMs({ ...question, ...change })).toBeUndefined();
  });

  it('begins a wait that just fits', () => {
    expect(nextWaitMs({ ...question, remainingMs: 251 })).toBe(250);
    expect(nextWaitMs({ ...question, retryAfterSeconds: 99 })).toBe(99_000);
  });
});
