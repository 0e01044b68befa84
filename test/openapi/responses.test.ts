import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.js';
import { errorCodes, type ServiceErrorCode } from '../../src/contract/vocabulary.js';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.js';
import { field } from '../../src/utils/field.js';
import { openApiDocument } from './document.js';

const document = openApiDocument();
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats(ajv);
ajv.addSchema(document, 'openapi');

/** Follows a path of property names through the document, and the references on the way. */
function at(start: unknown, ...names: readonly string[]): unknown {
  return names.reduce((value, name) => {
    const next = field(value, name);
    const target = field(next, '$ref');
    return typeof target === 'string' ? at(document, ...target.slice(2).split('/')) : next;
  }, start);
}

/** What is wrong with the body of a response, by the document. */
function problemsOf(path: string, method: string, status: number, body: unknown): unknown {
  const responses = at(document, 'paths', path, method.toLowerCase(), 'responses');
  const described = at(responses, String(status));
  if (described === undefined) return `${method} ${path} does not document ${status}`;
  const schema = at(described, 'content', 'application/json', 'schema');
  // The schema as a whole, so that its own references are found.
  const validate = ajv.compile({ ...Object(schema), components: document.components });
  return validate(body) ? undefined : validate.errors;
}

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox({ settleAfter: 'manual' });
});
afterEach(() => sandbox.close());

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly fields?: Record<string, unknown>;
  readonly key?: string;
}

/** Sends a request as it is, and checks the response against the document. */
async function sent({ method = 'POST', path, fields = {}, key }: Sent, service = sandbox) {
  const { secretKey, clientId } = service.credentials;
  const all = { client_id: clientId, ...fields };
  const query = method === 'GET' ? `?${new URLSearchParams(all as Record<string, string>)}` : '';
  const response = await service.fetch(`${service.baseUrl}${path}${query}`, {
    method,
    headers: { Authorization: `Bearer ${key ?? secretKey}`, 'Content-Type': 'application/json' },
    ...(method === 'GET' ? {} : { body: JSON.stringify(all) }),
  });
  const body: unknown = await response.json();
  return { status: response.status, body };
}

async function documented(request: Sent, service = sandbox): Promise<{ status: number; body: unknown }> {
  const { status, body } = await sent(request, service);
  expect(problemsOf(request.path, request.method ?? 'POST', status, body)).toBeUndefined();
  return { status, body };
}

const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-1' };
const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid' };
const purchase = { path: '/airtime/purchase', fields: airtime };

/** A valid request of every operation. */
const valid: Readonly<Record<keyof typeof operations, Sent>> = {
  'airtime.purchase': purchase,
  'data.products': { method: 'GET', path: '/data/products', fields: { biller: 'MTN' } },
  'data.purchase': {
    path: '/data/purchase',
    fields: {
      biller: 'MTN',
      recipient: '08031234567',
      product_code: 'MTN-2GB-1D',
      idempotency_key: 'order-2',
    },
  },
  'tv.validate': { path: '/tv/validate', fields: { biller: 'DSTV', recipient: '0211014471' } },
  'tv.products': { method: 'GET', path: '/tv/products', fields: { biller: 'DSTV' } },
  'tv.purchase': {
    path: '/tv/purchase',
    fields: { biller: 'DSTV', recipient: '0211014471', idempotency_key: 'order-3' },
  },
  'electricity.validate': { path: '/electricity/validate', fields: meter },
  'electricity.purchase': {
    path: '/electricity/purchase',
    fields: { ...meter, amount: 900, idempotency_key: 'order-4' },
  },
  'edu.validate': { path: '/edu/validate', fields: { biller: 'JAMB', recipient: '9182736450' } },
  'edu.products': { method: 'GET', path: '/edu/products', fields: { biller: 'WAEC' } },
  'edu.purchase': {
    path: '/edu/purchase',
    fields: { biller: 'WAEC', recipient: '08031234567', idempotency_key: 'order-5' },
  },
  'transactions.status': { method: 'GET', path: '/transactions/status' },
  'webhooks.subscribe': { path: '/webhooks/subscribe', fields: { url: 'https://shop.example/webhooks' } },
};

/** The request with a product code of the catalogue, where it needs one. */
async function complete(name: keyof typeof operations): Promise<Sent> {
  const request = valid[name];
  if (name === 'transactions.status') {
    const { body } = await sent(purchase);
    return { ...request, fields: { reference: field(field(body, 'data'), 'reference') } };
  }
  if (!['data.purchase', 'tv.purchase', 'edu.purchase'].includes(name)) return request;
  const products = `${name.split('.')[0]}.products` as 'tv.products';
  const { body } = await sent({ ...valid[products], fields: { biller: request.fields?.['biller'] } });
  const [first] = field(body, 'products') as { product_code: string }[];
  return { ...request, fields: { ...request.fields, product_code: first?.product_code } };
}

const names = Object.keys(operations) as (keyof typeof operations)[];

