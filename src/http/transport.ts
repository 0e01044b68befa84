import { ConfigurationError } from '../errors/base.js';
import type { Redactor } from '../redaction.js';
import { parseJson } from '../utils/exact-json.js';
import { readProperty } from '../utils/unknown.js';
import { onAbort } from '../utils/wait.js';

/** One HTTP request, ready to be sent. Every retry of a call sends the same bytes. */
export interface TransportRequest {
  /** The HTTP method, `GET` or `POST` for documented calls. */
  readonly method: string;
  /** The full address, query included. */
  readonly url: string;
  /** Every header but those that frame the message, such as `content-length` and `host`. Holds the API key: keep it out of logs. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in UTF-8, unchanged; undefined for a request without a body. */
  readonly body: string | undefined;
}

/** The limits of one attempt. */
export interface TransportBounds {
  /** ms for the whole attempt, reading the response body included. */
  readonly timeoutMs: number;
  /** The caller's signal: when it aborts, the attempt ends at once. */
  readonly signal: AbortSignal | undefined;
}

/** Why a response body could not be read to its end. */
export interface BodyFailure {
  /** It broke off, is larger than 10 MiB, or is in an encoding that the transport cannot decode. */
  readonly why: 'incomplete' | 'too-large' | 'unsupported-encoding';
  /** What was thrown. */
  readonly cause?: unknown;
}

/** A response came, at least its status and headers. */
export interface TransportResponse {
  /** Tells it apart from a `TransportFailure`. */
  readonly kind: 'response';
  /** The HTTP status. 0 stands for a redirect that a browser does not show. */
  readonly status: number;
  /** Default: empty. */
  readonly statusText?: string;
  /** The response's headers. */
  readonly headers: Headers;
  /** The body as text, as far as it came. */
  readonly text: string;
  /** Why the body could not be read to its end; absent when it could. */
  readonly bodyFailure?: BodyFailure;
}

/** No response came. */
export interface TransportFailure {
  /** Tells it apart from a `TransportResponse`. */
  readonly kind: 'failure';
  /** `connection` also stands for everything that is neither a time-out nor an abort. */
  readonly why: 'connection' | 'timeout' | 'aborted';
  /**
   * Whether the service may have received the request. False only with proof, because a purchase that fails with false is
   * reported as not charged: no byte of the request was handed to a connection. Where that is not known, true.
   */
  readonly mayHaveArrived: boolean;
  /** The transport saw its connection and gave it no byte of the request: a retry may follow at once. */
  readonly unsent?: true;
  /** What was thrown; for an abort, the signal's reason. Errors carry a copy of its message, stack and system fields only. */
  readonly cause?: unknown;
}

/** How one attempt ended. */
export type TransportOutcome = TransportResponse | TransportFailure;

/**
 * Sends a request once and resolves to how that ended: with a response, whatever its status, or without one.
 *
 * A transport keeps the bounds that it is given, follows no redirects (they would carry the API key to another origin), never
 * repeats a request on its own, and decodes `content-encoding`. It resolves for everything that happens on the network; whatever
 * it throws counts as a failure after which the request may have arrived, except a `ConfigurationError`, which refuses a
 * request before anything is sent. Retries, pacing, errors and log lines are the client's work.
 *
 * @example
 * ```ts
 * import { BillPay, type Transport } from 'billpay';
 * import { nodeTransport } from 'billpay/node';
 *
 * const send = nodeTransport();
 * const transport: Transport = async (request, bounds) => {
 *   const outcome = await send(request, bounds);
 *   console.log(request.method, outcome.kind === 'response' ? outcome.status : outcome.why);
 *   return outcome;
 * };
 * const billpay = new BillPay({ transport });
 * ```
 */
export type Transport = (request: TransportRequest, bounds: TransportBounds) => Promise<TransportOutcome>;

/** A response with what the client derives from it. */
export interface ReceivedResponse extends Omit<TransportResponse, 'bodyFailure'> {
  readonly statusText: string;
  readonly url: string;
  /** The parsed body; undefined where it is not JSON. */
  readonly json: unknown;
  readonly bodyFailure?: BodyFailure | undefined;
  /** The target of a redirect. */
  readonly redirect?: string | undefined;
}

/** How one attempt ended. */
export type AttemptOutcome = ReceivedResponse | TransportFailure;

/** An attempt that ended without a response. */
export const failure = (
  why: TransportFailure['why'],
  mayHaveArrived: boolean,
  cause?: unknown,
): TransportFailure => ({ kind: 'failure', why, mayHaveArrived, cause });

