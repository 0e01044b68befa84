import { describe, expect, it, vi } from 'vitest';
import { operations } from '../../src/contract/operations.js';
import type { ApiCall, BillPay, CallOptions } from '../../src/index.js';
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
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly params: object;
  readonly call: (billpay: BillPay, options?: CallOptions) => ApiCall<unknown>;
  readonly reply: Reply;
  readonly result: object;
}

type Call<Params> = (billpay: BillPay, params: Params, options?: CallOptions) => ApiCall<unknown>;

const operation =
  (method: Case['method']) =>
  <Params extends object>(
    path: string,
    params: Params,
    call: Call<Params>,
    reply: Reply,
    result: object,
  ): Case => ({
    method,
    path,
    params,
    call: (billpay, options) => call(billpay, params, options),
    reply,
    result,
  });
const get = operation('GET');
const post = operation('POST');

const accepted = (data: object = {}): Reply => ({
  status: 202,
  body: { ...valid.purchase, data: { ...valid.purchase.data, ...data } },
});
const sold = (data: object = {}) => ({
  ...valid.purchase.data,
  status: 'pending',
  idempotency_key: 'order-77',
  ...data,
});

const phone = '08031234567';
const key = { idempotency_key: 'order-77' };
const meter = { biller: 'IKEDC', recipient: '0124000952992' };
const card = { biller: 'DSTV', recipient: '02110144711' };
const { status: _, ...mtnCatalogue } = valid.catalogue;

const cases = [
  post(
    '/airtime/purchase',
    { biller: 'MTN', recipient: phone, amount: 500, ...key },
    (b, p, o) => b.airtime.purchase(p, o),
    accepted(),
    sold(),
  ),
  get(
    '/data/products',
    { biller: 'MTN' },
    (b, p, o) => b.data.products(p, o),
    { body: valid.catalogue },
    mtnCatalogue,
  ),
  post(
    '/data/purchase',
    { biller: 'mtn', recipient: '+2348031234567', product_code: 'MTN-2GB-D', amount: 750, ...key },
    (b, p, o) => b.data.purchase(p, o),
    accepted({ amount: 750 }),
    sold({
      amount: 750,
      differences: [{ field: 'recipient', asked: '+2348031234567', echoed: phone }],
    }),
  ),
  post(
    '/tv/validate',
    card,
    (b, p, o) => b.tv.validate(p, o),
    { body: valid.validate },
    { customer_name: 'ADA OBI' },
  ),
  get(
    '/tv/products',
    { biller: 'DSTV & ' },
    (b, p, o) => b.tv.products(p, o),
    { body: { status: 'success', biller: 'DSTV', products: [] } },
    { biller: 'DSTV', products: [] },
  ),
  post(
    '/tv/purchase',
    { ...card, product_code: 'DSTV-PADI', customer_phone: phone, ...key },
    (b, p, o) => b.tv.purchase(p, o),
    accepted({ ...card, amount: 4400 }),
    sold({ ...card, amount: 4400 }),
  ),
  post(
    '/electricity/validate',
    { ...meter, meter_type: 'prepaid' } as const,
    (b, p, o) => b.electricity.validate(p, o),
    { body: valid.meter },
    { customer_name: 'ADA OBI', address: '4 Marina Road, Lagos' },
  ),
  post(
    '/electricity/purchase',
    { ...meter, meter_type: 'postpaid', amount: 5000.5, customer_phone: phone, ...key } as const,
    (b, p, o) => b.electricity.purchase(p, o),
    accepted({ ...meter, amount: 5000.5 }),
    sold({ ...meter, amount: 5000.5 }),
  ),
  post(
    '/edu/validate',
    { biller: 'JAMB', recipient: '0123456789' },
    (b, p, o) => b.edu.validate(p, o),
    { status: 201, body: valid.validate },
    { customer_name: 'ADA OBI' },
  ),
  get(
    '/edu/products',
    { biller: 'WAEC' },
    (b, p, o) => b.edu.products(p, o),
    { body: { ...valid.catalogue, biller: 'WAEC' } },
    { ...mtnCatalogue, biller: 'WAEC' },
  ),
  post(
    '/edu/purchase',
    {
      biller: 'WAEC',
      recipient: phone,
      product_code: 'WAEC-RC',
      quantity: 2,
      customer_phone: '08099999999',
      ...key,
    },
    (b, p, o) => b.edu.purchase(p, o),
    accepted({ biller: 'WAEC', amount: 7200 }),
    sold({ biller: 'WAEC', amount: 7200 }),
  ),
  get(
    '/transactions/status',
    { reference: 'TXN-20260131-000001' },
    (b, p, o) => b.transactions.status(p.reference, o),
    { body: valid.transaction },
    valid.transaction.data,
  ),
  post(
    '/webhooks/subscribe',
    { url: 'https://shop.example/hooks', enabled: false },
    (b, p, o) => b.webhooks.subscribe(p, o),
    { status: 201, body: valid.subscription },
    valid.subscription.data,
  ),
];