describe('a response of the sandbox is what the OpenAPI document says', () => {
  it.each(names)('success of %s', async (name) => {
    const { status } = await documented(await complete(name));
    expect(status).toBe(operations[name].successStatus);
  });

  it.each(['success', 'failed'] as const)(
    'status lookup of a transaction that has settled: %s',
    async (end) => {
      const { body } = await sent(valid['electricity.purchase']);
      const reference = String(field(field(body, 'data'), 'reference'));
      await sandbox.settle(reference, end);
      const looked = await documented({ ...valid['transactions.status'], fields: { reference } });
      expect(looked.body).toMatchObject({ data: { transaction_status: end } });
    },
  );

  const { 'data.products': products } = valid;
  const cases: [number, ServiceErrorCode | 'NOT_FOUND', Sent, SandboxOptions?][] = [
    [400, 'BAD_REQUEST', { ...products, fields: {} }],
    [401, 'UNAUTHORIZED', { ...purchase, key: 'sk_unknown' }],
    [402, 'INSUFFICIENT_BALANCE', purchase, { balance: 1 }],
    [403, 'GATEWAY_ERROR', { ...purchase, fields: { ...airtime, client_id: 'nobody' } }],
    [404, 'NOT_FOUND', { ...valid['transactions.status'], fields: { reference: 'TXN-none' } }],
    [405, 'METHOD_NOT_ALLOWED', { ...purchase, method: 'PUT' }],
    [422, 'VALIDATION_FAILED', { ...purchase, fields: { ...airtime, amount: -1 } }],
    [
      422,
      'AMOUNT_MISMATCH',
      { ...valid['data.purchase'], fields: { ...valid['data.purchase'].fields, amount: 1 } },
    ],
    [
      422,
      'VERIFICATION_FAILED',
      { ...valid['tv.validate'], fields: { biller: 'DSTV', recipient: '08000000004' } },
    ],
    [
      422,
      'GATEWAY_ERROR',
      { ...valid['data.purchase'], fields: { ...valid['data.purchase'].fields, product_code: 'none' } },
    ],
  ];

  it.each(cases)('%i %s', async (...[status, code, request, options]) => {
    const service = options ? createSandbox(options) : sandbox;
    // The documents of the other methods of a path describe its 405 as well.
    const response = await sent(request, service);
    expect(response).toMatchObject({ status, body: { code } });
    const method = request.method === 'PUT' ? 'POST' : (request.method ?? 'POST');
    expect(problemsOf(request.path, method, status, response.body)).toBeUndefined();
    if (options) await service.close();
  });

  it('403 ACCOUNT_RESTRICTED, 429 RATE_LIMITED, 409 ALREADY_PROCESSING', async () => {
    sandbox.client().update({ verified: false });
    expect(await documented(purchase)).toMatchObject({ status: 403, body: { code: 'ACCOUNT_RESTRICTED' } });

    const limited = createSandbox({ rateLimits: { purchases: 1 } });
    await documented(purchase, limited);
    expect(await documented(purchase, limited)).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMITED' },
    });
    await limited.close();

    const slow = createSandbox({ clock: 'manual' });
    slow.faults.add({ delay: '5s' });
    const first = sent(purchase, slow);
    await slow.advance('1s');
    expect(await documented(purchase, slow)).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_PROCESSING' },
    });
    await slow.advance('5s');
    expect((await first).status).toBe(202);
    await slow.close();
  });

  it('500, 502 and 503, with every code', async () => {
    for (const status of [500, 502, 503] as const) {
      for (const code of errorCodes[status]) {
        sandbox.faults.add({ status, code });
        expect(await documented(purchase)).toMatchObject({ status, body: { code } });
      }
    }
  });

  it('both webhooks', async () => {
    sandbox.webhooks.subscribe({ handler: () => new Response('ok') });
    for (const [key, end] of [
      ['order-1', 'success'],
      ['order-2', 'failed'],
    ] as const) {
      const { body } = await sent({ ...purchase, fields: { ...airtime, idempotency_key: key } });
      await sandbox.settle(String(field(field(body, 'data'), 'reference')), end);
    }
    expect(sandbox.deliveries.map(({ event }) => event)).toEqual([
      'transaction.completed',
      'transaction.failed',
    ]);
    for (const { event, body } of sandbox.deliveries) {
      const schema = at(
        document,
        'webhooks',
        event,
        'post',
        'requestBody',
        'content',
        'application/json',
        'schema',
      );
      const validate = ajv.compile({ ...Object(schema), components: document.components });
      expect(validate(JSON.parse(body)) ? undefined : validate.errors).toBeUndefined();
    }
  });

  it('is really judged', () => {
    const envelope = { status: 'error', code: 'UNAUTHORIZED', message: 'x' };
    const problems = (status: number, body: unknown) => problemsOf('/airtime/purchase', 'POST', status, body);
    expect(problems(401, envelope)).toBeUndefined();
    expect(problems(401, { ...envelope, code: 'GATEWAY_ERROR' })).toMatchObject([{ instancePath: '/code' }]);
    expect(problems(401, { ...envelope, message: undefined })).toMatchObject([{ keyword: 'required' }]);
    expect(problems(202, { status: 'pending', code: 'PROCESSING', message: '', data: 1 })).toMatchObject([
      { instancePath: '/data', keyword: 'type' },
    ]);
    expect(problems(418, envelope)).toBe('POST /airtime/purchase does not document 418');
  });
});
