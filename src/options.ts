import type { BillPayError } from './errors/base.js';
import type { Transport } from './http/transport.js';
import type { Pacer } from './pacing/pacer.js';
import type { SharedPacing } from './pacing/shared-pacer.js';
import type { Logger, LogLevel } from './utils/logger.js';
import type { PinoLike } from './utils/logger-adapters.js';

export type { Logger, LogLevel } from './utils/logger.js';

/** What happened in one attempt, for `onAttempt`. */
export interface AttemptRecord {
  /** Such as `airtime.purchase`; `request` for `billpay.request()`. */
  readonly operation: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The HTTP method. */
  readonly method: string;
  /** Relative to the base address, without the query. */
  readonly path: string;
  /** The HTTP status; absent without a response. */
  readonly status?: number;
  /** The response's `code`. */
  readonly code?: string;
  /** ms that it waited for its turn before it was sent; only with `pacing`. */
  readonly waitedMs?: number;
  /** ms that the attempt took, reading the body included. */
  readonly durationMs: number;
  /** Whether another attempt follows. */
  readonly willRetry: boolean;
  /** ms until the next attempt. */
  readonly retryInMs?: number;
  /** The idempotency_key of the purchase. */
  readonly idempotencyKey?: string;
  /** The class name of the error that this attempt ended in. */
  readonly error?: string;
}

/** A call, for `aroundCall`. */
export interface CallInfo {
  /** Such as `airtime.purchase`; `request` for `billpay.request()`. */
  readonly operation: string;
  /** The client's base address, without a slash at its end. */
  readonly baseUrl: string;
  /** The idempotency_key of a purchase. */
  readonly idempotencyKey?: string;
}

/** How a call ended, for `onCall` and `aroundCall`. */
export interface CallRecord extends CallInfo {
  /** How many requests were sent; 0 for a call that was refused before. */
  readonly attempts: number;
  /** ms that the call took, attempts and waits together. */
  readonly durationMs: number;
  /** `success`; `failure`, with nothing charged; or `unknown`, a purchase that may have been charged. */
  readonly outcome: 'success' | 'failure' | 'unknown';
  /** The error that the call was rejected with. What it says about the money can no longer be changed. */
  readonly error?: BillPayError;
}

/** One attempt that is about to be sent, for a `headers` function. */
export interface AttemptInfo extends Omit<CallInfo, 'baseUrl'> {
  /** 1 for the first. */
  readonly attempt: number;
}

/** Headers, or a function that is called before each attempt and returns them, such as for trace headers. */
export type HeadersOption = Record<string, string> | ((attempt: AttemptInfo) => Record<string, string>);

/** Options for one call; they take precedence over the client's. */
export interface CallOptions {
  /** Ends the call at once, waits included. The outcome of a purchase that was under way is then unknown, not failed. */
  signal?: AbortSignal | undefined;
  /** ms for one attempt, reading the body included. Default 30,000. */
  timeout?: number | undefined;
  /** ms for the whole call, attempts and waits together. Default 120,000. */
  totalTimeout?: number | undefined;
  /** How often a failed attempt may be repeated. Default 4; 0 for never. */
  maxRetries?: number | undefined;
  /** Extra request headers, or a function that is called before each attempt and returns them. */
  headers?: HeadersOption | undefined;
}

/** Options for one purchase. */
export interface PurchaseOptions extends CallOptions {
  /**
   * Set to `true` where an earlier call under this `idempotency_key` ended in doubt (`mayHaveCharged` was true, or the process died during the
   * call). Only a success clears that doubt: `mayHaveCharged` stays true through every refusal of this call. Needs the
   * `idempotency_key` of the earlier call. Default false.
   */
  resume?: boolean | undefined;
}

