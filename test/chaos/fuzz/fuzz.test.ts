import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BillPay, BillPayError, type BillPayOptions } from '../../../src/index.js';
import { nodeTransport } from '../../../src/node/index.js';
import {
  createWebhookHandler,
  verifyWebhook,
  WebhookVerificationError,
} from '../../../src/webhooks/index.js';
import { messageLength } from '../proxy/message.js';
import { anyBody, anyDelivery, anyHeaders, anyStatus, canary } from './values.js';

/** Any response and any webhook end as documented. BILLPAY_FUZZ_CASES says how many of each (300). */
const numRuns = Number(process.env['BILLPAY_FUZZ_CASES'] ?? 300);

const purchase = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-1' };
const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid' } as const;

/** One call of each kind, and what its result must have. */
const calls: Readonly<Record<string, readonly [(client: BillPay) => Promise<object>, string | undefined]>> = {
  purchase: [(client) => client.airtime.purchase(purchase), 'reference'],
  products: [(client) => client.data.products({ biller: 'MTN' }), 'products'],
  validate: [(client) => client.electricity.validate(meter), undefined],
  status: [(client) => client.transactions.status('TXN-1'), 'transaction_status'],
  request: [(client) => client.request({ method: 'GET', path: '/x' }), undefined],
  subscribe: [(client) => client.webhooks.subscribe({ url: 'https://shop.test/hook' }), 'secret'],
};
const anyCall = fc.constantFrom(...Object.keys(calls));

/** The refusals of a purchase that docs/service.md, "Errors", documents to create no charge, by status. */
const refusals: Readonly<Record<number, readonly string[]>> = {
  400: ['BAD_REQUEST'],
  401: ['UNAUTHORIZED'],
  402: ['INSUFFICIENT_BALANCE'],
  403: ['GATEWAY_ERROR', 'ACCOUNT_RESTRICTED'],
  405: ['METHOD_NOT_ALLOWED'],
  422: ['VALIDATION_FAILED', 'AMOUNT_MISMATCH', 'VERIFICATION_FAILED', 'GATEWAY_ERROR'],
  429: ['RATE_LIMITED'],
  503: ['PROVIDER_UNAVAILABLE', 'QUEUE_UNAVAILABLE'],
};

function isRefusal(status: number, body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const own = (name: string): unknown => (Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined);
  const documented = refusals[status] ?? [];
  return (
    own('status') === 'error' &&
    typeof own('message') === 'string' &&
    documented.includes(String(own('code')))
  );
}

/** Makes one call; its end must be a usable result or an error of the package that says the truth about money and shows no key. */
async function callEndsWell(name: string, options: BillPayOptions): Promise<void> {
  const lines: string[] = [];
  const log = (message: string, fields: object) => void lines.push(message, JSON.stringify(fields) ?? '');
  const logger = { debug: log, info: log, warn: log, error: log };
  const client = new BillPay({
    apiKey: canary,
    clientId: 'client-1',
    maxRetries: 0,
    logLevel: 'debug',
    logger,
    ...options,
  });
  const [call, needed] = calls[name] ?? [];
  const end: unknown = await call?.(client).catch((error: unknown) => error);
  if (end instanceof BillPayError) {
    expect(end.attempts).toBe(1);
    if (name !== 'purchase') expect(end.mayHaveCharged).toBe(false);
    else if ('status' in end && typeof end.status === 'number') {
      expect(end.mayHaveCharged).toBe(!isRefusal(end.status, Reflect.get(end, 'body')));
    }
    lines.push(inspect(end), JSON.stringify(end), String(end), end.stack ?? '');
  } else if (needed !== undefined) {
    expect(end).toHaveProperty(needed);
  }
  expect(lines.filter((line) => line.includes(canary))).toEqual([]);
}

it('any response ends a call as documented', async () => {
  const response = fc.record({ call: anyCall, status: anyStatus, headers: anyHeaders, body: anyBody });
  await fc.assert(
    fc.asyncProperty(response, async ({ call, status, headers, body }) => {
      const fetch = async () => {
        const received = new Headers();
        for (const [name, value] of headers)
          if (/^[\x20-\x7e]*$/.test(value)) received.append(name, value.trim());
        return new Response([204, 205, 304].includes(status) ? null : body, { status, headers: received });
      };
      await callEndsWell(call, { baseUrl: 'https://service.test/api/v1', fetch });
    }),
    { numRuns },
  );
}, 600_000);

