import { describe, expect, test } from 'vitest';
import { deliveryAdvice, deliveryState } from '../../../../src/sandbox/page/client/delivery-text.js';
import { type Fault, faultSentence } from '../../../../src/sandbox/page/client/fault-text.js';
import * as text from '../../../../src/sandbox/page/client/text.js';

const at = '2026-01-31T09:30:00.000Z';

test('times are UTC, with milliseconds: today by the clock, another day with its date', () => {
  expect(text.shortTime(at, '2026-01-31')).toBe('09:30:00.000');
  expect(text.shortTime('2026-01-30 23:59:59', '2026-01-31')).toBe('01-30 23:59');
  expect(text.longTime('2026-01-30 23:59:59')).toBe('2026-01-30 23:59:59.000 UTC');
});

test.each([
  [-5, 'now'],
  [1000, 'in 1 s'],
  [60_000, 'in 1 min'],
  [3_600_000, 'in 1 h'],
  [3 * 86_400_000, 'in 3 days'],
])('%d ms: %s', (ms, words) => {
  expect(text.inTime(ms)).toBe(words);
});

test('purchases: one name for each state, and why one was refused', () => {
  expect(text.stateOf('failed')).toEqual({ text: 'Failed', tone: 'bad' });
  expect(text.stateOf('refused')).toEqual({ text: 'Refused', tone: 'bad' });
  const refusal = { status: 402, code: 'INSUFFICIENT_BALANCE', reason: 'The wallet is empty.' };
  expect(text.refusalText(refusal)).toBe('402 INSUFFICIENT_BALANCE: The wallet is empty.');
  expect(text.refusalText({ reason: 'connection closed' })).toBe('connection closed');
});

test('products and money', () => {
  expect(text.productText('tv', 'DSTV')).toBe('TV DSTV');
  expect(text.productText('tv', 7)).toBe('TV');
  expect(text.brief('x'.repeat(50))).toHaveLength(40);
  expect(text.naira(1234.5)).toBe('NGN 1,234.50');
  expect(text.naira('<b>')).toBe('NGN <b>');
  expect(text.plural(1, 'row')).toBe('1 row');
  expect(text.plural(1200, 'row')).toBe('1,200 rows');
});

const attempt = (fields: Partial<text.Attempt>): text.Attempt => ({
  number: 1,
  at,
  reason: 'first',
  url: 'http://127.0.0.1:4799/hooks',
  headers: {},
  corruption: undefined,
  status: undefined,
  error: undefined,
  delivered: false,
  durationMs: 1,
  ...fields,
});

test('attempts', () => {
  expect(text.attemptEnd({ status: 500, error: undefined })).toBe('500');
  expect(text.attemptEnd({ status: undefined, error: 'timeout' })).toBe('no response: timeout');
  expect(text.attemptEnd({ status: undefined, error: undefined })).toBe('no response: the connection closed');
  const all = [
    attempt({}),
    attempt({ number: 2, reason: 'redelivery', corruption: 'bad-signature' }),
    attempt({ number: 3, reason: 'retry' }),
    attempt({ number: 4, reason: 'retry' }),
  ];
  expect(all.map((one) => text.attemptTitle(one, all))).toEqual([
    'Webhook sent',
    'Webhook sent again (wrong signature)',
    'Webhook retry 1',
    'Webhook retry 2',
  ]);
});

describe('a webhook', () => {
  const nextAttemptAt = '2026-01-31T09:34:00.000Z';
  const refused = 'connect ECONNREFUSED 127.0.0.1:4799';

  test.each([
    [undefined, {}, 'being sent', 'wait'],
    [{ delivered: true, status: 200, reply: 'ok' }, { state: 'delivered' }, '200', 'good'],
    [{ status: 503 }, { state: 'delivered' }, 'delivered before, then 503', 'bad'],
    [{ status: 503 }, { nextAttemptAt }, '503, again in 4 min', 'bad'],
    [
      { status: 500, reply: 'the database\n is down' },
      { nextAttemptAt },
      '500: the database is down, again in 4 min',
      'bad',
    ],
    [{ status: 503 }, { state: 'failed' }, '503, given up', 'bad'],
    [{ error: refused }, { nextAttemptAt }, 'nothing listens on port 4799, again in 4 min', 'bad'],
    [{ error: 'getaddrinfo ENOTFOUND shop.test' }, {}, 'unknown host shop.test', 'bad'],
    [{ error: 'no response within 10000 ms' }, {}, 'timed out', 'bad'],
    [{ error: 'not sent: the subscription is not enabled' }, {}, 'not sent: subscription disabled', 'bad'],
    [{}, {}, 'no response', 'bad'],
  ] as const)('%j, %j: %s', (last, fields, words, tone) => {
    const delivery = {
      state: 'pending' as const,
      nextAttemptAt: undefined,
      attempts: last ? [attempt(last)] : [],
      ...fields,
    };
    expect(deliveryState(delivery, Date.parse(at))).toEqual({ text: words, tone });
  });

  test.each([
    [{ error: refused }, /^Nothing listens on port 4799: start your receiver/],
    [{ error: 'getaddrinfo ENOTFOUND shop.test' }, /check the URL/],
    [{ error: 'no response within 10000 ms' }, /respond first/],
    [{ error: 'not sent: the subscription is not enabled' }, /enabled: true/],
    [{ status: 302 }, /no redirect/],
    [{ status: 401 }, /raw body with the secret/],
    [{ status: 500 }, /its own log/],
  ])('what to do about %j: %s', (last, words) => {
    expect(deliveryAdvice({ attempts: [attempt(last)] })).toMatch(words);
  });

  test.each([{ delivered: true, status: 200 }, { error: 'socket hang up' }, {}])(
    'nothing is known: %j',
    (last) => {
      expect(deliveryAdvice({ attempts: [attempt(last)] })).toBeUndefined();
    },
  );
});

