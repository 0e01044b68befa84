import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errorCodes, type ServiceErrorCode } from '../../../src/contract/vocabulary.js';
import { type ApiCall, ApiError, BillPay, isBillPayError } from '../../../src/index.js';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.js';
import { freePort } from '../../support/sockets.js';
import { command, documentFile } from './tool.js';

let sandbox: Sandbox;
let prism: ChildProcess;
let origin: string;
let billpay: BillPay;

/** Starts Prism before the service on a free port, since it takes no port 0; resolves when it listens. */
async function startPrism(upstream: number): Promise<{ child: ChildProcess; port: number }> {
  for (;;) {
    const port = await freePort();
    const args = ['proxy', documentFile, `http://127.0.0.1:${upstream}/api/v1`, '--port', String(port)];
    const child = spawn(process.execPath, [command('@stoplight/prism-cli/dist/index.js'), ...args]);
    try {
      await listening(child);
      return { child, port };
    } catch (error) {
      // Another process may have taken the port in the meantime.
      if (!String(error).includes('EADDRINUSE')) throw error;
    }
  }
}

/** Resolves when Prism says that it listens. */
function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (chunk: unknown) => {
      said += String(chunk);
      if (said.includes('Prism is listening')) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', () => reject(new Error(`Prism ended:\n${said}`)));
  });
}

beforeAll(async () => {
  sandbox = createSandbox({ settleAfter: 'manual', rateLimits: false });
  const { port: upstream } = await sandbox.listen();
  const started = await startPrism(upstream);
  prism = started.child;
  origin = `http://127.0.0.1:${started.port}`;
  const { secretKey: apiKey, clientId } = sandbox.credentials;
  billpay = new BillPay({ apiKey, clientId, baseUrl: `${origin}/v1`, fetch: withoutVersion, maxRetries: 0 });
});

/** Prism serves the document's paths at its root, whatever the path of the document's server. */
const withoutVersion: typeof fetch = async (input, init) => {
  const { url, method, headers, body } = new Request(input, init);
  return fetch(url.replace('/v1', ''), { method, headers, body: body && (await new Response(body).text()) });
};

afterAll(async () => {
  prism.kill();
  await sandbox.close();
});

beforeEach(() => sandbox.faults.clear());

/** What Prism objects to in a request or its response; undefined for nothing. */
const objections = (headers: Headers | undefined): string | undefined =>
  headers?.get('sl-violations') ?? undefined;

/** The result of a call to which Prism had no objection. */
async function accepted<T>(call: ApiCall<T>): Promise<T> {
  const { data, response } = await call.withResponse();
  expect(objections(response.headers)).toBeUndefined();
  return data;
}

/** The error of a call whose response Prism had no objection to. */
async function refused(call: ApiCall<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
  if (!isBillPayError(error) || !(error instanceof ApiError)) throw error;
  expect(objections(error.headers)).toBeUndefined();
  return error;
}

const phone = '08031234567';
let keys = 0;
const key = () => `order-${++keys}`;
const airtime = () => ({ biller: 'MTN', recipient: phone, amount: 500, idempotency_key: key() });

describe('Prism between the client and the sandbox objects to nothing', () => {
  it('in any operation', async () => {
    const { reference } = await accepted(billpay.airtime.purchase(airtime()));
    const { products: bundles } = await accepted(billpay.data.products({ biller: 'MTN' }));
    const product_code = String(bundles[0]?.product_code);
    await accepted(
      billpay.data.purchase({ biller: 'MTN', recipient: phone, product_code, idempotency_key: key() }),
    );
    const card = { biller: 'DSTV', recipient: '02110144711' };
    await accepted(billpay.tv.validate(card));
    const { products: packages } = await accepted(billpay.tv.products({ biller: 'DSTV' }));
    await accepted(
      billpay.tv.purchase({
        ...card,
        product_code: String(packages[0]?.product_code),
        customer_phone: phone,
      }),
    );
    const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid' } as const;
    await accepted(billpay.electricity.validate(meter));
    const token = await accepted(billpay.electricity.purchase({ ...meter, amount: 900 }));
    await accepted(billpay.edu.validate({ biller: 'JAMB', recipient: '9182736450' }));
    const { products: pins } = await accepted(billpay.edu.products({ biller: 'WAEC' }));
    const pin = {
      biller: 'WAEC',
      recipient: phone,
      product_code: String(pins[0]?.product_code),
      quantity: 2,
    };
    await accepted(billpay.edu.purchase(pin));
    await accepted(billpay.webhooks.subscribe({ url: 'https://shop.example/webhooks', enabled: false }));
    await accepted(billpay.transactions.status(reference));
    await sandbox.settle(reference, 'failed');
    await sandbox.settle(token.reference, 'success');
    expect(await accepted(billpay.transactions.status(reference))).toMatchObject({ refunded: true });
    expect(await accepted(billpay.transactions.status(token.reference))).toMatchObject({
      token: expect.stringMatching(/\d{20}/),
    });
  });

  const statuses = Object.entries(errorCodes).flatMap(([status, codes]) =>
    codes.map((code) => [Number(status), code] as const),
  );

  it.each(statuses)('in %i %s', async (status, code) => {
    sandbox.faults.add({ status, code, ...(status === 429 && { retryAfter: 3 }) });
    const call =
      status === 400 ? billpay.data.products({ biller: 'MTN' }) : billpay.airtime.purchase(airtime());
    expect(await refused(call)).toMatchObject({ status, code });
  });

  it('in a reference that is not known', async () => {
    expect(await refused(billpay.transactions.status('TXN-none'))).toMatchObject({ status: 404 });
  });

  /** Sends a request as it is, which the client would refuse. */
  const send = (path: string, fields: object, key = sandbox.credentials.secretKey) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_id: sandbox.credentials.clientId, ...fields }),
    });

  it.each<[number, ServiceErrorCode, string, object, string?]>([
    [401, 'UNAUTHORIZED', '/airtime/purchase', {}, 'sk_unknown'],
    [402, 'INSUFFICIENT_BALANCE', '/airtime/purchase', { amount: 1e9 }],
    [403, 'GATEWAY_ERROR', '/airtime/purchase', { client_id: 'nobody' }],
    [422, 'VALIDATION_FAILED', '/airtime/purchase', { amount: -1 }],
    [422, 'AMOUNT_MISMATCH', '/data/purchase', { product_code: 'MTN-2.5GB-1D', amount: 1 }],
    [422, 'GATEWAY_ERROR', '/data/purchase', { product_code: 'none', amount: undefined }],
    [422, 'VERIFICATION_FAILED', '/tv/validate', { biller: 'DSTV', recipient: '08000000004' }],
  ])('in what the sandbox itself refuses: %i %s', async (status, code, path, fields, secretKey) => {
    const response = await send(path, { ...airtime(), ...fields }, secretKey);
    expect(await response.json()).toMatchObject({ code });
    expect(response.status).toBe(status);
    expect(objections(response.headers) ?? '').not.toContain('"response"');
  });

  it('and would object to a request or a response that the document does not describe', async () => {
    const path = '/airtime/purchase';
    expect(objections((await send(path, { biller: 'MTN' })).headers)).toContain('"request"');
    sandbox.faults.add({ status: 202, body: { status: 'pending' } });
    expect(objections((await send(path, airtime())).headers)).toContain('"response"');
  });
});
