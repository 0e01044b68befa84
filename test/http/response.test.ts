import { describe, expect, it } from 'vitest';
import { type OperationName, operations } from '../../src/contract/operations.js';
import { parseResponse } from '../../src/http/response.js';
import * as envelopes from '../support/envelopes.js';
import { responseOf } from './sample-outcomes.js';

const acceptance = envelopes.acceptance();

const catalogue = {
  status: 'success',
  biller: 'MTN',
  products: [
    { product_code: 'MTN-1', name: '1GB', amount: 350 },
    { product_code: 'MTN-2', name: '2GB', amount: 750 },
  ],
};

const validated = { status: 'success', customer_name: 'ADA OBI', address: '1 Broad Street' };

const lookup = {
  status: 'success',
  data: {
    reference: 'TXN-1',
    transaction_status: 'success',
    amount: 500,
    amount_charged: 500,
    service_amount: 510,
    commission: 10,
    commission_received: 10,
    service_type: 'VTU_AIRTIME',
    biller: 'MTN',
    token: null,
    created_at: '2026-01-31 10:30:00',
    updated_at: '2026-01-31 10:30:09',
    refunded: false,
  },
};

const subscription = {
  status: 'success',
  data: {
    url: 'https://shop.test/hook',
    secret: 'whsec_4f9c1d7e8b2a0c3d',
    enabled: true,
    signature_version: 'v1',
  },
};

const read = (name: OperationName, body: unknown, status = 200) =>
  parseResponse(operations[name], responseOf(status, body));

/** What a 2xx deviates in; undefined where it cannot be used. */
const deviations = (name: OperationName, body: unknown) => {
  const reading = read(name, body);
  return reading.ok ? reading.deviations : undefined;
};

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

describe('what a caller cannot do without', () => {
  const without = (data: object, name: string) =>
    Object.fromEntries(Object.entries(data).filter(([field]) => field !== name));

  it.each<[OperationName, unknown, string]>([
    ['airtime.purchase', {}, 'data'],
    ['airtime.purchase', { ...acceptance, data: null }, 'data'],
    ['airtime.purchase', { ...acceptance, data: 'TXN-1' }, 'data'],
    ['airtime.purchase', { ...acceptance, data: without(acceptance.data, 'reference') }, 'data.reference'],
    ['airtime.purchase', { ...acceptance, data: { ...acceptance.data, reference: '' } }, 'data.reference'],
    ['airtime.purchase', { ...acceptance, data: { ...acceptance.data, reference: null } }, 'data.reference'],
    ['airtime.purchase', { ...acceptance, data: { ...acceptance.data, reference: 1.5 } }, 'data.reference'],
    [
      'airtime.purchase',
      { ...acceptance, data: { ...acceptance.data, reference: 2 ** 60 } },
      'data.reference',
    ],
    ['tv.products', without(catalogue, 'products'), 'products'],
    ['tv.products', { ...catalogue, products: {} }, 'products'],
    ['tv.products', { ...catalogue, products: [catalogue.products[0], null] }, 'products.1'],
    ['edu.products', { ...catalogue, products: [{ name: 'x', amount: 1 }] }, 'products.0.product_code'],
    [
      'edu.products',
      { ...catalogue, products: [{ product_code: '', name: 'x', amount: 1 }] },
      'products.0.product_code',
    ],
    [
      'transactions.status',
      { ...lookup, data: without(lookup.data, 'transaction_status') },
      'data.transaction_status',
    ],
    [
      'transactions.status',
      { ...lookup, data: { ...lookup.data, transaction_status: '' } },
      'data.transaction_status',
    ],
    ['webhooks.subscribe', { ...subscription, data: without(subscription.data, 'secret') }, 'data.secret'],
  ])('%s: %j', (name, body, path) => {
    expect(read(name, body)).toEqual({ ok: false, final: false, problem: `it has no usable ${path}` });
  });
});

describe('coerced values', () => {
  it.each([
    ['1000.00', 1000],
    [' 350 ', 350],
    ['-5', -5],
    ['0.10', 0.1],
  ])('money as text: %j', (given, amount) => {
    const body = { ...acceptance, data: { ...acceptance.data, amount: given } };
    expect(read('airtime.purchase', body)).toMatchObject({
      ok: true,
      data: { amount },
      deviations: ['data.amount'],
    });
  });

  it.each(['1,000.00', 'N1000', '', ' ', '1e3', '0x10', null, true, [1]])(
    'but not money as %j, which is only told',
    (given) => {
      const body = { ...acceptance, data: { ...acceptance.data, amount: given } };
      expect(read('airtime.purchase', body)).toMatchObject({
        ok: true,
        data: { amount: given },
        deviations: ['data.amount'],
      });
    },
  );

  it('references and codes as numbers', () => {
    const body = { ...acceptance, data: { ...acceptance.data, reference: 12_345 } };
    expect(read('airtime.purchase', body)).toMatchObject({
      ok: true,
      data: { reference: '12345' },
      deviations: ['data.reference'],
    });
    const list = { ...catalogue, products: [{ product_code: 7, name: 'x', amount: '20' }] };
    expect(read('data.products', list)).toMatchObject({
      ok: true,
      data: { products: [{ product_code: '7', amount: 20 }] },
      deviations: ['products.0.product_code', 'products.0.amount'],
    });
  });

  it('recipients and billers as numbers', () => {
    const body = { ...acceptance, data: { ...acceptance.data, recipient: 8_031_234_567, biller: 9 } };
    expect(read('airtime.purchase', body)).toMatchObject({
      ok: true,
      data: { recipient: '8031234567', biller: '9' },
      deviations: ['data.recipient', 'data.biller'],
    });
  });

  it('in a copy: the response itself does not change', () => {
    const given = responseOf(202, { ...acceptance, data: { ...acceptance.data, amount: '500.00' } });
    const before = structuredClone(given.json);
    parseResponse(operations['airtime.purchase'], given);
    expect(given.json).toEqual(before);
  });

  it('even beside a field so deep that it cannot be cloned', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const text = JSON.stringify({ ...acceptance, code: 5, data: { ...acceptance.data, amount: '500.00' } });
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
      { data: { ...lookup.data, refunded: 'no', token: 5.5 } },
      ['status', 'data.token', 'data.refunded'],
    ],
    ['transactions.status', { ...lookup, data: { ...lookup.data, transaction_status: 'reversed' } }, []],
  ])('%s: %j', (name, body, expected) => {
    expect(deviations(name, body)).toEqual(expected);
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

  it('says that the body was cut, over the cap, or in a coding', () => {
    const given = responseOf(200, catalogue);
    const rules = operations['data.products'];
    expect(parseResponse(rules, { ...given, bodyFailure: { why: 'incomplete' } })).toEqual({
      ok: false,
      final: false,
      problem: 'its body was cut off',
    });
    expect(parseResponse(rules, { ...given, bodyFailure: { why: 'too-large' } })).toEqual({
      ok: false,
      final: false,
      problem: 'its body is larger than the 10 MiB that are read',
    });
    expect(parseResponse(rules, { ...given, bodyFailure: { why: 'unsupported-encoding' } })).toEqual({
      ok: false,
      final: false,
      problem: 'its body is in an encoding that was not requested',
    });
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
