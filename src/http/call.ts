import type { KeyKind } from '../contract/vocabulary.js';
import type { AroundCall, HeadersOption, Logger, LogLevel, OnAttempt, OnCall } from '../options.js';
import type { RequestPacer } from '../pacing/tickets.js';
import type { Redactor } from '../redaction.js';
import type { ExpectedResponse } from './response.js';
import type { CallKind } from './rules.js';
import type { Transport, TransportRequest } from './transport.js';

/** A client: its options after checks and defaults. */
export interface ClientConfig {
  /** Set where a key, an account or an address is missing: what each call is refused for. The three fields are then empty. */
  readonly missing?: MissingCredentials | undefined;
  readonly apiKey: string;
  readonly keyKind: KeyKind;
  /** Names the key without showing it: `the secret key of BILLPAY_API_KEY`. */
  readonly keyName: string;
  readonly clientId: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  readonly transport: Transport;
  readonly headers: HeadersOption;
  /** Writes lines of `logLevel` and above, without secrets, and never throws. */
  readonly logger: Logger;
  readonly logLevel: LogLevel;
  readonly onAttempt: OnAttempt | undefined;
  readonly onCall: OnCall | undefined;
  readonly aroundCall: AroundCall | undefined;
  readonly pacer: RequestPacer | undefined;
  readonly retryDelay: ((attempt: number) => number) | undefined;
  /** Knows the key, so that it is in nothing that is printed. */
  readonly redactor: Redactor;
  /** The warnings about responses that were given already: each is given once. */
  readonly warnings: Set<string>;
}

/** Credentials that were not there when a client was created. */
export interface MissingCredentials {
  readonly options: readonly [string, ...string[]];
  /** What is wrong and what to do. */
  readonly problem: string;
}

/** One call, checked and ready to be sent, with its own options or the client's. */
export interface Call {
  readonly operation: string;
  readonly kind: CallKind;
  /** Relative to the base address, without the query: for records and log lines. */
  readonly path: string;
  readonly request: TransportRequest;
  readonly idempotencyKey: string | undefined;
  /** The caller says that an earlier call under this key ended with `mayHaveCharged`. */
  readonly resume: boolean;
  readonly signal: AbortSignal | undefined;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  /** The client's and the call's headers where one of them is a function: the later ones win. Empty where the request is always the same. */
  readonly headers: readonly HeadersOption[];
  /** Masked in log lines. */
  readonly recipient: string | undefined;
  /** What a success must look like; undefined for `request()`, where any JSON is one. */
  readonly expected: ExpectedResponse | undefined;
}
