import { type Answer, bodyText, isBodiless } from './answers.js';
import type { Exchange } from './call.js';
import type { Outcome } from './service.js';

/** Requests and answers of the web standard, in process. */

/** The address of callers in process. */
const inProcessAddress = '127.0.0.1';

const targetOf = (address: string | URL): Pick<Exchange, 'path' | 'query'> => {
  const url = new URL(address);
  return { path: url.pathname, query: Object.fromEntries([...url.searchParams].reverse()) };
};

/** A request as `fetch` takes it: what to serve, and the signal that gives it up. */
export interface Incoming {
  readonly exchange: Exchange | Promise<Exchange>;
  readonly signal: AbortSignal | null | undefined;
}

/** Reads the arguments of a `fetch`. A `Request` costs more than all else here, so none is made without need. */
export function incoming(input: Request | string | URL, init: RequestInit | undefined): Incoming {
  const body = init?.body ?? '';
  if (!(input instanceof Request) && typeof body === 'string') {
    const exchange = {
      method: (init?.method ?? 'GET').toUpperCase(),
      ...targetOf(input),
      headers: Object.fromEntries(new Headers(init?.headers)),
      body,
      ip: inProcessAddress,
    };
    return { exchange, signal: init?.signal };
  }
  const request = input instanceof Request && init === undefined ? input : new Request(input, init);
  return { exchange: exchangeOf(request), signal: request.signal };
}

async function exchangeOf(request: Request): Promise<Exchange> {
  return {
    method: request.method,
    ...targetOf(request.url),
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? '' : await request.text(),
    ip: inProcessAddress,
  };
}

/** What `fetch` throws when a connection does not hold. */
export function connectionFailure(code: 'ECONNRESET' | 'ECONNREFUSED', message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
}

const closedByPeer = () => connectionFailure('ECONNRESET', 'the connection closed before an answer came');

export function responseOf(outcome: Outcome): Response {
  switch (outcome.kind) {
    case 'answer':
      return whole(outcome.answer);
    case 'cut':
      return cut(outcome.answer, outcome.bytes);
    case 'closed':
      throw closedByPeer();
  }
}

const whole = (answer: Answer): Response =>
  new Response(isBodiless(answer.status) ? null : bodyText(answer), {
    status: answer.status,
    headers: answer.headers,
  });

/** A body that breaks off, as it does when the socket closes before `Content-Length` bytes came. */
function cut(answer: Answer, bytes: number): Response {
  const body = new TextEncoder().encode(bodyText(answer));
  let sent = false;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent || bytes === 0) return controller.error(closedByPeer());
      sent = true;
      controller.enqueue(body.slice(0, bytes));
    },
  });
  return new Response(stream, {
    status: answer.status,
    headers: { ...answer.headers, 'content-length': String(body.length) },
  });
}

/** A caller that gives up hears so at once; the service works on, as it would. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
