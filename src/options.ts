import type { BillPayError } from './errors/base.js';

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
  /** ms that it waited before it was sent, until the rate limits allowed it; only with `pacing`. */
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
  /** Ends the call at once, waits included. The outcome of a purchase that was under way is then unknown, not failed. Default: none. */
  signal?: AbortSignal | undefined;
  /** ms for one attempt, reading the body included. Default: the client's `timeout`, which is 30,000 unless it was set. */
  timeout?: number | undefined;
  /** ms for the whole call, attempts and waits together. Default: the client's `totalTimeout`, which is 120,000 unless it was set. */
  totalTimeout?: number | undefined;
  /** How often a failed attempt may be repeated; 0 for never. Default: the client's `maxRetries`, which is 4 unless it was set. */
  maxRetries?: number | undefined;
  /** Extra request headers, or a function that is called before each attempt and returns them. They win over the client's. Default: none. */
  headers?: HeadersOption | undefined;
}

/** Options for one purchase. */
export interface PurchaseOptions extends CallOptions {
  /**
   * Set to `true` where an earlier call under this `idempotency_key` may have charged (`mayHaveCharged` was true, or the process died during the
   * call). Only a success clears that: `mayHaveCharged` stays true through every refusal of this call. Needs the
   * `idempotency_key` of the earlier call. Default false.
   */
  resume?: boolean | undefined;
}

/** Called once after each attempt; see `onAttempt` of the client. */
export type OnAttempt = (record: AttemptRecord) => void;

/** Called once for each call; see `onCall` of the client. */
export type OnCall = (record: CallRecord) => void;

/** Called around each call; see `aroundCall` of the client. */
export type AroundCall = (call: CallInfo, next: () => Promise<CallRecord>) => unknown;
