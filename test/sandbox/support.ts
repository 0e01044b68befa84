import type { IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.js';
import { serve } from '../support/serve.js';

/** The moment at which every sandbox of these tests begins. */
export const start = '2026-01-31T09:30:00.000Z';

/** A sandbox whose clock stands at `start`, closed after the test. */
export function sandboxAtStart(options: SandboxOptions = {}): Sandbox {
  const sandbox = createSandbox({
    clock: 'manual',
    startAt: start,
    seed: 'rules',
    fixtures: options.clients === undefined,
    ...options,
  });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

export interface Reply {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Who calls: the default client with its secret key, unless said otherwise. */
export interface As {
  clientId?: string;
  /** `public` for the public key of the client; undefined for none. */
  key?: string | undefined;
  headers?: Record<string, string>;
  prefix?: string;
}

/** A plain request; a JSON body gets the client_id, a GET gets it in the query. */
export async function call(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: Record<string, unknown>,
  as: As = {},
): Promise<Reply> {
  const clientId = as.clientId ?? sandbox.credentials.clientId;
  const { secretKey, publicKey } = sandbox.client(clientId);
  const key = as.key === 'public' ? publicKey : 'key' in as ? as.key : secretKey;
  const url = new URL(`https://service.example${as.prefix ?? '/api/v1'}${path}`);
  if (body === undefined && !url.searchParams.has('client_id')) url.searchParams.set('client_id', clientId);
  const response = await sandbox.fetch(
    new Request(url, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...as.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify({ client_id: clientId, ...body }) }),
    }),
  );
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

export const airtime = (key: string, fields: Record<string, unknown> = {}) => ({
  biller: 'MTN',
  recipient: '08031234567',
  amount: 500,
  idempotency_key: key,
  ...fields,
});

/** Buys airtime. */
export const buy = (sandbox: Sandbox, key: string, fields: Record<string, unknown> = {}, as: As = {}) =>
  call(sandbox, 'POST', '/airtime/purchase', airtime(key, fields), as);

/** The same, for the reference of the transaction. */
export const bought = async (sandbox: Sandbox, key: string, fields: Record<string, unknown> = {}) =>
  referenceOf(await buy(sandbox, key, fields));

/** Looks a transaction up. */
export const lookUp = (sandbox: Sandbox, reference: string, as: As = {}) =>
  call(sandbox, 'GET', `/transactions/status?reference=${reference}`, undefined, as);

/** The reference in the response to a purchase. */
export function referenceOf(reply: Reply): string {
  const reference = /"reference":"([^"]+)"/.exec(JSON.stringify(reply.body))?.[1];
  if (!reference) throw new Error(`no reference in ${reply.status} ${JSON.stringify(reply.body)}`);
  return reference;
}

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A webhook receiver on its own port; `state` may be changed between deliveries. */
export async function receiver() {
  const received: Received[] = [];
  const state = { status: 200, hang: false, gate: Promise.resolve(), open: 0 };
  const origin = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      if (state.hang) return;
      state.open += 1;
      await state.gate;
      state.open -= 1;
      if (state.status === 302) response.setHeader('location', '/elsewhere');
      response.writeHead(state.status);
      response.end('ok');
    });
  });
  return { url: `${origin}/hook`, received, state };
}
