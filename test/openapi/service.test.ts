import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { errorResponses } from '../../src/errors/error-responses.js';
import { type ApiCall, BillPay } from '../../src/index.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js';

const documentFile = new URL('../../docs/openapi.json', import.meta.url);
const toolsFolder = fileURLToPath(new URL('../tools/', import.meta.url));

const require = createRequire(toolsFolder);
const { Ajv2020 } = require('ajv/dist/2020.js');
const addFormats = require('ajv-formats');

const document = JSON.parse(readFileSync(documentFile, 'utf8'));
const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, coerceTypes: false }));
ajv.addSchema(document, 'document');

/** What ajv objects to in a value, by the schema at these names of the document; empty for nothing. */
function objections(value: unknown, ...names: readonly string[]): string[] {
  const pointer = names.map((name) => `/${encodeURIComponent(name.replaceAll('/', '~1'))}`).join('');
  ajv.validate({ $ref: `document#${pointer}` }, value);
  return (ajv.errors ?? []).map(({ instancePath, message }: Record<string, string>) =>
    [names[0], instancePath, message].join(' '),
  );
}

const json = ['content', 'application/json', 'schema'];

/** What the document does not allow in a request. */
function requestObjections(path: string, method: string, url: URL, body: unknown): string[] {
  const operation = document.paths[path]?.[method];
  if (!operation) return [`the document has no ${method} ${path}`];
  if (operation.requestBody) return objections(body, 'paths', path, method, 'requestBody', ...json);
  const fields = Object.fromEntries(url.searchParams);
  const named: string[] = operation.parameters.map(({ name }: { name: string }) => name);
  return [
    ...Object.keys(fields).filter((name) => !named.includes(name)),
    ...named.flatMap((name, at) =>
      objections(fields[name], 'paths', path, method, 'parameters', `${at}`, 'schema'),
    ),
  ];
}

/** What the document does not allow in a response. */
function responseObjections(path: string, method: string, status: number, body: unknown): string[] {
  const { responses } = document.paths[path][method];
  const found = status in responses ? String(status) : 'default';
  const shared = responses[found].$ref?.split('/').at(-1);
  return shared
    ? objections(body, 'components', 'responses', shared, ...json)
    : objections(body, 'paths', path, method, 'responses', found, ...json);
}

let sandbox: Sandbox;
let billpay: BillPay;
/** What ajv objected to, in the requests of the client and in the responses of the sandbox. */
let inRequests: string[];
let inResponses: string[];

/** The sandbox, with ajv between it and its callers. */
const judged: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const url = new URL(request.url);
  const [path, method] = [url.pathname.replace('/api/v1', ''), request.method.toLowerCase()];
  const text = await request.clone().text();
  inRequests.push(...requestObjections(path, method, url, text && JSON.parse(text)));
  const response = await sandbox.fetch(request);
  inResponses.push(...responseObjections(path, method, response.status, await response.clone().json()));
  return response;
};

beforeEach(() => {
  [inRequests, inResponses] = [[], []];
  sandbox = createSandbox({ settleAfter: 'manual' });
  billpay = new BillPay({ ...sandbox.connection, fetch: judged, maxRetries: 0, logLevel: 'off' });
});

afterEach(() => sandbox.close());

const phone = '08031234567';
let keys = 0;
const airtime = () => ({ biller: 'MTN', recipient: phone, amount: 500, idempotency_key: `order-${++keys}` });
const firstOf = async (catalogue: ReturnType<BillPay['tv']['products']>) =>
  (await catalogue).products[0]?.product_code ?? '';

it('ajv objects to nothing in any operation, and in no webhook', async () => {
  sandbox.webhooks.subscribe({ handler: () => new Response('ok') });
  const { reference } = await billpay.airtime.purchase(airtime());
  const bundle = await firstOf(billpay.data.products({ biller: 'MTN' }));
  await billpay.data.purchase({ biller: 'MTN', recipient: phone, product_code: bundle });
  const card = { biller: 'DSTV', recipient: '02110144711' };
  await billpay.tv.validate(card);
  const product_code = await firstOf(billpay.tv.products({ biller: 'DSTV' }));
  await billpay.tv.purchase({ ...card, product_code, customer_phone: phone });
  const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid' } as const;
  await billpay.electricity.validate(meter);
  const token = await billpay.electricity.purchase({ ...meter, amount: 900 });
  await billpay.edu.validate({ biller: 'JAMB', recipient: '9182736450' });
  const pin = await firstOf(billpay.edu.products({ biller: 'WAEC' }));
  await billpay.edu.purchase({ biller: 'WAEC', recipient: phone, product_code: pin, quantity: 2 });
  await billpay.transactions.status(reference);
  await sandbox.settle(reference, 'failed');
  await sandbox.settle(token.reference, 'success');
  expect(await billpay.transactions.status(reference)).toMatchObject({ refunded: true });
  expect((await billpay.transactions.status(token.reference)).token).toMatch(/\d{20}/);
  await billpay.webhooks.subscribe({ url: 'https://shop.example/webhooks', enabled: false });
  expect([inRequests, inResponses]).toEqual([[], []]);

  expect(sandbox.deliveries.map(({ event }) => event)).toEqual([
    'transaction.failed',
    'transaction.completed',
  ]);
  for (const { event, body } of sandbox.deliveries) {
    const by = ['webhooks', event, 'post', 'requestBody', ...json];
    expect(objections(JSON.parse(body), ...by)).toEqual([]);
    expect(objections({ ...JSON.parse(body), data: {} }, ...by)).not.toEqual([]);
  }
});

const statuses = errorResponses.flatMap((row) => ('code' in row ? [[row.status, row.code] as const] : []));

it.each(statuses)('ajv objects to nothing in %i %s', async (status, code) => {
  sandbox.faults.add({ status, code, ...(status === 429 && { retryAfter: 3 }) });
  const call: ApiCall<unknown> =
    status === 400 ? billpay.data.products({ biller: 'MTN' }) : billpay.airtime.purchase(airtime());
  await expect(call).rejects.toMatchObject({ status, code });
  expect([inRequests, inResponses]).toEqual([[], []]);
});

/** Sends a request as it is, which the client would refuse. */
const send = (path: string, fields: object) =>
  judged(`${sandbox.baseUrl}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sandbox.credentials.secretKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_id: sandbox.credentials.clientId, ...fields }),
  });

it('ajv objects to a request and to a response that the document does not describe', async () => {
  await send('/airtime/purchase', { biller: 'MTN' });
  expect(inRequests).toContainEqual(expect.stringContaining("must have required property 'recipient'"));
  // The refusal itself names each field, as the document says.
  expect(inResponses).toEqual([]);
  sandbox.faults.add({ status: 202, body: { status: 'pending' } });
  await send('/airtime/purchase', airtime());
  expect(inResponses).toContainEqual(expect.stringContaining("must have required property 'data'"));
  await expect(billpay.transactions.status('TXN-none')).rejects.toMatchObject({ status: 404 });
  expect(requestObjections('/data/products', 'get', new URL('http://x/?bilr=MTN'), undefined)).toContain(
    'bilr',
  );
});
