import type { Purchase } from '../contract/responses.js';
import type { PurchaseDifference } from '../errors/response-errors.js';
import type { Redactor } from '../redaction/redactor.js';
import type { AttemptOutcome, CallKind } from './outcome.js';

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
  readonly problem: string | undefined;
  /** A purchase that was accepted, although its response was refused for its form. */
  readonly purchase?: Purchase | undefined;
  /** The fields in which `purchase` is clearly another one than was asked for. */
  readonly differences?: readonly PurchaseDifference[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The option `timeout` of the call, in ms. */
  readonly timeoutMs: number;
  /** Set where the time of the whole call ran out, in ms. */
  readonly totalTimeoutMs: number | undefined;
}
