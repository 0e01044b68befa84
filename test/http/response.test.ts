import { describe, expect, it } from 'vitest';
import { type OperationName, operations } from '../../src/contract/operations.js';
import { interpret, parseResponse } from '../../src/http/response.js';
import type { ReceivedResponse } from '../../src/http/transport.js';
import { patternRedactor } from '../../src/redaction.js';
import * as envelopes from '../support/envelopes.js';
import { responseOf } from './sample-outcomes.js';

const acceptance = envelopes.acceptance();
const catalogue = envelopes.catalogue(
  { product_code: 'MTN-1', name: '1GB', amount: 350 },
  { product_code: 'MTN-2', name: '2GB', amount: 750 },
);
const validated = envelopes.confirmation('1 Broad Street');
const lookup = envelopes.transaction('success');
const subscription = envelopes.subscription();

/** An accepted purchase, a lookup, a catalogue of one product, with other fields. */
const bought = (data: object) => envelopes.acceptance(data);
const looked = (data: object) => ({ ...lookup, data: { ...lookup.data, ...data } });
const listed = (...products: unknown[]) => ({ ...catalogue, products });

const read = (name: OperationName, body: unknown, status = 200) =>
  parseResponse(operations[name], responseOf(status, body));

describe('a response as documented', () => {
  it.each<[OperationName, unknown, unknown]>([
    ['airtime.purchase', acceptance, { ...acceptance.data, status: 'pending' }],
    ['data.products', catalogue, { biller: 'MTN', products: catalogue.products }],
    ['electricity.validate', validated, { customer_name: 'ADA OBI', address: '1 Broad Street' }],
    ['transactions.status', lookup, lookup.data],
    ['webhooks.subscribe', subscription, subscription.data],
  ])('of %s gives the result inside its envelope', (name, body, data) => {
    expect(read(name, body)).toEqual({ ok: true, data, deviations: [], tolerated: [] });
  });

  it.each([200, 201, 202, 203, 299])('is one with status %i too', (status) => {
    expect(read('airtime.purchase', acceptance, status).ok).toBe(true);
  });

  it('passes undocumented fields and values through', () => {
    const purchase = {
      ...acceptance,
      status: 'success',
      data: { ...acceptance.data, currency: 'GHS', promo: { a: 1 } },
    };
    expect(read('airtime.purchase', purchase)).toEqual({
      ok: true,
      data: { ...purchase.data, status: 'success' },
      deviations: [],
      tolerated: [],
    });
    expect(read('data.products', { ...catalogue, page: 1 })).toMatchObject({ ok: true, data: { page: 1 } });
  });
});

it.each<[OperationName, string, unknown]>([
  ['airtime.purchase', 'data', {}],
  ['airtime.purchase', 'data', { ...acceptance, data: null }],
  ['airtime.purchase', 'data', { ...acceptance, data: 'TXN-1' }],
  ...[undefined, '', null, 1.5, 2 ** 60].map((reference): [OperationName, string, unknown] => [
    'airtime.purchase',
    'data.reference',
    bought({ reference }),
  ]),
  ['tv.products', 'products', listed().products],
  ['tv.products', 'products', { ...catalogue, products: undefined }],
  ['tv.products', 'products', { ...catalogue, products: {} }],
  ['tv.products', 'products.1', listed(catalogue.products[0], null)],
  ['edu.products', 'products.0.product_code', listed({ name: 'x', amount: 1 })],
  ['edu.products', 'products.0.product_code', listed({ product_code: '', name: 'x', amount: 1 })],
  ['transactions.status', 'data.transaction_status', looked({ transaction_status: undefined })],
  ['transactions.status', 'data.transaction_status', looked({ transaction_status: '' })],
  ['webhooks.subscribe', 'data.secret', envelopes.subscription({ secret: undefined })],
])('%s cannot do without %s: %j', (name, path, body) => {
  const problem = Array.isArray(body) ? 'its body is not a JSON object' : `it has no usable ${path}`;
  expect(read(name, body)).toEqual({ ok: false, final: false, problem });
});

describe('coerced values', () => {
  it.each<[OperationName, object, object, string[]]>([
    ...(
      [
        ['1000.00', 1000],
        [' 350 ', 350],
        ['-5', -5],
        ['0.10', 0.1],
        // No money: passed through, and reported.
        ...['1,000.00', 'N1000', '', ' ', '1e3', '0x10', null, true, [1]].map((text) => [text, text]),
      ] as [unknown, unknown][]
    ).map(([text, amount]): [OperationName, object, object, string[]] => [
      'airtime.purchase',
      bought({ amount: text }),
      { amount },
      ['data.amount'],
    ]),
    ['airtime.purchase', bought({ reference: 12_345 }), { reference: '12345' }, ['data.reference']],
    [
      'airtime.purchase',
      bought({ recipient: 8_031_234_567, biller: 9 }),
      { recipient: '8031234567', biller: '9' },
      ['data.recipient', 'data.biller'],
    ],
    [
      'data.products',
      listed({ product_code: 7, name: 'x', amount: '20' }),
      { products: [{ product_code: '7', amount: 20 }] },
      ['products.0.product_code', 'products.0.amount'],
    ],
    ['transactions.status', looked({ refunded: 1 }), { refunded: 1 }, ['data.refunded']],
  ])('%s: %j has %j, and says what was coerced', (name, body, data, deviations) => {
    expect(read(name, body)).toMatchObject({ ok: true, data, deviations, tolerated: [] });
  });

  it('even beside a field so deep that it cannot be cloned', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const text = JSON.stringify({ ...bought({ amount: '500.00' }), code: 5 });
    const given = responseOf(202, `${text.slice(0, -1)},"extra":${deep}}`);
    expect(parseResponse(operations['airtime.purchase'], given)).toMatchObject({
      ok: true,
      deviations: ['code', 'data.amount'],
    });
  });
});