/** Options for `new BillPay()`. */
export interface BillPayOptions {
  /** Secret (`sk_…`) or public (`pk_…`) key. Default: the environment's `BILLPAY_API_KEY`. */
  apiKey?: string | undefined;
  /** The account identifier issued at registration. Default: the environment's `BILLPAY_CLIENT_ID`. */
  clientId?: string | undefined;
  /** The base address with its version segment, such as `https://…/api/v1`. Default: the environment's `BILLPAY_BASE_URL`. */
  baseUrl?: string | undefined;
  /** ms for one attempt, reading the body included. Default 30,000. */
  timeout?: number | undefined;
  /** ms for the whole call, attempts and waits together. Default 120,000. */
  totalTimeout?: number | undefined;
  /** How often a failed attempt may be repeated. Default 4; 0 for never. */
  maxRetries?: number | undefined;
  /** Used instead of the global `fetch`, which is otherwise looked up at each call. Not together with `transport`. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * Sends the requests instead of the default transport, such as `nodeTransport()` of `billpay/node` or one of your own; see
   * `Transport`. Not together with `fetch`.
   */
  transport?: Transport | undefined;
  /**
   * Extra headers for every request, or a function that is called before each attempt and returns them, such as
   * `() => ({ traceparent: currentTrace() })`. A function that throws ends the call with a `ConfigurationError` before that attempt is sent.
   */
  headers?: HeadersOption | undefined;
  /**
   * Receives log lines as `(message, fields)`. Default `console`; consola and winston fit as they are. A pino instance is recognised and
   * gets `(fields, message)`. For other loggers of that order there is `pinoLogger(logger)`, for winston with other levels
   * `winstonLogger(logger)`. What a logger throws never affects a call.
   */
  logger?: Logger | PinoLike | undefined;
  /**
   * Default `warn`: only responses that differ from what is documented (each difference once a client), and input that looks wrong.
   * `info` adds failed attempts, `debug` every attempt.
   */
  logLevel?: LogLevel | undefined;
  /** Called once after each attempt. What it throws is logged and never affects the call. */
  onAttempt?: ((record: AttemptRecord) => void) | undefined;
  /** Called once for each call, when it has ended. What it throws is logged and never affects the call. */
  onCall?: ((record: CallRecord) => void) | undefined;
  /**
   * Called around each call, for tracing: `next()` starts the call within the context that is current at that moment, and resolves to
   * how it ended, also where it failed. It observes only: it cannot change, repeat or swallow a call. A call that `next` was not called for
   * synchronously starts all the same, what is returned is ignored, what is thrown is logged, and the call and its record are read-only.
   *
   * @example
   * ```ts
   * new BillPay({
   *   aroundCall: ({ operation }, next) =>
   *     tracer.startActiveSpan(`billpay ${operation}`, async (span) => {
   *       const { outcome, attempts } = await next();
   *       span.setAttributes({ outcome, attempts }).end();
   *     }),
   * });
   * ```
   */
  aroundCall?: ((call: CallInfo, next: () => Promise<CallRecord>) => unknown) | undefined;
  /**
   * Makes calls wait for their turn instead of running into the rate limits. `true` for the documented limits; the return value of
   * `createPacer`, shared by the clients of one key or address; or `{ purchases, requests }` limiters that many processes share. Default: off.
   */
  pacing?: boolean | Pacer | SharedPacing | undefined;
  /**
   * The longest wait before a retry, in ms, in the place of the built-in backoff (0.5 s, doubled with each attempt, up to 8 s): mainly for
   * tests, such as `() => 0`. The wait lies at random between half of it and the whole. A `Retry-After` of the service is still
   * respected. `attempt` is the number of the attempt that failed, 1 for the first.
   */
  retryDelay?: ((attempt: number) => number) | undefined;
  /** Throw `UnexpectedResponseError` when a response lacks or mistypes a documented field. Default false: log a warning. */
  strictResponses?: boolean | undefined;
  /** Allow http:// beyond loopback hosts. The key then travels in clear text. Default false. */
  allowInsecureHttp?: boolean | undefined;
  /** Allow a secret key in a browser, where every visitor can read it. Default false. */
  dangerouslyAllowBrowser?: boolean | undefined;
}
