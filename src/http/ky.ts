import ky, { TimeoutError } from 'ky';
import { onAbort, unlessAborted } from '../utils/wait.js';
import {
  failure,
  isRedirect,
  maximumBodyBytes,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';
import { isNodeFetch, watchWire } from './wire-evidence.js';

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
    const wire = fetch ? undefined : watchWire(url);
    // Not the caller's own signal: on Node 20 each call would leave some bytes on it.
    const controller = signal && new AbortController();
    const stopListening = onAbort(signal, () => controller?.abort());
    try {
      await client(url.slice(baseUrl.length), {
        timeout: timeoutMs,
        ...(controller && { signal: controller.signal }),
        // ky passes a Request, of which its address and its signal are used: method, headers and body would be copied several times.
        fetch: (prepared) =>
          // A caller's `fetch` need not listen to its signal.
          unlessAborted(
            exchange(prepared as Request, request, send, progress, !fetch && isNodeFetch),
            controller?.signal,
          ),
      });
      return progress.response ?? failure('connection', true);
    } catch (error) {
      const { isSent, response, refusal, thrown } = progress;
      if (response && !response.bodyFailure) return response;
      if (signal?.aborted) return failure('aborted', isSent);
      // Not examined when it comes from `fetch`: such an error may be anything, even something that throws when it is examined.
      if (error !== thrown?.error && error instanceof TimeoutError) {
        return refusal ?? failure('timeout', isSent);
      }
      const cause = thrown ? thrown.error : error;
      return failure('connection', isSent && !wire?.provesUnsent(cause), cause);
    } finally {
      stopListening();
      wire?.end();
    }
  };
}

/** Sends the request to the address that ky built, under its signal, and reads the response. */
async function exchange(
  { url, signal }: Request,
  { method, headers: given, body }: TransportRequest,
  send: typeof globalThis.fetch,
  progress: Progress,
  asStream: boolean,
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
      ...(body && (asStream ? streamOf(body, headers) : { body })),
    });
    // By what it can do: a caller's `fetch` may resolve to a Response of another make, or to none.
    if (!Number.isInteger(response?.status) || typeof response.headers?.get !== 'function')
      throw new TypeError('fetch resolved to something that is not a Response');
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
 * The body for the `fetch` of Node, which sends a POST a second time when the response is a 421 and it can read the body again: what became of
 * the first request would then be unknown. Without credentials, of which there are none, because some versions make a network error
 * of a 401 to a stream.
 */
function streamOf(body: string, headers: Headers): RequestInit {
  const bytes = encoder.encode(body);
  // Without it, the body would be sent in chunks.
  headers.set('content-length', String(bytes.byteLength));
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  return Object.assign({ body: stream, credentials: 'omit' as const }, { duplex: 'half' });
}

const encoder = new TextEncoder();

/** A body, as far as it came. */
type BodyText = Pick<TransportResponse, 'text' | 'bodyFailure'>;

/** Reads a body to its end, to the cap, or to where it breaks off; never throws. */
export async function readBody(response: Response, cap = maximumBodyBytes): Promise<BodyText> {
  if (response.body === null) return { text: '' };
  const { headers } = response;
  const length = headers.get('content-length');
  // The announced length can be relied on; that of a compressed body says nothing about its text.
  if (length !== null && Number(length) <= cap && !headers.has('content-encoding')) {
    // One native read is several times cheaper than reading a stream chunk by chunk.
    try {
      return { text: await response.text() };
    } catch (cause) {
      return { text: '', bodyFailure: { why: 'incomplete', cause } };
    }
  }
  return readCapped(response.body, cap);
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