describe('requests', () => {
  const request = (fields: Partial<text.LoggedRequest>) =>
    ({
      method: 'POST',
      path: '/api/v1/airtime/purchase',
      operation: 'airtime.purchase',
      response: { status: 202, headers: {}, body: { code: 'PROCESSING' } },
      outcome: 'complete',
      replayed: false,
      warnings: [],
      ...fields,
    }) as text.LoggedRequest;
  const response = (status: number, code?: string) => ({ status, headers: {}, body: { code } });

  test('are named by their operation, else by method and path', () => {
    expect(text.requestName(request({}))).toBe('airtime.purchase');
    expect(text.requestName(request({ operation: undefined }))).toBe('POST /api/v1/airtime/purchase');
  });

  test.each([
    [{}, '202 PROCESSING', 'good'],
    [{ response: response(402, 'INSUFFICIENT_BALANCE') }, '402 INSUFFICIENT_BALANCE', 'bad'],
    [{ response: response(200) }, '200', 'good'],
    [{ outcome: 'cut' }, '202 PROCESSING, cut off: never received whole by the caller', 'bad'],
    [{ outcome: 'closed' }, '202 PROCESSING, never received by the caller', 'bad'],
    [
      { outcome: 'closed', response: undefined, reference: 'TXN-1' },
      'response, never received by the caller',
      'bad',
    ],
    [{ outcome: 'closed', response: undefined }, 'connection closed', 'bad'],
  ] as const)('end: %j', (fields, words, tone) => {
    expect(text.requestOutcome(request(fields))).toEqual({ text: words, tone });
  });

  test('a key repeated with another recipient is told with both values, and only once', () => {
    const warning = {
      code: 'key-repeated-with-other-payload',
      message: 'key repeated with a different recipient: the original was returned, nothing new was bought',
      differences: [{ field: 'recipient', original: '08031234567', repeated: '08039999999' }],
    } as const;
    expect(text.requestNotes(request({ replayed: true, warnings: [warning] }))).toEqual([
      {
        text: `${warning.message}. recipient: 08031234567 was bought, 08039999999 was asked for`,
        tone: 'wait',
      },
    ]);
    expect(text.requestNotes(request({ replayed: true, fault: { status: 503 } }))).toEqual([
      { text: 'fault: gets 503', tone: 'wait' },
      { text: 'key repeated: not charged again', tone: 'plain' },
    ]);
    expect(text.differenceText({ field: 'product_code', original: undefined, repeated: undefined })).toBe(
      'product_code: none was bought, none was asked for',
    );
  });
});

describe('a fault', () => {
  const purchases = (['airtime', 'data', 'tv', 'electricity', 'edu'] as const).map(
    (product) => `${product}.purchase` as const,
  );
  const lost = { operation: purchases, when: 'after', connection: 'close' } as const;

  test.each<[Fault['options'], Partial<Fault>, string]>([
    [lost, { remaining: 3 }, 'the next 3 purchases lose their response, 0 of 3 used'],
    [lost, { remaining: 1, used: 2 }, 'the next purchase loses its response, 2 of 3 used'],
    [{ connection: 'close' }, {}, 'all calls get no connection, used 0 times'],
    [
      { status: 503, code: 'QUEUE_UNAVAILABLE' },
      { used: 1 },
      'all calls get 503 QUEUE_UNAVAILABLE, used 1 time',
    ],
    [
      { operation: 'tv.validate', when: 'after', status: 500, recipient: '0211', clientId: 'shop' },
      { remaining: 1 },
      'the next tv.validate call for 0211 of shop is processed, but gets 500, 0 of 1 used',
    ],
    [
      { when: 'after', status: 502, body: '<html>' },
      {},
      'all calls are processed, but get 502 with an HTML page, used 0 times',
    ],
    [{ status: 200, body: {} }, {}, 'all calls get 200 with another body, used 0 times'],
    [{ cutBody: true }, {}, 'all calls get a response that is cut off, used 0 times'],
    [
      { delay: '3s', status: 429, retryAfter: 2 },
      {},
      'all calls wait 3s, get 429, with Retry-After 2, used 0 times',
    ],
    [{ delay: 250 }, { remaining: 1 }, 'the next call waits 250 ms, 0 of 1 used'],
    [{ headers: {} }, {}, 'all calls get other headers, used 0 times'],
  ])('%j, %j: %s', (options, fields, sentence) => {
    expect(faultSentence({ options, remaining: 'always', used: 0, ...fields })).toBe(sentence);
  });
});
