import { describe, expect, it, vi } from 'vitest';
import { type OperationName, operations } from '../../src/contract/operations.js';
import type { BillPay } from '../../src/index.js';
import { version } from '../../src/version.js';
import { callBy, complete, operationNames, successOf } from '../support/every-call.js';
import { keptLines } from '../support/script.js';
import { clientOf, publicKey, type Reply, useWire, valid } from '../support/wire.js';

const wire = useWire();

/** Every header that a call carries, and no other. */
const headers = {
  accept: 'application/json',
  authorization: 'Bearer sk_test_4f9QxV2kLmN8',
  'content-type': 'application/json',
  'user-agent': `billpay-sdk/${version}`,
};

/** What a caller receives of a body: its data without the envelope, and of a purchase its state and key too. */
function resultOf(name: OperationName, body: Record<string, unknown>): object {
  const { status, code: _, message: __, data, ...fields } = body;
  if (name.endsWith('.purchase')) return { ...Object(data), status, idempotency_key: 'order-77' };
  return data === undefined ? fields : Object(data);
}

const purchase = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-77' };
const card = { biller: 'DSTV', recipient: '02110144711' };

/** Fields may come in any order. */
const read = (body: string): unknown => (body === '' ? '' : JSON.parse(body));

/** The same answer with fields that no document knows, on every level. */
function withMore(reply: Reply): Reply {
  const body: Record<string, unknown> = { ...Object(reply.body), later: { deep: [1, null] } };
  if (body['data']) body['data'] = { ...Object(body['data']), later_too: 'yes' };
  return { ...reply, body };
}

it('every operation is called', () => {
  expect(operationNames.toSorted()).toEqual(Object.keys(operations).toSorted());
});

/** The methods and paths are held against the documents in test/contract/tables.test.ts. */
describe.each(operationNames)('%s', (name) => {
  const { method, path } = operations[name];
  const fields = { client_id: 'client-041', ...complete[name] };
  const query =
    method === 'GET' ? `?${new URLSearchParams(Object.entries(fields).map(([k, v]) => [k, `${v}`]))}` : '';
  const url = `https://pay.example/api/v1${path}${query}`;
  const { status, body } = successOf(name);
  const result = resultOf(name, { ...body });

  it('sends exactly what the service documents, once, and returns what the response contains', async () => {
    const records: unknown[] = [];
    wire.respond(name, { status, body, headers: { 'X-Request-Id': 'r-9' } });
    const billpay = clientOf({ onAttempt: (record) => void records.push(record) });
    const running = callBy(billpay, name, complete[name], { headers: { 'X-Till': '7' } });
    const { data, response, attempts } = await running.withResponse();
    expect([data, attempts, response.status, response.url]).toStrictEqual([result, 1, status, url]);
    expect(response.headers.get('x-request-id')).toBe('r-9');
    expect(await response.json()).toEqual(body);
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
        status,
        ...(path.endsWith('/purchase') && { code: 'PROCESSING', idempotencyKey: 'order-77' }),
        durationMs: expect.any(Number),
        willRetry: false,
      },
    ]);
  });

  it('passes undocumented fields through, without a warning', async () => {
    const { lines, logger } = keptLines();
    wire.respond(name, withMore({ status, body }));
    expect(await callBy(clientOf({ logger, logLevel: 'warn' }), name, complete[name])).toEqual({
      ...result,
      ...('data' in body ? { later_too: 'yes' } : { later: { deep: [1, null] } }),
    });
    expect(lines).toEqual([]);
  });
});

describe('optional fields', () => {
  it('are left off the wire when they are left out or undefined', async () => {
    const asked = { ...card, product_code: 'DSTV-PADI', idempotency_key: 'k' };
    await clientOf().tv.purchase(asked);
    await clientOf().tv.purchase({ ...asked, amount: undefined, customer_phone: undefined });
    const bare = { client_id: 'client-041', ...asked };
    expect(wire.sent.map(({ body }) => read(body))).toEqual([bare, bare]);
  });

  it('lets the service choose whether a subscription is enabled', async () => {
    await clientOf().webhooks.subscribe({ url: 'http://localhost:4000/hooks' });
    expect(JSON.parse(wire.sent[0]?.body ?? '')).toEqual({
      client_id: 'client-041',
      url: 'http://localhost:4000/hooks',
    });
  });

  it('makes one idempotency_key a call, and hands it back', async () => {
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

it.each([
  [200, 'success'],
  [201, 'failed'],
  [202, 'queued_somewhere'],
])('a purchase may be answered by a %i in state %s: a replay is a result too', async (status, state) => {
  wire.respond('airtime.purchase', { status, body: { ...valid.purchase, status: state } });
  expect((await clientOf().airtime.purchase(purchase)).status).toBe(state);
});

describe('headers', () => {
  const call = (billpay: BillPay, options?: { headers: Record<string, string> }) =>
    billpay.data.products({ biller: 'MTN' }, options);

  it('of the client and of the call reach the wire, the call’s first', async () => {
    const billpay = clientOf({ headers: { 'X-Source': 'pos', 'X-Shop': 'one' } });
    await call(billpay, { headers: { 'x-shop': 'two', 'User-Agent': 'till/3' } });
    await call(billpay);
    expect(wire.sent.map((request) => request.headers)).toEqual([
      { ...headers, 'x-source': 'pos', 'x-shop': 'two', 'user-agent': 'till/3' },
      { ...headers, 'x-source': 'pos', 'x-shop': 'one' },
    ]);
  });

  it('name no user agent in a browser, where that would cost a preflight', async () => {
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
});

it('the global fetch is looked up at each call', async () => {
  const billpay = clientOf();
  vi.stubGlobal('fetch', async () => Response.json(valid.catalogue));
  try {
    expect(await billpay.data.products({ biller: 'MTN' })).toMatchObject({ biller: 'MTN' });
  } finally {
    vi.unstubAllGlobals();
  }
  expect(wire.sent).toEqual([]);
});
