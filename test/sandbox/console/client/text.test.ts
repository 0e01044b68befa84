import { describe, expect, test } from 'vitest';
import type {
  Delivery,
  Fault,
  LoggedRequest,
  Sale,
} from '../../../../src/sandbox/console/client/resources.js';
import * as text from '../../../../src/sandbox/console/client/text.js';

const at = '2026-01-31T09:30:00.000Z';

describe('times are UTC', () => {
  test('today by the clock, another day with its date', () => {
    expect(text.shortTime(at, new Date('2026-01-31T23:00:00Z'))).toBe('09:30:00');
    expect(text.shortTime('2026-01-30 23:59:59', new Date(at))).toBe('01-30 23:59');
    expect(text.longTime('2026-01-30 23:59:59')).toBe('2026-01-30 23:59:59.000 UTC');
    const now = new Date();
    expect(text.shortTime(now.toISOString(), now)).toMatch(/^\d\d:\d\d:\d\d$/);
  });
});

describe('sales', () => {
  const sale = (fields: Partial<Sale>) =>
    text.saleState({ state: 'pending', refunded: false, settles_at: null, ...fields } as Sale);
  test.each([
    [{}, 'pending', 'wait'],
    [{ settles_at: '2020-01-31T09:30:00.000Z' }, 'pending, settles 01-31 09:30', 'wait'],
    [{ state: 'success' }, 'success', 'good'],
    [{ state: 'failed' }, 'failed', 'bad'],
    [{ state: 'failed', refunded: true }, 'failed, refunded', 'bad'],
  ] as const)('%j', (fields, words, tone) => {
    expect(sale(fields)).toEqual({ text: words, tone });
  });

  test('products and recipients', () => {
    expect(text.saleProduct({ product: 'tv', biller: 'DSTV' })).toBe('TV DSTV');
    expect(text.masked('08031234567')).toBe('…4567');
    expect(text.masked('123')).toBe('123');
    expect(text.brief('x'.repeat(50))).toHaveLength(40);
    expect(text.naira(1234.5)).toBe('NGN 1,234.50');
    expect(text.naira('<b>')).toBe('NGN <b>');
    expect(text.plural(1, 'row')).toBe('1 row');
    expect(text.plural(1200, 'row')).toBe('1,200 rows');
  });
});

describe('deliveries are red from a failed attempt until one succeeds', () => {
  const delivery = (fields: Partial<Delivery>) =>
    text.deliveryState({
      state: 'pending',
      last_status: null,
      last_delivered: null,
      next_attempt_at: null,
      ...fields,
    } as Delivery);
  test.each([
    [{}, 'being sent', 'wait'],
    [{ state: 'delivered', last_delivered: true, last_status: 200 }, 'delivered', 'good'],
    [{ last_delivered: false }, 'failing: no response', 'bad'],
    [
      { last_delivered: false, last_status: 500, next_attempt_at: '2020-01-31T09:31:00.000Z' },
      'failing: response 500, next attempt 01-31 09:31',
      'bad',
    ],
    [{ state: 'failed', last_delivered: false, last_status: 503 }, 'given up: response 503', 'bad'],
    [
      { state: 'delivered', last_delivered: false, last_status: 500 },
      'delivered before, redelivery failed: response 500',
      'bad',
    ],
  ] as const)('%j', (fields, words, tone) => {
    expect(delivery(fields)).toEqual({ text: words, tone });
  });

  test('attempts', () => {
    expect(text.attemptEnd({ status: 500, error: null })).toBe('response 500');
    expect(text.attemptEnd({ status: null, error: 'timeout' })).toBe('no response: timeout');
    expect(text.attemptEnd({ status: null, error: null })).toBe('no response: the connection closed');
  });
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

  test('show what they were for, the recipient masked', () => {
    expect(text.requestSubject(request({}))).toBe('MTN, …4567, NGN 500.00');
    expect(text.requestSubject(request({ biller: null, recipient: null, amount: null }))).toBe('');
  });

  test.each([
    [{}, '202 PROCESSING', 'good'],
    [{ status: 402, code: 'INSUFFICIENT_BALANCE' }, '402 INSUFFICIENT_BALANCE', 'bad'],
    [{ status: 200, code: null }, '200', 'good'],
    [{ outcome: 'cut' }, '202 PROCESSING, body cut off', 'bad'],
    [{ outcome: 'closed' }, 'no response, connection closed', 'bad'],
    [{ status: null }, 'no response, connection closed', 'bad'],
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

test('faults', () => {
  const fault: Fault = { id: 1, when: 'after', status: 500, times: 'always', remaining: 'always', used: 2 };
  expect(text.faultText(fault)).toBe('after processing: 500');
  expect(text.faultTargetText(fault)).toBe('any call');
  expect(text.faultLeftText(fault)).toBe('until turned off, met 2');
  expect(text.faultLeftText({ ...fault, remaining: 3 })).toBe('3 more, met 2');
});
