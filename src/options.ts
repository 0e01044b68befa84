import type { Pacer } from './pacing/pacer.js';
import type { SharedPacing } from './pacing/shared-pacer.js';

/** How much a client tells its logger. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

/** Where log lines go: `console`, pino, winston or anything of this shape. */
export interface Logger {
  /** Attempts that succeeded. */
  debug(message: string, fields: object): void;
  /** Attempts that failed, whether or not they are repeated. */
  info(message: string, fields: object): void;
  /** Answers that differ from what is documented. */
  warn(message: string, fields: object): void;
  /** Callbacks of yours that threw. */
  error(message: string, fields: object): void;
}

/** What `onAttempt` is told after each attempt. */
export interface AttemptRecord {
  /** Such as `airtime.purchase`; `request` for `billpay.request()`. */
  readonly operation: string;
  /** 1 for the first. */
  readonly attempt: number;
  readonly method: string;
  /** Relative to the base address, without the query. */
  readonly path: string;
  /** The HTTP status; absent without an answer. */
  readonly status?: number;
  /** The answer's code. */
  readonly code?: string;
  /** How long it waited for its turn before it was sent, in ms; only with `pacing`. */
  readonly waitedMs?: number;
  /** How long the attempt took, reading the body included, in ms. */
  readonly durationMs: number;
  /** Whether the call goes on. */
  readonly willRetry: boolean;
  /** The wait before the next attempt, in ms. */
  readonly retryInMs?: number;
  /** The purchase's key. */
  readonly idempotencyKey?: string;
  /** The class of the error that this attempt ended in. */
  readonly error?: string;
}

/** What may be told to one call, over what the client was told. */
export interface CallOptions {
  /** Ends the call at once, waits included. A purchase that was under way is then unknown, not failed. */
  signal?: AbortSignal | undefined;
  /** ms for one attempt, reading the body included. Default 30,000. */
  timeout?: number | undefined;
  /** ms for the whole call, attempts and waits together. Default 120,000. */
  totalTimeout?: number | undefined;
  /** How often a failed attempt may be repeated. Default 4; 0 for never. */
  maxRetries?: number | undefined;
  /** Extra request headers. */
  headers?: Record<string, string> | undefined;
}

/** What a client may be told. */
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
  /** Used instead of the global `fetch`, which is otherwise looked up at each call. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Extra headers for every request. */
  headers?: Record<string, string> | undefined;
  /** Default `console`. */
  logger?: Logger | undefined;
  /** Default `warn`: only what differs from the documents. `info` adds failed attempts, `debug` every attempt. */
  logLevel?: LogLevel | undefined;
  /** Called once after each attempt. One that throws never breaks a call. */
  onAttempt?: ((record: AttemptRecord) => void) | undefined;
  /**
   * Lets calls wait their turn instead of bouncing off the rate limits. `true` for the documented limits; what `createPacer` gives, shared
   * by the clients of one key or address; or `{ purchases, requests }` limiters that many processes share. Default: off.
   */
  pacing?: boolean | Pacer | SharedPacing | undefined;
  /** Throw `UnexpectedResponseError` where an answer lacks or mistypes a documented field. Default false: log a warning. */
  strictResponses?: boolean | undefined;
  /** Allow http:// beyond loopback hosts. The key then travels in clear text. Default false. */
  allowInsecureHttp?: boolean | undefined;
  /** Allow a secret key in a browser, where every visitor can read it. Default false. */
  dangerouslyAllowBrowser?: boolean | undefined;
}
