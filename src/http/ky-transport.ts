// biome-ignore-start assist/source/organizeImports: connection-proof looks at the runtime before ky uses it.
import { isOwnFetch, provesNoConnection, repeatsAfter421 } from './connection-proof.js';
// biome-ignore-end assist/source/organizeImports: the others are in order.
import ky, { TimeoutError } from 'ky';
import { onAbort } from '../utils/on-abort.js';
import {
  failure,
  isRedirect,
  maximumBodyBytes,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

/** Options of `kyTransport`. */
export interface KyTransportOptions {
  /** Every request goes below this address. */
  readonly baseUrl: string;
  /** The caller's own; undefined for the global one, looked up at each attempt, so that tools which replace it are seen. */
  readonly fetch: typeof globalThis.fetch | undefined;
}

/** How far an attempt came. */
interface Progress {
  /** Whether the request was handed to `fetch`. */
  isSent: boolean;
  /** The head of an error status: a response, even when its body never ends. */
  refusal?: TransportResponse;
  /** The response, its body read. */
  response?: TransportResponse;
  /** What `fetch` threw, whatever ky makes of it. */
  thrown?: { readonly error: unknown };
}

/**
 * The default transport: ky over `fetch`. ky builds the address and bounds the attempt, the reading of the body included. Everything else of it
 * stays off: retries and decisions are the client's, hooks could print or redirect the API key, and its errors hold the request.
 */
export function kyTransport({ baseUrl, fetch }: KyTransportOptions): Transport {
  const client = ky.create({
    prefix: baseUrl,
    retry: 0,
    throwHttpErrors: false,
  });
  return async (request, { timeoutMs, signal }) => {
    const { url } = request;
    const send = fetch ?? globalThis.fetch;
    const progress: Progress = { isSent: false };
    // Not the caller's own signal: on Node 20 each call would leave some bytes on it.
    const controller = signal && new AbortController();
    const stopListening = onAbort(signal, () => controller?.abort());
    try {
      await client(url.slice(baseUrl.length), {
        timeout: timeoutMs,
        ...(controller && { signal: controller.signal }),
        // ky passes a Request, of which its address and its signal are used: method, headers and body would be copied several times.
        fetch: (prepared) =>
          unlessAborted(controller?.signal, () => exchange(prepared as Request, request, send, progress)),
      });
      return progress.response ?? failure('connection', true);
    } catch (error) {
      const { isSent, response, refusal, thrown } = progress;
      if (response && !response.bodyFailure) return response;
      if (signal?.aborted) return failure('aborted', isSent);
      // Not looked at when it comes from `fetch`: such an error may be anything, even something that throws when it is looked at.
      if (error !== thrown?.error && error instanceof TimeoutError) {
        return refusal ?? failure('timeout', isSent);
      }
      const cause = thrown ? thrown.error : error;
      const isProof = fetch === undefined && isOwnFetch(send) && provesNoConnection(cause);
      return failure('connection', isSent && !isProof, cause);
    } finally {
      stopListening();
    }
  };
}

/** Sends the request to the address that ky built, under its signal, and reads the response. */
async function exchange(
  { url, signal }: Request,
  { method, headers: given, body }: TransportRequest,
  send: typeof globalThis.fetch,
  progress: Progress,
): Promise<Response> {
  try {
    signal.throwIfAborted();
    const headers = new Headers(given);
    progress.isSent = true;
    const response = await send(url, {
      method,
      headers,
      signal,
      redirect: 'manual',
      ...(body && bodyFor(send, body, headers)),
    });
    if (!isResponse(response)) throw new TypeError('fetch resolved to something that is not a Response');
    const { status, statusText } = response;
    const head = { kind: 'response', status, statusText, headers: response.headers, text: '' } as const;
    if (response.type === 'opaqueredirect' || isRedirect(status)) {
      response.body?.cancel().catch(() => {});
      progress.response = head;
      return response;
    }
    if (status >= 400) progress.refusal = head;
    progress.response = { ...head, ...(await readBody(response)) };
    return response;
  } catch (error) {
    progress.thrown = { error };
    throw error;
  }
}

/**
 * The body for a `fetch`: the text, or for Node's own a stream, because with a body that it can read again Node sends a POST a second time
 * when the response is a 421. What became of the first request would then be unknown, whatever the second one brought.
 */
function bodyFor(send: typeof globalThis.fetch, body: string, headers: Headers): RequestInit {
  if (!repeatsAfter421(send)) return { body };
  const bytes = encoder.encode(body);
  // Without it, the body would be sent in chunks.
  headers.set('content-length', String(bytes.byteLength));
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  return Object.assign({ body: stream }, { duplex: 'half' });
}

const encoder = new TextEncoder();

/** By what it can do: a caller's `fetch` may resolve to a Response of another make, or to none. */
const isResponse = (given: Partial<Response> | undefined): boolean =>
  Number.isInteger(given?.status) && typeof given?.headers?.get === 'function';

/** Settles like the promise, or rejects as soon as the signal aborts: a caller's `fetch` need not listen to its signal. */
function unlessAborted<T>(signal: AbortSignal | undefined, start: () => Promise<T>): Promise<T> {
  if (!signal) return start();
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, () => reject(new Error('the attempt was aborted')));
    start().then(resolve, reject).finally(stopListening);
  });
}

/** A body, as far as it came. */
type BodyText = Pick<TransportResponse, 'text' | 'bodyFailure'>;

/** Reads a body to its end, to the cap, or to where it breaks off; never throws. */
export async function readBody(response: Response, cap = maximumBodyBytes): Promise<BodyText> {
  if (response.body === null) return { text: '' };
  if (isSmall(response.headers, cap)) {
    // One native read is several times cheaper than reading a stream chunk by chunk.
    try {
      return { text: await response.text() };
    } catch (cause) {
      return { text: '', bodyFailure: { why: 'incomplete', cause } };
    }
  }
  return readCapped(response.body, cap);
}

/** Whether the announced length can be relied on; that of a compressed body says nothing about its text. */
function isSmall(headers: Headers, cap: number): boolean {
  const length = headers.get('content-length');
  return length !== null && Number(length) <= cap && !headers.has('content-encoding');
}

async function readCapped(body: ReadableStream<Uint8Array>, cap: number): Promise<BodyText> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { text: text + decoder.decode() };
      bytes += value.byteLength;
      if (bytes > cap) {
        reader.cancel().catch(() => {});
        return { text, bodyFailure: { why: 'too-large' } };
      }
      text += decoder.decode(value, { stream: true });
    }
  } catch (cause) {
    return { text, bodyFailure: { why: 'incomplete', cause } };
  }
}
