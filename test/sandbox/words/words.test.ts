import { expect, test } from 'vitest';
import { faultWords, money } from '../../../src/sandbox/words/words.js';

test.each([
  [0, '0.00'],
  [999.5, '999.50'],
  [1000, '1,000.00'],
  [1234567.891, '1,234,567.89'],
  [-25000, '-25,000.00'],
])('an amount of %d is written as %s', (naira, text) => {
  expect(money(naira)).toBe(text);
});

test.each([
  [{ status: 503, code: 'QUEUE_UNAVAILABLE' }, '503 QUEUE_UNAVAILABLE'],
  [{ status: 500, when: 'after' }, 'after processing: 500'],
  [{ delay: 20 }, 'held 20ms'],
  [{ delay: '5s', status: 429, retryAfter: 7 }, 'held 5s, 429, Retry-After 7'],
  [{ status: 502, body: '<html>Bad gateway</html>' }, '502, HTML page'],
  [{ body: { status: 'ok' }, headers: { 'x-a': 'b' } }, 'other body, other headers'],
  [{ when: 'after', cutBody: true }, 'after processing: body cut off'],
  [{ connection: 'close' }, 'connection closed'],
] as const)('a fault %j reads as %s', (fault, text) => {
  expect(faultWords(fault)).toBe(text);
});
