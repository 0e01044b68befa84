import { BillPay, type BillPayOptions } from '../../src/index.js';
import * as envelopes from './envelopes.js';

export { airtime } from './envelopes.js';

/** A request that a scripted fetch received. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** The bytes of the body, text included; undefined where there was no body. */
  readonly bytes: Uint8Array | undefined;
  readonly redirect: RequestRedirect | undefined;
  readonly signal: AbortSignal;
  /** When it was received, by `performance`, in ms. */
  readonly at: number;
}

/** The response of a scripted fetch to one request. */
export type Step = (sent: Sent) => Response | Promise<Response>;

/** A fetch that takes one step for each request; a request beyond the last step fails. */
export function script(...steps: readonly Step[]) {
  const sent: Sent[] = [];
  const fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const { body, method = 'GET', headers, redirect, signal } = init;
    const request: Sent = {
      method,
      url: String(input),
      headers: new Headers(headers),
      bytes: bytesOf(body),
      redirect,
      signal: signal ?? new AbortController().signal,
      at: performance.now(),
    };
    sent.push(request);
    const step = steps[sent.length - 1];
    if (!step) throw new Error(`request ${sent.length} was not expected`);
    return step(request);
  };
  return {
    fetch,
    sent,
    /** ms between requests. */
    waits: () => sent.slice(1).map(({ at }, n) => at - (sent[n]?.at ?? 0)),
  };
}

/** A client with credentials and without log lines. */
export const clientWithin = (options: BillPayOptions = {}): BillPay =>
  new BillPay({
    apiKey: 'sk_test_4f9c1d7e',
    clientId: 'client-1',
    baseUrl: 'https://service.test/api/v1',
    logLevel: 'off',
    ...options,
  });

/** A client that uses the given fetch. */
export const clientWith = (fetch: typeof globalThis.fetch, options: BillPayOptions = {}): BillPay =>
  clientWithin({ fetch, ...options });

/** A client of the service at this address; without retries, so that a test sees one attempt. */
export const clientAt = (baseUrl: string, options: BillPayOptions = {}): BillPay =>
  clientWithin({ baseUrl, maxRetries: 0, ...options });

/** A logger that keeps its lines. */
export function keptLines() {
  const lines: [level: string, message: string, fields: object][] = [];
  const at = (level: string) => (message: string, fields: object) =>
    void lines.push([level, message, fields]);
  return {
    lines,
    messages: () => lines.map(([, message]) => message),
    logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
  };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  () =>
    Response.json(body, { status, headers });

/** An accepted airtime purchase, as `airtime` asks for it. */
export const accepted = (data: object = {}): Step => json(202, envelopes.acceptance(data));

export const catalogue: Step = json(200, envelopes.catalogue());

export const subscribed: Step = json(200, envelopes.subscription());

/** A status lookup. */
export const transaction = (status: string, data: object = {}): Step =>
  json(200, envelopes.transaction(status, data));

/** An error in the service's own envelope. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Step =>
  json(status, envelopes.refusal(code), headers);

/** A page from a proxy between the client and the service. */
export const page =
  (status: number, headers: Record<string, string> = {}): Step =>
  () =>
    new Response('<html>Bad gateway</html>', {
      status,
      headers: { 'content-type': 'text/html', ...headers },
    });

const transportError = (code: string, syscall: string) => () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code, syscall }) });
};

/** The connection is refused. */
export const refused: Step = transportError('ECONNREFUSED', 'connect');

/** The connection is reset at an unknown time. */
export const reset: Step = transportError('ECONNRESET', 'read');

/** Never responds; rejects when its signal aborts, as fetch does. */
export const silent: Step = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** Never responds and ignores its signal. */
export const deaf: Step = () => new Promise(() => {});

/** Headers and the beginning of a body; then the connection breaks. */
export const cut =
  (status: number, beginning = '{"status":"pen'): Step =>
  () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(beginning));
        },
        pull(controller) {
          controller.error(new TypeError('terminated'));
        },
      }),
      { status, headers: { 'content-type': 'application/json' } },
    );

/** Headers, and a body that never ends. */
export const endless =
  (status: number, headers: Record<string, string> = {}): Step =>
  ({ signal }) =>
    new Response(
      new ReadableStream({
        start(controller) {
          signal.addEventListener('abort', () => controller.error(signal.reason), { once: true });
        },
      }),
      { status, headers },
    );

function bytesOf(body: RequestInit['body']): Uint8Array | undefined {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? Uint8Array.from(body) : undefined;
}
