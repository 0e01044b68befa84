import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimiter, secondsUntilFree } from '../../../src/sandbox/service/rate-limits.js';

/** Requests at growing times, in ms. */
const times = fc
  .array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 120 })
  .map((gaps) => gaps.map((_, at) => gaps.slice(0, at + 1).reduce((sum, gap) => sum + gap, 0)));

test('no 60 seconds ever hold more than the limit', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 8 }), (arrivals, limit) => {
      const limiter = new RateLimiter();
      const admitted = arrivals.filter((now) => limiter.admit([{ key: 'k', limit }], now) === 0);
      for (const from of admitted) {
        const within = admitted.filter((at) => at >= from && at < from + 60_000);
        expect(within.length).toBeLessThanOrEqual(limit);
      }
    }),
  );
});

test('a caller that waits for Retry-After is admitted, and a second less would be too early', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 8 }), (arrivals, limit) => {
      const limiter = new RateLimiter();
      for (const now of arrivals) {
        const seconds = limiter.admit([{ key: 'k', limit }], now);
        if (seconds === 0) continue;
        expect(Number.isInteger(seconds)).toBe(true);
        expect(limiter.admit([{ key: 'k', limit }], now + (seconds - 1) * 1000)).toBe(1);
        expect(limiter.admit([{ key: 'k', limit }], now + seconds * 1000)).toBe(0);
        return;
      }
    }),
  );
});

test('one that is refused by one limit counts on no other', () => {
  const limiter = new RateLimiter();
  const both = [
    { key: 'narrow', limit: 1 },
    { key: 'wide', limit: 2 },
  ];
  expect(limiter.admit(both, 0)).toBe(0);
  for (let again = 0; again < 5; again++) expect(limiter.admit(both, 1)).toBe(60);
  expect(limiter.admit([{ key: 'wide', limit: 2 }], 2)).toBe(0);
  expect(limiter.admit([{ key: 'wide', limit: 2 }], 3)).toBe(60);
});

test.each([
  [[], 1, 0, 0],
  [[0], 1, 59_999, 1],
  [[0], 1, 60_000, 0],
  [[0, 500], 2, 500, 60],
  [[0, 500], 3, 500, 0],
])('with hits at %j, limit %d, at %d ms: %d s', (hits, limit, now, seconds) => {
  expect(secondsUntilFree(hits, limit, now)).toBe(seconds);
});

test('callers are forgotten after 60 seconds, and never more than 10,000 are counted', () => {
  const limiter = new RateLimiter();
  for (let caller = 0; caller < 12_000; caller++) limiter.admit([{ key: `ip/${caller}`, limit: 1 }], caller);
  expect(limiter.callers).toBe(10_000);
  // One that came least recently begins anew, the others do not.
  expect(limiter.admit([{ key: 'ip/0', limit: 1 }], 12_000)).toBe(0);
  expect(limiter.admit([{ key: 'ip/11999', limit: 1 }], 12_000)).toBe(60);
  limiter.admit([{ key: 'ip/late', limit: 1 }], 100_000);
  expect(limiter.callers).toBe(1);
});
