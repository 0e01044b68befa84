import { describe, expect, it, vi } from 'vitest';
import type { ApiCall, BillPay } from '../../src/index.js';
import { version } from '../../src/version.js';
import { clientOf, publicKey, type Reply, useWire, valid } from '../support/wire.js';

const wire = useWire();

/** Every header that a call carries, and no other. */
const headers = {
  accept: 'application/json',
  authorization: 'Bearer sk_test_4f9QxV2kLmN8',
  'content-type': 'application/json',
  'user-agent': `billpay-sdk/${version}`,
};

interface Case {
  readonly operation: string;
  readonly call: (billpay: BillPay) => ApiCall<unknown>;
  readonly method: string;
  readonly url: string;
  /** The whole body, as the service is to read it. */
  readonly body: string;
  readonly reply: Reply;
  readonly result: unknown;
}

const acceptedResult = {
  reference: 'TXN-20260131-000001',
  status: 'pending',
  idempotency_key: 'order-77',
  recipient: '08031234567',
  biller: 'MTN',
  amount: 500,
  channel: 'API_GATEWAY',
  currency: 'NGN',
  created_at: '2026-01-31 09:30:00',
};
const acceptance = (data: object) => ({
  status: 202,
  body: { ...valid.purchase, data: { ...valid.purchase.data, ...data } },
});
const mtnCatalogue = {
  biller: 'MTN',
  products: [
    { product_code: 'MTN-2GB-D', name: '2GB daily', amount: 750 },
    { product_code: 'MTN-1.8GB', name: '1.8GB 30 days', amount: 1500 },
  ],
};

