import type { Purchase, PurchaseDifference } from '../contract/responses.js';
import type { KeyKind } from '../contract/vocabulary.js';
import type { AroundCall, HeadersOption, Logger, LogLevel, OnAttempt, OnCall } from '../options.js';
import type { Pacer } from '../pacing/pacer.js';
import type { Redactor } from '../redaction/redactor.js';
import type { CallKind } from './proof.js';
import type { ExpectedResponse } from './response.js';
import type { AttemptOutcome, Transport, TransportRequest } from './transport.js';

/** Options of a client after checks and defaults. */
export interface ClientConfig {
  /** Set where a key, an account or an address is missing: what each call is refused for. The three fields are then empty. */
  readonly missing?: MissingCredentials | undefined;
  readonly apiKey: string;
  readonly keyKind: KeyKind;
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
  readonly pacer: Pick<Pacer, 'join' | 'pause'> | undefined;
  readonly retryDelay: ((attempt: number) => number) | undefined;
  readonly strictResponses: boolean;
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

/** One call's options after checks, the client's filled in. */
export interface ResolvedCallOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  /** The client's and the call's; the later ones win. */
  readonly headers: readonly HeadersOption[];
  /** The caller says that an earlier call under this key ended in doubt. */
  readonly resume: boolean;
}

/** One call, checked and ready to be sent. */
export interface PreparedCall {
  readonly operation: string;
  readonly kind: CallKind;
  /** Relative to the base address, without the query: for records and log lines. */
  readonly path: string;
  readonly request: TransportRequest;
  readonly idempotencyKey: string | undefined;
  readonly options: ResolvedCallOptions;
  /** The client's and the call's headers where one of them is a function: the later ones win. Empty where the request is always the same. */
  readonly headers: readonly HeadersOption[];
  /** Masked in log lines. */
  readonly recipient: string | undefined;
  /** What a success must look like; undefined for `request()`, where any JSON is one. */
  readonly expected: ExpectedResponse | undefined;
}

/** What is known of a call, whatever its attempts end in. */
export interface CallContext {
  readonly operation: string;
  readonly kind: CallKind;
  readonly baseUrl: string;
  readonly idempotencyKey: string | undefined;
  /** The caller says that an earlier call under this key ended in doubt. */
  readonly resume: boolean;
  /** Knows the client's key. */
  readonly redactor: Redactor;
}

/** Everything that the class, the fields and the message of an error are made from. */
export interface Failure extends CallContext {
  readonly outcome: AttemptOutcome;
  readonly attempts: number;
  /** Whether an attempt of this call may have charged. */
  readonly chargePossible: boolean;
  /** Why a 2xx could not be used. */
  readonly problem?: string | undefined;
  /** A purchase that was accepted, although its response was refused for its form. */
  readonly purchase?: Purchase | undefined;
  /** The reference that the response names instead of the one that was asked for. */
  readonly otherReference?: string | undefined;
  /** The fields in which `purchase` is clearly another one than was asked for. */
  readonly differences?: readonly PurchaseDifference[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The option `timeout` of the call, in ms. */
  readonly timeoutMs: number;
  /** Set where the time of the whole call ran out, in ms. */
  readonly totalTimeoutMs?: number | undefined;
}
