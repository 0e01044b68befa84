import { type Answer, bodyText } from './answers.js';
import type { Exchange } from './call.js';
import type { Outcome } from './service.js';

/** Requests and answers of the web standard, in process. */

/** The address of callers in process. */
const inProcessAddress = '127.0.0.1';

export async function exchangeOf(request: Request): Promise<Exchange> {
  const url = new URL(request.url);
  return {
    method: request.method,
    path: url.pathname,
    query: Object.fromEntries([...url.searchParams].reverse()),
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

/** Statuses whose answers must not have a body. */
const withoutBody = new Set([101, 103, 204, 205, 304]);

const whole = (answer: Answer): Response =>
  new Response(withoutBody.has(answer.status) ? null : bodyText(answer), {
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