const cases: Case[] = [
  {
    operation: 'airtime.purchase',
    call: (billpay) =>
      billpay.airtime.purchase({
        biller: 'MTN',
        recipient: '08031234567',
        amount: 500,
        idempotency_key: 'order-77',
      }),
    method: 'POST',
    url: 'https://pay.example/api/v1/airtime/purchase',
    body: '{"client_id":"client-041","biller":"MTN","recipient":"08031234567","amount":500,"idempotency_key":"order-77"}',
    reply: { status: 202, body: valid.purchase },
    result: acceptedResult,
  },
  {
    operation: 'data.products',
    call: (billpay) => billpay.data.products({ biller: 'MTN' }),
    method: 'GET',
    url: 'https://pay.example/api/v1/data/products?client_id=client-041&biller=MTN',
    body: '',
    reply: { body: valid.catalogue },
    result: mtnCatalogue,
  },
  {
    operation: 'data.purchase',
    call: (billpay) =>
      billpay.data.purchase({
        biller: 'mtn',
        recipient: '+2348031234567',
        product_code: 'MTN-2GB-D',
        amount: 750,
        idempotency_key: 'order-77',
      }),
    method: 'POST',
    url: 'https://pay.example/api/v1/data/purchase',
    body: '{"client_id":"client-041","biller":"mtn","recipient":"+2348031234567","product_code":"MTN-2GB-D","amount":750,"idempotency_key":"order-77"}',
    reply: acceptance({ amount: 750 }),
    result: {
      ...acceptedResult,
      amount: 750,
      differences: [{ field: 'recipient', asked: '+2348031234567', echoed: '08031234567' }],
    },
  },
  {
    operation: 'tv.validate',
    call: (billpay) => billpay.tv.validate({ biller: 'DSTV', recipient: '02110144711' }),
    method: 'POST',
    url: 'https://pay.example/api/v1/tv/validate',
    body: '{"client_id":"client-041","biller":"DSTV","recipient":"02110144711"}',
    reply: { body: valid.validate },
    result: { customer_name: 'ADA OBI' },
  },
  {
    operation: 'tv.products',
    call: (billpay) => billpay.tv.products({ biller: 'DSTV & ' }),
    method: 'GET',
    url: 'https://pay.example/api/v1/tv/products?client_id=client-041&biller=DSTV+%26+',
    body: '',
    reply: { body: { status: 'success', biller: 'DSTV', products: [] } },
    result: { biller: 'DSTV', products: [] },
  },
  {
    operation: 'tv.purchase',
    call: (billpay) =>
      billpay.tv.purchase({
        biller: 'DSTV',
        recipient: '02110144711',
        product_code: 'DSTV-PADI',
        customer_phone: '08031234567',
        idempotency_key: 'order-77',
      }),
    method: 'POST',
    url: 'https://pay.example/api/v1/tv/purchase',
    body: '{"client_id":"client-041","biller":"DSTV","recipient":"02110144711","product_code":"DSTV-PADI","customer_phone":"08031234567","idempotency_key":"order-77"}',
    reply: acceptance({ biller: 'DSTV', recipient: '02110144711', amount: 4400 }),
    result: { ...acceptedResult, biller: 'DSTV', recipient: '02110144711', amount: 4400 },
  },
  {
    operation: 'electricity.validate',
    call: (billpay) =>
      billpay.electricity.validate({ biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid' }),
    method: 'POST',
    url: 'https://pay.example/api/v1/electricity/validate',
    body: '{"client_id":"client-041","biller":"IKEDC","recipient":"0124000952992","meter_type":"prepaid"}',
    reply: { body: valid.meter },
    result: { customer_name: 'ADA OBI', address: '4 Marina Road, Lagos' },
  },
  {
    operation: 'electricity.purchase',
    call: (billpay) =>
      billpay.electricity.purchase({
        biller: 'IKEDC',
        recipient: '0124000952992',
        meter_type: 'postpaid',
        amount: 5000.5,
        customer_phone: '08031234567',
        idempotency_key: 'order-77',
      }),
    method: 'POST',
    url: 'https://pay.example/api/v1/electricity/purchase',
    body: '{"client_id":"client-041","biller":"IKEDC","recipient":"0124000952992","meter_type":"postpaid","amount":5000.5,"customer_phone":"08031234567","idempotency_key":"order-77"}',
    reply: acceptance({ biller: 'IKEDC', recipient: '0124000952992', amount: 5000.5 }),
    result: { ...acceptedResult, biller: 'IKEDC', recipient: '0124000952992', amount: 5000.5 },
  },
  {
    operation: 'edu.validate',
    call: (billpay) => billpay.edu.validate({ biller: 'JAMB', recipient: '0123456789' }),
    method: 'POST',
    url: 'https://pay.example/api/v1/edu/validate',
    body: '{"client_id":"client-041","biller":"JAMB","recipient":"0123456789"}',
    reply: { status: 201, body: valid.validate },
    result: { customer_name: 'ADA OBI' },
  },
  {
    operation: 'edu.products',
    call: (billpay) => billpay.edu.products({ biller: 'WAEC' }),
    method: 'GET',
    url: 'https://pay.example/api/v1/edu/products?client_id=client-041&biller=WAEC',
    body: '',
    reply: { body: { ...valid.catalogue, biller: 'WAEC' } },
    result: { ...mtnCatalogue, biller: 'WAEC' },
  },
  {
    operation: 'edu.purchase',
    call: (billpay) =>
      billpay.edu.purchase({
        biller: 'WAEC',
        recipient: '08031234567',
        product_code: 'WAEC-RC',
        quantity: 2,
        customer_phone: '08099999999',
        idempotency_key: 'order-77',
      }),
    method: 'POST',
    url: 'https://pay.example/api/v1/edu/purchase',
    body: '{"client_id":"client-041","biller":"WAEC","recipient":"08031234567","product_code":"WAEC-RC","quantity":2,"customer_phone":"08099999999","idempotency_key":"order-77"}',
    reply: acceptance({ biller: 'WAEC', amount: 7200 }),
    result: { ...acceptedResult, biller: 'WAEC', amount: 7200 },
  },
  {
    operation: 'transactions.status',
    call: (billpay) => billpay.transactions.status('TXN-20260131-000001'),
    method: 'GET',
    url: 'https://pay.example/api/v1/transactions/status?client_id=client-041&reference=TXN-20260131-000001',
    body: '',
    reply: { body: valid.transaction },
    result: {
      reference: 'TXN-20260131-000001',
      transaction_status: 'success',
      amount: 5000,
      amount_charged: 5000,
      service_amount: 5000,
      commission: 100,
      commission_received: 100,
      service_type: 'ELECTRICITY',
      biller: 'IKEDC',
      network: 'IKEDC',
      token: '03600873271267716521',
      created_at: '2026-01-31 09:30:00',
      updated_at: '2026-01-31 09:30:07',
      refunded: false,
      completed_at: '2026-01-31 09:30:07',
    },
  },
  {
    operation: 'webhooks.subscribe',
    call: (billpay) => billpay.webhooks.subscribe({ url: 'https://shop.example/hooks', enabled: false }),
    method: 'POST',
    url: 'https://pay.example/api/v1/webhooks/subscribe',
    body: '{"client_id":"client-041","url":"https://shop.example/hooks","enabled":false}',
    reply: { status: 201, body: valid.subscription },
    result: {
      url: 'https://shop.example/hooks',
      secret: 'whsec_m2pZr8TqYw',
      enabled: true,
      signature_version: 'v1',
    },
  },
];

/** Fields may come in any order. */
const read = (body: string): unknown => (body === '' ? '' : JSON.parse(body));

/** The same answer with fields that no document knows, on every level. */
function withMore(reply: Reply): Reply {
  const body: Record<string, unknown> = { ...Object(reply.body), later: { deep: [1, null] } };
  if (body['data']) body['data'] = { ...Object(body['data']), later_too: 'yes' };
  return { ...reply, body };
}

describe.each(cases)('$operation', ({ operation, call, method, url, body, reply, result }) => {
  it('sends exactly what the service documents', async () => {
    wire.respond(reply);
    await call(clientOf());
    expect(wire.sent.map((request) => ({ ...request, body: read(request.body) }))).toEqual([
      { method, url, headers, body: read(body) },
    ]);
  });

  it('returns what the response contains', async () => {
    wire.respond(reply);
    expect(await call(clientOf())).toEqual(result);
  });

  it('passes undocumented fields through, without a warning', async () => {
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    const logger = { debug: note, info: note, warn: note, error: note };
    wire.respond(withMore(reply));
    expect(await call(clientOf({ logger, logLevel: 'warn', strictResponses: true }))).toEqual({
      ...Object(result),
      ...('data' in Object(reply.body) ? { later_too: 'yes' } : { later: { deep: [1, null] } }),
    });
    expect(lines).toEqual([]);
  });

  it('gives the response too', async () => {
    wire.respond({ ...reply, headers: { 'X-Request-Id': 'r-9' } });
    const { data, response, attempts } = await call(clientOf()).withResponse();
    expect(data).toEqual(result);
    expect(attempts).toBe(1);
    expect(response.status).toBe(reply.status ?? 200);
    expect(response.headers.get('x-request-id')).toBe('r-9');
    expect(response.url).toBe(url);
    expect(await response.json()).toEqual(reply.body);
  });

  it('tells one attempt', async () => {
    const records: unknown[] = [];
    wire.respond(reply);
    await call(clientOf({ onAttempt: (record) => void records.push(record) }));
    const path = new URL(url).pathname.replace('/api/v1', '');
    expect(records).toEqual([
      {
        operation,
        attempt: 1,
        method,
        path,
        status: reply.status ?? 200,
        ...(operation.endsWith('.purchase') && { code: 'PROCESSING', idempotencyKey: 'order-77' }),
        durationMs: expect.any(Number),
        willRetry: false,
      },
    ]);
  });
});

describe('optional fields', () => {
  it('are left off the wire when they are left out or undefined', async () => {
    wire.respond(acceptance({ biller: 'DSTV', recipient: '02110144711', amount: 4400 }));
    const asked = {
      biller: 'DSTV',
      recipient: '02110144711',
      product_code: 'DSTV-PADI',
      idempotency_key: 'k',
    };
    await clientOf().tv.purchase(asked);
    await clientOf().tv.purchase({ ...asked, amount: undefined, customer_phone: undefined });
    const bare =
      '{"client_id":"client-041","biller":"DSTV","recipient":"02110144711","product_code":"DSTV-PADI","idempotency_key":"k"}';
    expect(wire.sent.map(({ body }) => JSON.parse(body))).toEqual([JSON.parse(bare), JSON.parse(bare)]);
  });

  it('lets the service choose whether a subscription is enabled', async () => {
    wire.respond({ body: valid.subscription });
    await clientOf().webhooks.subscribe({ url: 'http://localhost:4000/hooks' });
    expect(JSON.parse(wire.sent[0]?.body ?? '')).toEqual({
      client_id: 'client-041',
      url: 'http://localhost:4000/hooks',
    });
  });

  it('makes one idempotency_key a call, and hands it back', async () => {
    wire.respond({ status: 202, body: valid.purchase });
    const billpay = clientOf();
    const asked = { biller: 'MTN', recipient: '08031234567', amount: 500 };
    const first = await billpay.airtime.purchase(asked);
    const second = await billpay.airtime.purchase(asked);
    const keys = wire.sent.map(({ body }) => JSON.parse(body).idempotency_key);
    expect(keys).toEqual([first.idempotency_key, second.idempotency_key]);
    expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('is not reached by what the caller changes after the call', async () => {
    wire.respond({ status: 202, body: valid.purchase });
    const params = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-77' };
    const call = clientOf().airtime.purchase(params);
    params.amount = 9000;
    params.idempotency_key = 'order-78';
    await call;
    expect(wire.sent.map(({ body }) => read(body))).toEqual([
      {
        client_id: 'client-041',
        biller: 'MTN',
        recipient: '08031234567',
        amount: 500,
        idempotency_key: 'order-77',
      },
    ]);
  });
});

describe('a purchase response', () => {
  const asked = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-77' };

  it.each([
    [200, 'success'],
    [201, 'failed'],
    [202, 'queued_somewhere'],
  ])('may be a %i in state %s: a replay is a result too', async (status, state) => {
    wire.respond({ status, body: { ...valid.purchase, status: state } });
    expect((await clientOf().airtime.purchase(asked)).status).toBe(state);
  });

  it('is pending when it does not say', async () => {
    wire.respond({ status: 202, body: { data: valid.purchase.data } });
    expect(await clientOf().airtime.purchase(asked)).toMatchObject({
      status: 'pending',
      reference: 'TXN-20260131-000001',
    });
  });
});

describe('headers', () => {
  const call = (billpay: BillPay, options?: { headers: Record<string, string> }) =>
    billpay.data.products({ biller: 'MTN' }, options);

  it('of the client and of the call reach the wire, the call’s first', async () => {
    wire.respond({ body: valid.catalogue });
    const billpay = clientOf({ headers: { 'X-Source': 'pos', 'X-Shop': 'one' } });
    await call(billpay, { headers: { 'x-shop': 'two', 'X-Trace': 't-1' } });
    await call(billpay);
    expect(wire.sent.map((request) => request.headers)).toEqual([
      { ...headers, 'x-source': 'pos', 'x-shop': 'two', 'x-trace': 't-1' },
      { ...headers, 'x-source': 'pos', 'x-shop': 'one' },
    ]);
  });

  it('name no user agent in a browser, where that would cost a preflight', async () => {
    wire.respond({ body: valid.catalogue });
    vi.resetModules();
    vi.stubGlobal('document', {});
    try {
      const { BillPay } = await import('../../src/index.js');
      await call(
        new BillPay({ apiKey: publicKey, clientId: 'client-041', baseUrl: 'https://pay.example/api/v1' }),
      );
    } finally {
      vi.unstubAllGlobals();
      vi.resetModules();
    }
    const { 'user-agent': _, ...others } = headers;
    expect(wire.sent[0]?.headers).toEqual({ ...others, authorization: `Bearer ${publicKey}` });
  });

  it('may name another user agent and media type', async () => {
    wire.respond({ body: valid.catalogue });
    await call(clientOf(), { headers: { 'User-Agent': 'till/3', Accept: '*/*' } });
    expect(wire.sent[0]?.headers).toEqual({ ...headers, 'user-agent': 'till/3', accept: '*/*' });
  });
});
