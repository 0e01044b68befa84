import ky from 'ky';
import { safeCause } from '../errors/redact.js';
import { parseJson, readBody } from './body.js';
import { neverConnected } from './connection.js';
import type { Answer, NoAnswer, Outcome } from './outcome.js';

/** One HTTP request, ready to be sent as often as it takes: the bytes of a repeat are the same bytes. */
export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** What bounds one attempt. */
export interface AttemptBounds {
  readonly fetch: typeof globalThis.fetch | undefined;
  /** ms, reading the body included. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Sends a request once and tells how that ended; never throws. */
export async function attemptOnce(request: WireRequest, bounds: AttemptBounds): Promise<Outcome> {
  const { signal, timeoutMs } = bounds;
  const controller = new AbortController();
  const seen: { response?: Response } = {};
  let interrupt: (outcome: NoAnswer) => void = () => {};
  // Raced against the work, because a caller's own fetch need not listen to its signal.
  const interrupted = new Promise<NoAnswer>((resolve) => {
    interrupt = (outcome) => {
      resolve(outcome);
      controller.abort();
    };
  });
  const onAbort = () =>
    interrupt({ kind: 'no-answer', why: 'aborted', mayHaveArrived: true, cause: signal?.reason });
  const timer = setTimeout(
    () => interrupt({ kind: 'no-answer', why: 'timeout', mayHaveArrived: true }),
    timeoutMs,
  );
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const outcome = await Promise.race([
      exchange(request, bounds.fetch, controller.signal, seen),
      interrupted,
    ]);
    // An error status is an answer, even when its body never ends.
    return outcome.kind === 'no-answer' &&
      outcome.why === 'timeout' &&
      seen.response &&
      seen.response.status >= 400
      ? answerOf(seen.response, '')
      : outcome;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

async function exchange(
  request: WireRequest,
  customFetch: typeof globalThis.fetch | undefined,
  signal: AbortSignal,
  seen: { response?: Response },
): Promise<Outcome> {
  let response: Response;
  try {
    response = await send(request, customFetch, signal);
  } catch (error) {
    return connectionFailed(error);
  }
  seen.response = response;
  if (isRedirect(response)) {
    response.body?.cancel().catch(() => {});
    return {
      ...answerOf(response, ''),
      redirect: response.headers.get('location') ?? 'a place it does not name',
    };
  }
  const { text, broken } = await readBody(response);
  const answer = answerOf(response, text);
  if (!broken) return answer;
  const cause = safeCause(broken.cause);
  return { ...answer, broken: cause ? { why: broken.why, cause } : { why: broken.why } };
}

/**
 * ky gets the request without its body, and the closure sends the kept bytes: a body that travels through ky's Request
 * objects becomes a stream, which costs more than the rest of the call and could not be sent twice.
 */
function send(
  { method, url, headers, body }: WireRequest,
  customFetch: typeof globalThis.fetch | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const init: RequestInit = { method, headers, redirect: 'manual', signal };
  if (body) init.body = body;
  return ky(url, {
    method,
    headers,
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    redirect: 'manual',
    signal,
    // Looked up at each call, so that tools which replace the global fetch are seen.
    fetch: () => (customFetch ?? globalThis.fetch)(url, init),
  });
}

function connectionFailed(error: unknown): NoAnswer {
  // ky wraps what the transport threw in an error that carries the whole request, bearer key included.
  const thrown = error instanceof Error && error.name === 'NetworkError' && error.cause ? error.cause : error;
  const cause = safeCause(thrown);
  const outcome: NoAnswer = { kind: 'no-answer', why: 'connection', mayHaveArrived: !neverConnected(thrown) };
  return cause ? { ...outcome, cause } : outcome;
}

const isRedirect = (response: Response): boolean =>
  response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);

function answerOf(response: Response, text: string): Answer {
  const { status, statusText, url, headers } = response;
  return { kind: 'answer', status, statusText, url, headers, text, json: parseJson(text) };
}
