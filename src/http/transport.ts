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
   * reported as not charged: no byte of the request was handed to a connection. When in doubt, true.
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
 *
 * const transport: Transport = async ({ method, url, headers, body }, { timeoutMs, signal }) => {
 *   const timeout = AbortSignal.timeout(timeoutMs);
 *   try {
 *     const response = await fetch(url, {
 *       method, headers, body: body ?? null, redirect: 'manual',
 *       signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
 *     });
 *     return { kind: 'response', status: response.status, headers: response.headers, text: await response.text() };
 *   } catch (cause) {
 *     const why = signal?.aborted ? 'aborted' : timeout.aborted ? 'timeout' : 'connection';
 *     return { kind: 'failure', why, mayHaveArrived: true, cause };
 *   }
 * };
 * const billpay = new BillPay({ transport });
 * ```
 */
export type Transport = (request: TransportRequest, bounds: TransportBounds) => Promise<TransportOutcome>;