it('any failure of a fetch ends a call as documented', async () => {
  const failures: readonly unknown[] = [
    new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) }),
    Object.assign(new Error('y'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    new DOMException('aborted', 'AbortError'),
    new AggregateError([]),
    Object.create(null),
    undefined,
    'text',
  ];
  const results: readonly unknown[] = [
    undefined,
    null,
    'text',
    {},
    Response.error(),
    { status: 0, body: null },
    { status: 202 },
  ];
  for (const call of Object.keys(calls)) {
    for (const failure of failures) {
      await callEndsWell(call, {
        baseUrl: 'https://service.test/api/v1',
        fetch: () => Promise.reject(failure),
      });
    }
    for (const result of results) {
      const fetch = async () => result as Response;
      await callEndsWell(call, { baseUrl: 'https://service.test/api/v1', fetch });
    }
  }
});

it('any bytes on a socket end a call as documented', async () => {
  let bytes: Buffer = Buffer.alloc(0);
  const server = createServer((socket) => {
    let received: Buffer = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (messageLength(received) !== undefined) socket.end(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  const response = fc
    .record({
      status: anyStatus,
      headers: anyHeaders,
      body: anyBody,
      surplus: fc.constantFrom(0, 0, 0, 7, -3),
    })
    .map(({ status, headers, body, surplus }) => {
      const length = `content-length: ${Math.max(0, Buffer.byteLength(body) + surplus)}`;
      const lines = [`HTTP/1.1 ${status} OK`, length, ...headers.map(([name, value]) => `${name}: ${value}`)];
      return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
    });
  const anyBytes = fc.oneof(
    { weight: 9, arbitrary: response },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }).map((raw) => Buffer.from(raw)) },
  );
  await fc.assert(
    fc.asyncProperty(anyCall, anyBytes, async (call, answer) => {
      bytes = answer;
      await callEndsWell(call, { baseUrl, transport: nodeTransport(), timeout: 10_000 });
    }),
    { numRuns: Math.ceil(numRuns / 5) },
  );
  server.close();
}, 600_000);

const secret = 'whsec_fuzz_4f9c1d7e8b2a';
const now = new Date('2026-01-31T09:30:00Z');

/** A delivery as it arrives, and whether it is authentic and in time. */
const delivery = anyDelivery.map(({ body, ageInSeconds, damage, other }) => {
  const stamp = String(Math.floor(now.getTime() / 1000) - ageInSeconds);
  const sign = (over: Buffer) => createHmac('sha256', secret).update(`${stamp}.`).update(over).digest('hex');
  const signature = sign(body);
  const sent = damage === 'body' ? Buffer.concat([body, Buffer.from(other)]) : body;
  const headers: Record<string, string> = {
    'x-service-timestamp': damage === 'timestamp' ? other : stamp,
    'x-service-signature': damage === 'signature' ? other : signature,
    'x-service-event': damage === 'event' ? other : 'transaction.completed',
  };
  if (damage === 'no signature') delete headers['x-service-signature'];
  const isAuthentic =
    headers['x-service-signature'] === sign(sent) && headers['x-service-timestamp'] === stamp;
  return { body: sent, headers, isAuthentic, isInTime: ageInSeconds <= 114_960 && ageInSeconds >= -300 };
});

it('verifyWebhook accepts nothing forged or late, and refuses nothing authentic for its signature', () => {
  fc.assert(
    fc.property(delivery, ({ body, headers, isAuthentic, isInTime }) => {
      try {
        const verified = verifyWebhook({ body, headers, secret, now });
        expect([isAuthentic, isInTime]).toEqual([true, true]);
        expect(typeof verified.data.reference).toBe('string');
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error;
        if (isAuthentic) expect(error.reason).not.toMatch(/^(malformed_signature|signature_mismatch)$/);
        expect(inspect(error)).not.toContain(secret);
      }
    }),
    { numRuns: numRuns * 3 },
  );
});

it('a receiver responds to any delivery, handles nothing forged, and shows no secret', async () => {
  let handled = 0;
  const lines: string[] = [];
  const log = (line: string, fields: object) => void lines.push(line, JSON.stringify(fields) ?? '');
  const handler = createWebhookHandler({
    secret,
    now: () => now,
    dedupe: false,
    logger: { info: log, warn: log, error: log },
    on: {
      'transaction.completed': () => {
        handled += 1;
        if (handled % 3 === 0) throw new Error(`cannot with ${secret}`);
      },
    },
  });
  const method = fc.constantFrom('POST', 'POST', 'POST', 'GET', '');
  await fc.assert(
    fc.asyncProperty(delivery, method, async ({ body, headers, isAuthentic }, method) => {
      const before = handled;
      const { status } = await handler.receive({ method, headers, body });
      expect([200, 400, 401, 405, 413, 500]).toContain(status);
      if (handled > before) expect(isAuthentic).toBe(true);
      expect(lines.filter((line) => line.includes(secret))).toEqual([]);
      lines.length = 0;
    }),
    { numRuns: numRuns * 2 },
  );
});
