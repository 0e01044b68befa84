import { type HttpRequest, targetOf } from '../rules/parse-request.js';
import { bodyText, type HttpResponse, isBodiless } from '../rules/responses.js';
import type { ServedResponse } from '../rules/serve.js';

/** Requests and responses of the web standard, in process. */

/** The address of callers in process. */
const inProcessAddress = '127.0.0.1';

/** A request given to `fetch`, with the signal that aborts it. */
export interface FetchArguments {
  readonly request: HttpRequest | Promise<HttpRequest>;
  readonly signal: AbortSignal | null | undefined;
}

/** Reads the arguments of a `fetch`. A `Request` costs more than all else here, so none is made without need. */
export function readFetchArguments(
  input: Request | string | URL,
  init: RequestInit | undefined,
): FetchArguments {
  const body = init?.body ?? '';
  if (!(input instanceof Request) && typeof body === 'string') {
    const httpRequest = {
      method: (init?.method ?? 'GET').toUpperCase(),
      ...targetOf(new URL(input)),
      headers: Object.fromEntries(new Headers(init?.headers)),
      body,
      ip: inProcessAddress,
    };
    return { request: httpRequest, signal: init?.signal };
  }
  const request = input instanceof Request && init === undefined ? input : new Request(input, init);
  return { request: toHttpRequest(request), signal: request.signal };
}

async function toHttpRequest(request: Request): Promise<HttpRequest> {
  return {
    method: request.method,
    ...targetOf(new URL(request.url)),
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? '' : await request.text(),
    ip: inProcessAddress,
  };
}

/** What `fetch` throws when a connection does not hold. */
export function connectionFailure(code: 'ECONNRESET' | 'ECONNREFUSED', message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
}

const closedByPeer = () => connectionFailure('ECONNRESET', 'the connection closed before a response came');

export function responseOf(served: ServedResponse): Response {
  switch (served.kind) {
    case 'complete':
      return completeResponse(served.response);
    case 'cut':
      return cutResponse(served.response, served.bytes);
    case 'closed':
      throw closedByPeer();
  }
}

const completeResponse = (response: HttpResponse): Response =>
  new Response(isBodiless(response.status) ? null : bodyText(response), {
    status: response.status,
    headers: response.headers,
  });

/** A body that breaks off, as it does when the socket closes before `Content-Length` bytes came. */
function cutResponse(response: HttpResponse, bytes: number): Response {
  const body = new TextEncoder().encode(bodyText(response));
  let sent = false;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent || bytes === 0) return controller.error(closedByPeer());
      sent = true;
      controller.enqueue(body.slice(0, bytes));
    },
  });
  return new Response(stream, {
    status: response.status,
    headers: { ...response.headers, 'content-length': String(body.length) },
  });
}