describe('any other deviation is only reported', () => {
  it.each<[OperationName, unknown, readonly string[]]>([
    ['airtime.purchase', { data: acceptance.data }, ['status', 'code', 'message']],
    [
      'airtime.purchase',
      { ...acceptance, data: { reference: 'TXN-1' } },
      ['data.recipient', 'data.biller', 'data.amount', 'data.channel', 'data.currency', 'data.created_at'],
    ],
    ['tv.products', { products: [] }, ['status', 'biller']],
    ['tv.validate', {}, ['status', 'customer_name']],
    ['electricity.validate', { status: 'success', customer_name: 'ADA' }, ['address']],
    [
      'transactions.status',
      { data: looked({ refunded: 'no', token: 5.5 }).data },
      ['status', 'data.token', 'data.refunded'],
    ],
    ['transactions.status', looked({ transaction_status: 'reversed' }), []],
  ])('%s: %j', (name, body, expected) => {
    expect(read(name, body)).toMatchObject({ ok: true, deviations: expected });
  });

  it('a purchase without its state is pending', () => {
    const { status: _, ...body } = acceptance;
    expect(read('airtime.purchase', body)).toMatchObject({ ok: true, data: { status: 'pending' } });
    expect(read('airtime.purchase', { ...acceptance, status: null })).toMatchObject({
      data: { status: 'pending' },
    });
  });
});

describe('a 2xx that cannot be used', () => {
  it.each<[string, unknown, string, string]>([
    ['a page', '<html></html>', 'text/html; charset=utf-8', 'its body is not JSON (text/html)'],
    ['a page without a type', '<html></html>', '', 'its body is not JSON'],
    ['nothing', '', 'application/json', 'its body is not JSON (it is empty)'],
    ['cut JSON', '{"status":"pend', 'application/json', 'its body is not JSON (application/json)'],
    [
      'a type that says too much',
      'x',
      `token=sk_live_0123456789 ${'x'.repeat(90)}`,
      `its body is not JSON (token=sk_[redacted] ${'x'.repeat(60)}…)`,
    ],
    ['a long type', 'x', 'y'.repeat(80), `its body is not JSON (${'y'.repeat(80)})`],
    ['a list', [acceptance], 'application/json', 'its body is not a JSON object'],
    ['null', 'null', 'application/json', 'its body is not a JSON object'],
    ['a number', '5', 'application/json', 'its body is not a JSON object'],
  ])('%s', (_, body, type, problem) => {
    const given = responseOf(200, body, type === '' ? {} : { 'content-type': type });
    expect(parseResponse(operations['tv.validate'], given)).toEqual({ ok: false, final: false, problem });
  });

  it.each<[NonNullable<ReceivedResponse['bodyFailure']>['why'], string]>([
    ['incomplete', 'its body was cut off'],
    ['too-large', 'its body is larger than the 10 MiB that are read'],
    ['unsupported-encoding', 'its body is in an encoding that was not requested'],
  ])('whose body is %s', (why, problem) => {
    const given = { ...responseOf(200, catalogue), bodyFailure: { why } };
    const reading = parseResponse(operations['data.products'], given);
    expect(reading).toEqual({ ok: false, final: false, problem });
    expect(interpret(undefined, given, patternRedactor)).toMatchObject(reading);
  });

  it('has a body, though its status is that of a response without one', () => {
    const reading = interpret(undefined, responseOf(204, '<html></html>'), patternRedactor);
    expect(reading).toMatchObject({ ok: false, problem: 'its body is not JSON' });
  });

  it('is an error in the disguise of a success, but for a purchase that has its reference', () => {
    const error = { status: 'error', code: 'GATEWAY_ERROR', message: 'sorry' };
    for (const name of ['tv.validate', 'tv.products', 'transactions.status', 'webhooks.subscribe'] as const) {
      expect(read(name, error)).toEqual({ ok: false, final: false, problem: 'its body is an error' });
    }
    expect(read('airtime.purchase', error)).toEqual({
      ok: false,
      final: false,
      problem: 'it has no usable data',
    });
    expect(read('airtime.purchase', { ...acceptance, status: 'error' })).toMatchObject({
      ok: true,
      data: { reference: 'TXN-1', status: 'error' },
    });
  });
});
