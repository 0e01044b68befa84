import { type HttpHandler, HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { handlers } from '../../examples/msw/handlers.js';
import { type OperationName, operations } from '../../src/contract/operations.js';
import { BillPay, type BillPayOptions } from '../../src/index.js';
import { acceptance, catalogue, confirmation, subscription, transaction } from './envelopes.js';

export const baseUrl = 'https://pay.example/api/v1';
export const secretKey = 'sk_test_4f9QxV2kLmN8';
export const publicKey = 'pk_test_7hTzR1wYbC3d';
export const clientId = 'client-041';

/** A request as the service receives it. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  /** The body's bytes as text; empty where there was none. */
  readonly body: string;
}

/** One response of the service: JSON unless `body` is a string. */
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const handlerOf = {
  GET: http.get,
  POST: http.post,
  PUT: http.put,
  PATCH: http.patch,
  DELETE: http.delete,
};

/** What a response is for: an operation, or any method and path. */
type Endpoint = OperationName | { readonly method: keyof typeof handlerOf; readonly path: string };

export interface Wire {
  /** Every request that reached the service in this test. */
  readonly sent: SentRequest[];
  /** Sets the response of an endpoint for the rest of the test. All others respond by the handlers of examples/msw. */
  respond(endpoint: Endpoint, reply: Reply): void;
}

const responseOf = ({ status = 200, body, headers = {} }: Reply): Response =>
  typeof body === 'string'
    ? new HttpResponse(body, { status, headers: { 'Content-Type': 'text/html', ...headers } })
    : body === undefined
      ? new HttpResponse(null, { status, headers })
      : HttpResponse.json(Object(body), { status, headers });

/** A service behind the global fetch that records what it gets; call once at the top of a test file. */
export function useWire(): Wire {
  const sent: SentRequest[] = [];
  const replies: HttpHandler[] = [];
  // It returns no response, so the next handler that matches does.
  const record = http.all('*', async ({ request }) => {
    sent.push({
      method: request.method,
      url: request.url,
      // The length frames the message: without a mock the runtime adds it.
      headers: Object.fromEntries([...request.headers].filter(([name]) => name !== 'content-length')),
      body: await request.clone().text(),
    });
  });
  const server = setupServer(record, ...handlers);
  beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
  afterEach(() => {
    sent.length = 0;
    replies.length = 0;
    server.resetHandlers(record, ...handlers);
  });
  afterAll(() => server.close());
  return {
    sent,
    respond(endpoint, reply) {
      const { method, path } = typeof endpoint === 'string' ? operations[endpoint] : endpoint;
      replies.unshift(handlerOf[method](`*${path}`, () => responseOf(reply)));
      server.resetHandlers(record, ...replies, ...handlers);
    },
  };
}

/** A client of that service; without retries, because most tests expect one request. */
export const clientOf = (options: BillPayOptions = {}): BillPay =>
  new BillPay({ apiKey: secretKey, clientId, baseUrl, maxRetries: 0, logLevel: 'off', ...options });

const reference = 'TXN-20260131-000001';
const created_at = '2026-01-31 09:30:00';
const settled_at = '2026-01-31 09:30:07';

/** Documented responses, complete in every field. */
export const valid = {
  purchase: acceptance({ reference, created_at }),
  catalogue: catalogue(
    { product_code: 'MTN-2GB-D', name: '2GB daily', amount: 750 },
    { product_code: 'MTN-1.8GB', name: '1.8GB 30 days', amount: 1500 },
  ),
  validate: confirmation(),
  meter: confirmation('4 Marina Road, Lagos'),
  transaction: transaction('success', {
    reference,
    amount: 5000,
    amount_charged: 5000,
    service_amount: 5000,
    commission: 100,
    commission_received: 100,
    service_type: 'ELECTRICITY',
    biller: 'IKEDC',
    network: 'IKEDC',
    token: '03600873271267716521',
    created_at,
    updated_at: settled_at,
    completed_at: settled_at,
  }),
  subscription: subscription({ url: 'https://shop.example/hooks', secret: 'whsec_m2pZr8TqYw' }),
};

/** The rejection of a call that must not succeed. */
export async function rejectionOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('the call was expected to be rejected');
}
