import { bodyText, type HttpResponse, isBodiless } from '../service/responses.js';

/** What `fetch` throws when a connection does not hold. */
export function connectionFailure(code: 'ECONNRESET' | 'ECONNREFUSED', message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
}

export const closedByPeer = (): TypeError =>
  connectionFailure('ECONNRESET', 'the connection closed before a response came');

/** A response of the service. Over a port it is written as it is: to make a whole `Response` takes a tenth as long as a purchase. */
export interface ServiceResponse extends HttpResponse {
  /** How many bytes of the body come before the connection breaks; undefined: all of it. */
  readonly bytes?: number | undefined;
}

/** A response as `fetch` has it. */
export function responseOf(response: ServiceResponse): Response {
  const { status, headers, bytes } = response;
  if (bytes !== undefined) return cutResponse(response, bytes);
  return new Response(isBodiless(status) ? null : bodyText(response), { status, headers });
}

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
  const headers = { ...response.headers, 'content-length': String(body.length) };
  return new Response(stream, { status: response.status, headers });
}
