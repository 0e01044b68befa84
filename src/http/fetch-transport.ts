import { onAbort } from '../utils/on-abort.js';
import { attemptOf } from './attempt-key.js';
import { provesNoConnection } from './network-failure.js';
import { isRedirect } from './outcome.js';
import { readBody } from './read-body.js';
import { isRuntimeFetch } from './runtime-fetch.js';
import type {
  Transport,
  TransportBounds,
  TransportFailure,
  TransportOutcome,
  TransportRequest,
  TransportResponse,
} from './transport.js';

/** Sends over `fetch`: the caller's, or the global one. */
export function fetchTransport(fetch: typeof globalThis.fetch | undefined): Transport {
  return attemptOf(fetch) ?? ((request, bounds) => attemptByFetch(request, fetch, bounds));
}

/** What has come of an answer so far. */
interface Seen {
  /** An error status is an answer, even when its body never ends. */
  refusal?: TransportResponse;
}

/** One promise for everything that may end it: thousands of calls may be in flight, and each promise and closure counts. */
const attemptByFetch = (
  request: TransportRequest,
  fetch: typeof globalThis.fetch | undefined,
  { signal, timeoutMs }: TransportBounds,
) =>
  new Promise<TransportOutcome>((resolve) => {
    const controller = new AbortController();
    const seen: Seen = {};
    const end = (outcome: TransportOutcome) => {
      clearTimeout(timer);
      stopListening();
      resolve(outcome);
    };
    // Ends at once, because a caller's own fetch need not listen to its signal.
    const interrupt = (outcome: TransportOutcome) => {
      end(outcome);
      controller.abort();
    };
    const timer = setTimeout(
      () => interrupt(seen.refusal ?? { kind: 'failure', why: 'timeout', mayHaveArrived: true }),
      timeoutMs,
    );
    const stopListening = onAbort(signal, () =>
      interrupt({ kind: 'failure', why: 'aborted', mayHaveArrived: true }),
    );
    // Looked up at each call, so that tools which replace the global fetch are seen.
    const send = fetch ?? globalThis.fetch;
    exchange(request, send, controller.signal, seen).then(end, (error) =>
      end(connectionFailed(error, fetch === undefined && isRuntimeFetch(send))),
    );
  });

/** Rejects with whatever the transport threw, or threw over: a caller's own fetch may give anything. */
async function exchange(
  request: TransportRequest,
  send: typeof globalThis.fetch,
  signal: AbortSignal,
  seen: Seen,
): Promise<TransportOutcome> {
  const response = await sendOnce(request, send, signal);
  if (!isResponse(response)) throw new TypeError('fetch gave something that is not a Response');
  if (response.status >= 400) seen.refusal = responseOf(response, '');
  if (response.type === 'opaqueredirect' || isRedirect(response.status)) {
    response.body?.cancel().catch(() => {});
    return responseOf(response, '');
  }
  const { text, bodyFailure } = await readBody(response);
  return { ...responseOf(response, text), ...(bodyFailure && { bodyFailure }) };
}

/** One fetch of the kept bytes. Redirects are answers here: followed, they would carry the key to another origin. */
function sendOnce(
  { method, url, headers, body }: TransportRequest,
  send: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<Response> {
  const init: RequestInit = { method, headers, redirect: 'manual', signal };
  if (body) init.body = body;
  return send(url, init);
}

const connectionFailed = (cause: unknown, isOwn: boolean): TransportFailure => ({
  kind: 'failure',
  why: 'connection',
  mayHaveArrived: !(isOwn && provesNoConnection(cause)),
  cause,
});

/** By what it can do: a caller's own fetch may bring a Response of its own, or none. */
const isResponse = (given: Partial<Response> | undefined): boolean =>
  Number.isInteger(given?.status) && typeof given?.headers?.get === 'function';

function responseOf({ status, statusText, headers }: Response, text: string): TransportResponse {
  return { kind: 'response', status, statusText, headers, text };
}