/** Fields may come in any order. */
const read = (body: string): unknown => (body === '' ? '' : JSON.parse(body));

/** The same answer with fields that no document knows, on every level. */
function withMore(reply: Reply): Reply {
  const body: Record<string, unknown> = { ...Object(reply.body), later: { deep: [1, null] } };
  if (body['data']) body['data'] = { ...Object(body['data']), later_too: 'yes' };
  return { ...reply, body };
}

it('the table has every operation', () => {
  const paths = Object.values(operations).map((known) => known.path);
  expect(cases.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
});

describe.each(cases)('$path', ({ method, path, params, call, reply, result }) => {
  const name = path.slice(1).replace('/', '.');
  const fields = { client_id: 'client-041', ...params };
  const url = `https://pay.example/api/v1${path}${method === 'GET' ? `?${new URLSearchParams(fields)}` : ''}`;

  it('sends exactly what the service documents, once, and returns what the response contains', async () => {
    const records: unknown[] = [];
    wire.respond({ ...reply, headers: { 'X-Request-Id': 'r-9' } });
    const running = call(clientOf({ onAttempt: (record) => void records.push(record) }), {
      headers: { 'X-Till': '7' },
    });
    const { data, response, attempts } = await running.withResponse();
    expect([data, attempts, response.status, response.url]).toEqual([result, 1, reply.status ?? 200, url]);
    expect(response.headers.get('x-request-id')).toBe('r-9');
    expect(await response.json()).toEqual(reply.body);
    expect(await running).toEqual(result);
    expect(wire.sent.map((request) => ({ ...request, body: read(request.body) }))).toEqual([
      { method, url, headers: { ...headers, 'x-till': '7' }, body: method === 'GET' ? '' : fields },
    ]);
    expect(records).toEqual([
      {
        operation: name,
        attempt: 1,
        method,
        path,
        status: reply.status ?? 200,
        ...(path.endsWith('/purchase') && { code: 'PROCESSING', idempotencyKey: 'order-77' }),
        durationMs: expect.any(Number),
        willRetry: false,
      },
    ]);
  });

  it('passes undocumented fields through, without a warning', async () => {
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    const logger = { debug: note, info: note, warn: note, error: note };
    wire.respond(withMore(reply));
    expect(await call(clientOf({ logger, logLevel: 'warn', strictResponses: true }))).toEqual({
      ...result,
      ...('data' in Object(reply.body) ? { later_too: 'yes' } : { later: { deep: [1, null] } }),
    });
    expect(lines).toEqual([]);
  });
});

describe('optional fields', () => {
  it('are left off the wire when they are left out or undefined', async () => {
    wire.respond(accepted({ ...card, amount: 4400 }));
    const asked = { ...card, product_code: 'DSTV-PADI', idempotency_key: 'k' };
    await clientOf().tv.purchase(asked);
    await clientOf().tv.purchase({ ...asked, amount: undefined, customer_phone: undefined });
    const bare = { client_id: 'client-041', ...asked };
    expect(wire.sent.map(({ body }) => read(body))).toEqual([bare, bare]);
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

it('the global fetch is looked up at each call', async () => {
  const billpay = clientOf();
  vi.stubGlobal('fetch', async () => Response.json(valid.catalogue));
  try {
    expect(await billpay.data.products({ biller: 'MTN' })).toEqual(mtnCatalogue);
  } finally {
    vi.unstubAllGlobals();
  }
  expect(wire.sent).toEqual([]);
});
