import { safeCause } from '../errors/redact.js';
import { onAbort } from '../utils/on-abort.js';
import { neverConnected, wasUnsent } from './network-failure.js';
import {
  type AttemptOutcome,
  isRedirect,
  type ReceivedResponse,
  redirectTarget,
  type TransportFailure,
} from './outcome.js';
import { parseJson, readBody } from './read-body.js';
import { attemptOf } from './transport.js';

/** One HTTP request, ready to be sent as often as it takes: the bytes of a repeat are the same bytes. */
export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text takes no copy, and is the same bytes however often it is sent. */
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

/** What bounds one attempt. */
export interface AttemptBounds {
  readonly fetch: typeof globalThis.fetch | undefined;
  /** ms, reading the body included. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Sends a request once and tells how that ended. Rejects only where a transport refuses the request itself. */
export function attemptOnce(request: WireRequest, bounds: AttemptBounds): Promise<AttemptOutcome> {
  const attempt = attemptOf(bounds.fetch) ?? attemptByFetch;
  return attempt(request, bounds);
}

/** What has come of an answer so far. */
interface Seen {
  /** An error status is an answer, even when its body never ends. */
  refusal?: ReceivedResponse;
}

/** One promise for everything that may end it: thousands of calls may be in flight, and each promise and closure counts. */
const attemptByFetch = (request: WireRequest, { fetch, signal, timeoutMs }: AttemptBounds) =>
  new Promise<AttemptOutcome>((resolve) => {
    const controller = new AbortController();
    const seen: Seen = {};
    const end = (outcome: AttemptOutcome) => {
      clearTimeout(timer);
      stopListening();
      resolve(outcome);
    };
    // Ends at once, because a caller's own fetch need not listen to its signal.
    const interrupt = (outcome: AttemptOutcome) => {
      end(outcome);
      controller.abort();
    };
    const timer = setTimeout(
      () => interrupt(seen.refusal ?? { kind: 'no-answer', why: 'timeout', mayHaveArrived: true }),
      timeoutMs,
    );
    const stopListening = onAbort(signal, () =>
      interrupt({ kind: 'no-answer', why: 'aborted', mayHaveArrived: true, cause: signal?.reason }),
    );
    exchange(request, fetch, controller.signal, seen).then(end, (error) => end(connectionFailed(error)));
  });

/** Rejects with whatever the transport threw, or threw over: a caller's own fetch may give anything. */
async function exchange(
  request: WireRequest,
  customFetch: typeof globalThis.fetch | undefined,
  signal: AbortSignal,
  seen: Seen,
): Promise<AttemptOutcome> {
  const response = await sendOnce(request, customFetch, signal);
  if (!isResponse(response)) throw new TypeError('fetch gave something that is not a Response');
  if (response.status >= 400) seen.refusal = answerOf(response, '');
  if (response.type === 'opaqueredirect' || isRedirect(response.status)) {
    response.body?.cancel().catch(() => {});
    return { ...answerOf(response, ''), redirect: redirectTarget(response.headers.get('location')) };
  }
  const { text, broken } = await readBody(response);
  const answer = answerOf(response, text);
  if (!broken) return answer;
  const cause = safeCause(broken.cause);
  return { ...answer, broken: cause ? { why: broken.why, cause } : { why: broken.why } };
}

/** One fetch of the kept bytes. Redirects are answers here: followed, they would carry the key to another origin. */
function sendOnce(
  { method, url, headers, body }: WireRequest,
  customFetch: typeof globalThis.fetch | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const init: RequestInit = { method, headers, redirect: 'manual', signal };
  if (body) init.body = body;
  // Looked up at each call, so that tools which replace the global fetch are seen.
  return (customFetch ?? globalThis.fetch)(url, init);
}

function connectionFailed(error: unknown): TransportFailure {
  const cause = safeCause(error);
  return {
    kind: 'no-answer',
    why: 'connection',
    mayHaveArrived: !neverConnected(error),
    ...(wasUnsent(error) && { unsent: true }),
    ...(cause && { cause }),
  };
}

/** By what it can do: a caller's own fetch may bring a Response of its own, or none. */
const isResponse = (given: Partial<Response> | undefined): boolean =>
  typeof given?.status === 'number' && typeof given.headers?.get === 'function';

function answerOf(response: Response, text: string): ReceivedResponse {
  const { status, statusText, url, headers } = response;
  return { kind: 'answer', status, statusText, url, headers, text, json: parseJson(text) };
}