/** A 3xx: followed, it would carry the key to another origin. */
export const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** The largest body that is read, in bytes: 10 MiB. */
export const maximumBodyBytes = 10 * 1024 * 1024;

/** How long a transport may take to report a time-out or an abort by itself, in ms. */
const graceMs = 100;

/**
 * Sends a request once, and derives from its response what the rest of the client needs. Every transport is guarded alike: whatever it
 * throws, and whatever it resolves to that is no outcome, is a failure after which the request may have arrived; and an attempt settles even
 * if the transport does not keep its bounds. Within these, the transport's own outcome is used, because it may know more than is known
 * without it. Causes are copied, because transports attach whole requests to their errors, API key included.
 *
 * @throws `ConfigurationError` of a transport that refuses the request before anything is sent.
 */
export async function sendOnce(
  transport: Transport,
  request: TransportRequest,
  bounds: TransportBounds,
  redactor: Redactor,
): Promise<AttemptOutcome> {
  const outcome = await guarded(transport, request, bounds);
  if (outcome.kind === 'response') return receivedResponse(outcome, request.url, redactor);
  if (outcome.why === 'aborted') return { ...outcome, cause: readProperty(bounds.signal, 'reason') };
  return { ...outcome, cause: redactor.cause(outcome.cause) };
}

const guarded = (
  transport: Transport,
  request: TransportRequest,
  bounds: TransportBounds,
): Promise<TransportOutcome> =>
  new Promise((resolve, reject) => {
    const end = (outcome: TransportOutcome) => {
      clearTimeout(timer);
      stopListening?.();
      resolve(checkedOutcome(outcome) ?? failure('connection', true, notAnOutcome()));
    };
    const fail = (error: unknown) => {
      if (error instanceof ConfigurationError) reject(error);
      end(failure('connection', true, error));
    };
    try {
      Promise.resolve(transport(request, bounds)).then(end).catch(fail);
    } catch (error) {
      // Nothing listens yet.
      queueMicrotask(() => fail(error));
    }
    // After the transport has begun: what that takes is no part of its own time-out.
    let timer = setTimeout(() => end(failure('timeout', true)), bounds.timeoutMs + graceMs);
    const stopListening =
      bounds.signal &&
      onAbort(bounds.signal, () => {
        clearTimeout(timer);
        timer = setTimeout(() => end(failure('aborted', true)), graceMs);
      });
  });

const notAnOutcome = () =>
  new TypeError('the transport resolved to something that is neither a response nor a failure');

/**
 * What a transport resolved to; undefined where that is no outcome. Callers write JavaScript, too: a status that is no number must not be taken for one
 * of the service's, and a word of their own for why it failed stands for a connection.
 */
function checkedOutcome(outcome: Partial<TransportOutcome> | undefined): TransportOutcome | undefined {
  if (outcome?.kind === 'failure') {
    const { why, mayHaveArrived } = outcome;
    if (typeof mayHaveArrived !== 'boolean' || typeof why !== 'string') return undefined;
    return { ...outcome, mayHaveArrived, why: knownReasons.includes(why) ? why : 'connection' };
  }
  const isResponse =
    outcome?.kind === 'response' &&
    Number.isInteger(outcome.status) &&
    typeof outcome.text === 'string' &&
    typeof outcome.headers?.get === 'function' &&
    usedHeaders.every((name) => typeof (outcome.headers?.get(name) ?? '') === 'string');
  return isResponse ? (outcome as TransportResponse) : undefined;
}

/** The headers of a response that the client reads. */
const usedHeaders = ['allow', 'content-type', 'location', 'retry-after'];

const knownReasons: readonly string[] = ['connection', 'timeout', 'aborted'];

function receivedResponse(response: TransportResponse, url: string, redactor: Redactor): ReceivedResponse {
  const { status, statusText = '', headers, text, bodyFailure } = response;
  return {
    kind: 'response',
    status,
    statusText,
    url,
    headers,
    text,
    json: parseJson(text),
    bodyFailure: bodyFailure && printable(bodyFailure, redactor),
    // Status 0 is a redirect that a browser does not show.
    redirect:
      isRedirect(status) || status === 0
        ? (headers.get('location') ?? 'a place it does not name')
        : undefined,
  };
}

function printable({ why, cause: thrown }: BodyFailure, redactor: Redactor): BodyFailure {
  const cause = redactor.cause(thrown);
  return cause ? { why, cause } : { why };
}
