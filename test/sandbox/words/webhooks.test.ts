import { describe, expect, test } from 'vitest';
import {
  type DeliveryFacts,
  deliveryAdvice,
  deliveryWords,
  inTime,
} from '../../../src/sandbox/words/webhooks.js';

const now = Date.parse('2026-01-31T09:30:00.000Z');
const failing: DeliveryFacts = {
  state: 'pending',
  last_status: null,
  last_error: 'connect ECONNREFUSED 127.0.0.1:4799',
  last_delivered: false,
  last_url: 'http://127.0.0.1:4799/hooks',
  next_attempt_at: '2026-01-31T09:34:00.000Z',
};

test.each([
  [-5, 'now'],
  [1000, 'in 1 s'],
  [60_000, 'in 1 min'],
  [3_600_000, 'in 1 h'],
  [3 * 86_400_000, 'in 3 days'],
])('%d ms: %s', (ms, words) => {
  expect(inTime(ms)).toBe(words);
});

describe('how a webhook is doing', () => {
  test.each([
    [{ last_delivered: null }, 'being sent'],
    [{ last_delivered: true, last_status: 200, state: 'delivered' }, '200'],
    [{ last_status: 503, state: 'delivered' }, 'delivered before, then 503'],
    [{ last_status: 503 }, '503, again in 4 min'],
    [{ last_status: 503, state: 'failed', next_attempt_at: null }, '503, given up'],
    [{}, 'nothing listens on port 4799, again in 4 min'],
    [{ last_error: 'getaddrinfo ENOTFOUND shop.test' }, 'unknown host shop.test, again in 4 min'],
    [{ last_error: 'no response within 10000 ms' }, 'timed out, again in 4 min'],
    [
      { last_error: 'not sent: the subscription is not enabled' },
      'not sent: subscription disabled, again in 4 min',
    ],
    [{ last_error: null }, 'no response, again in 4 min'],
  ] as const)('%j: %s', (fields, words) => {
    expect(deliveryWords({ ...failing, ...fields }, now)).toBe(words);
  });
});

describe('what to do about it', () => {
  test.each([
    [
      {},
      /^Nothing listens on port 4799: start your receiver, or run npx billpay sandbox listen --forward-to http:\/\/127\.0\.0\.1:4799\/hooks$/,
    ],
    [{ last_error: 'getaddrinfo ENOTFOUND shop.test' }, /check the URL/],
    [{ last_error: 'no response within 10000 ms' }, /respond first/],
    [{ last_error: 'not sent: the subscription is not enabled' }, /enabled: true/],
    [{ last_status: 302 }, /no redirect/],
    [{ last_status: 401 }, /raw body with the secret/],
    [{ last_status: 500 }, /its own log/],
  ] as const)('%j: %s', (fields, words) => {
    expect(deliveryAdvice({ ...failing, ...fields })).toMatch(words);
  });

  test.each([
    { last_delivered: true, last_status: 200 },
    { last_error: 'socket hang up' },
    { last_error: null },
  ] as const)('nothing is known: %j', (fields) => {
    expect(deliveryAdvice({ ...failing, ...fields })).toBeUndefined();
  });
});
