import { describe, expect, test } from 'vitest';
import type { Attempt, LoggedRequest } from '../../../../src/sandbox/console/client/resources.js';
import * as text from '../../../../src/sandbox/console/client/text.js';

const at = '2026-01-31T09:30:00.000Z';

test('times are UTC, with milliseconds: today by the clock, another day with its date', () => {
  expect(text.shortTime(at, '2026-01-31')).toBe('09:30:00.000');
  expect(text.shortTime('2026-01-30 23:59:59', '2026-01-31')).toBe('01-30 23:59');
  expect(text.longTime('2026-01-30 23:59:59')).toBe('2026-01-30 23:59:59.000 UTC');
});

describe('transactions', () => {
  test.each([
    [{ state: 'pending', refunded: false }, 'Pending', 'wait'],
    [{ state: 'success', refunded: false }, 'Success', 'good'],
    [{ state: 'failed', refunded: false }, 'Failed', 'bad'],
    [{ state: 'failed', refunded: true }, 'Refunded', 'bad'],
  ] as const)('%j', (transaction, words, tone) => {
    expect(text.transactionState(transaction)).toEqual({ text: words, tone });
  });

  test('their webhooks', () => {
    expect(text.webhookState({ state: 'pending', delivery: null }, 0).text).toBe('when settled');
    expect(text.webhookState({ state: 'failed', delivery: null }, 0).text).toBe('not subscribed');
    const delivery = {
      state: 'pending',
      last_status: null,
      last_error: null,
      last_delivered: null,
      last_url: null,
      next_attempt_at: null,
    } as const;
    const state = (fields: object) =>
      text.webhookState({ state: 'success', delivery: { ...delivery, ...fields } }, Date.parse(at));
    expect(state({})).toEqual({ text: 'being sent', tone: 'wait' });
    expect(state({ state: 'delivered', last_delivered: true, last_status: 200 })).toEqual({
      text: '200',
      tone: 'good',
    });
    const next_attempt_at = '2026-01-31T09:34:00.000Z';
    expect(state({ last_delivered: false, last_status: 503, next_attempt_at })).toEqual({
      text: '503, again in 4 min',
      tone: 'bad',
    });
  });

  test('products and money', () => {
    expect(text.productText({ product: 'tv', biller: 'DSTV' })).toBe('TV DSTV');
    expect(text.brief('x'.repeat(50))).toHaveLength(40);
    expect(text.naira(1234.5)).toBe('NGN 1,234.50');
    expect(text.naira('<b>')).toBe('NGN <b>');
    expect(text.plural(1, 'row')).toBe('1 row');
    expect(text.plural(1200, 'row')).toBe('1,200 rows');
  });
});

test('attempts', () => {
  expect(text.attemptEnd({ status: 500, error: null })).toBe('500');
  expect(text.attemptEnd({ status: null, error: 'timeout' })).toBe('no response: timeout');
  expect(text.attemptEnd({ status: null, error: null })).toBe('no response: the connection closed');
  const attempt = (number: number, reason: Attempt['reason'], corruption: Attempt['corruption'] = null) =>
    ({ number, reason, corruption }) as Attempt;
  const all = [
    attempt(1, 'first'),
    attempt(2, 'redelivery', 'bad-signature'),
    attempt(3, 'retry'),
    attempt(4, 'retry'),
  ];
  expect(all.map((one) => text.attemptTitle(one, all))).toEqual([
    'Webhook sent',
    'Webhook sent again (wrong signature)',
    'Webhook retry 1',
    'Webhook retry 2',
  ]);
});

describe('requests', () => {
  const request = (fields: Partial<LoggedRequest>) =>
    ({
      method: 'POST',
      path: '/api/v1/airtime/purchase',
      operation: 'airtime.purchase',
      biller: 'MTN',
      recipient: '08031234567',
      amount: 500,
      reference: null,
      status: 202,
      code: 'PROCESSING',
      outcome: 'complete',
      replayed: false,
      fault: null,
      warnings: [],
      ...fields,
    }) as LoggedRequest;

  test('are named by their operation, else by method and path', () => {
    expect(text.requestName(request({}))).toBe('airtime.purchase');
    expect(text.requestName(request({ operation: null }))).toBe('POST /api/v1/airtime/purchase');
  });

  test.each([
    [{}, '202 PROCESSING', 'good'],
    [{ status: 402, code: 'INSUFFICIENT_BALANCE' }, '402 INSUFFICIENT_BALANCE', 'bad'],
    [{ status: 200, code: null }, '200', 'good'],
    [{ outcome: 'cut' }, '202 PROCESSING, cut off: never received whole by the caller', 'bad'],
    [{ outcome: 'closed' }, '202 PROCESSING, never received by the caller', 'bad'],
    [
      { outcome: 'closed', status: null, code: null, reference: 'TXN-1' },
      'response, never received by the caller',
      'bad',
    ],
    [{ outcome: 'closed', status: null, code: null }, 'connection closed', 'bad'],
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
      { text: 'fault: 503', tone: 'wait' },
      { text: 'key repeated: not charged again', tone: 'plain' },
    ]);
    expect(text.differenceText({ field: 'product_code', original: undefined, repeated: undefined })).toBe(
      'product_code: none was bought, none was asked for',
    );
  });
});
