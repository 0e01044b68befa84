import { type ErrorKind, errorResponses } from './error-responses.js';
import { type AnyBillPayError, isBillPayError } from './index.js';

/** What a worker does with a purchase that threw. */
export type NextStep =
  /**
   * Money may have moved: repeat the same call with the same key after `afterMs` ms, with `resume: true`. It charges at most once. This
   * comes before every other step: a doubtful purchase that gets a 401 is resumed too, as soon as the account is in order.
   */
  | { readonly action: 'resume'; readonly afterMs: number }
  /** Nothing was charged, and the purchase may succeed later: repeat the call after `afterMs` ms, preferably with the same key. */
  | { readonly action: 'retry'; readonly afterMs: number }
  /**
   * Nothing was charged, and the account (401, 402, 403) or an option of the client is at fault, not this order: every other purchase would
   * be refused as well. Keep the order, fund the wallet, correct the key or the option, then repeat the call with the same key.
   */
  | { readonly action: 'hold' }
  /**
   * The idempotency_key belongs to another purchase, so nobody can tell what this order bought. A person must look up the reference in
   * `error.purchase` before anything else happens. Never buy under another key before that.
   */
  | { readonly action: 'review' }
  /** Nothing was charged, and a repeat would be refused in the same way: something about this order must change first. */
  | { readonly action: 'stop' };

const second = 1000;

/**
 * Tells a worker of a queue what to do with an error: a pure function of the error's class and of `mayHaveCharged`. A value that is not
 * an error of this package says nothing about money, so its purchase is resumed: repeating it with the same key is always safe.
 *
 * @example
 * ```ts
 * const step = nextStep(error);
 * if (step.action === 'resume') await queue.later(order.id, step.afterMs, { resume: true }); // the key is order.id
 * if (step.action === 'retry') await queue.later(order.id, step.afterMs);
 * if (step.action === 'hold') await stopSelling('fund the wallet, or correct the key');
 * if (step.action === 'review') await askPerson(order.id, error);
 * if (step.action === 'stop') await refundCustomer(order.id);
 * ```
 */
export function nextStep(error: unknown): NextStep {
  if (!isBillPayError(error)) return { action: 'resume', afterMs: 30 * second };
  const kind = classify(error);
  if (kind === 'reused-key') return { action: 'review' };
  if (error.mayHaveCharged) return { action: 'resume', afterMs: resumeAfterMs(error) };
  const wait = retrySeconds[kind];
  if (wait !== undefined) return { action: 'retry', afterMs: retryAfterMs(error, wait) };
  return { action: concernsEverySale.includes(kind) ? 'hold' : 'stop' };
}

const concernsEverySale: readonly ErrorKind[] = ['wallet', 'access', 'configuration'];

/** Seconds after which a purchase is repeated, by the kind of its error. */
const retrySeconds: { readonly [Kind in ErrorKind]?: number } = {
  aborted: 0,
  'in-progress': 30,
  transient: 30,
};

/** The same, where one class of errors differs from its kind. */
const retrySecondsOf: Readonly<Record<string, number>> = {
  RateLimitError: 60,
  ProviderUnavailableError: 60,
  ConnectionError: 5,
  TimeoutError: 5,
};

function retryAfterMs(error: AnyBillPayError, seconds: number): number {
  const wait = error.name === 'RateLimitError' ? error.retryAfterSeconds : undefined;
  return (wait ?? retrySecondsOf[error.name] ?? seconds) * second;
}

function resumeAfterMs(error: AnyBillPayError): number {
  if (error.name === 'AlreadyProcessingError') return 2 * second;
  // The service's own Retry-After is a minimum, whatever the earlier attempts of the call ended in.
  return Math.max(30 * second, error.name === 'RateLimitError' ? retryAfterMs(error, 30) : 0);
}

/** What errors say that are not error responses. */
const otherKinds: Readonly<Record<string, ErrorKind>> = {
  AbortError: 'aborted',
  ConfigurationError: 'configuration',
  ConnectionError: 'transient',
  IdempotencyKeyReusedError: 'reused-key',
  RetryLaterError: 'transient',
  TimeoutError: 'transient',
  UnexpectedResponseError: 'transient',
};

/** Statuses without a class of their own. A proxy sends 408 and 425 for a request that came too slowly or too early. */
const kindByStatus: Readonly<Record<number, ErrorKind>> = {
  402: 'wallet',
  403: 'access',
  408: 'transient',
  425: 'transient',
};

/** Classifies any caught value. A pure function of the error's class and, for a plain `ApiError`, of its status. */
export function classify(error: unknown): ErrorKind {
  if (!isBillPayError(error)) return 'foreign';
  if (error.name === 'ApiError') return kindByStatus[error.status ?? 0] ?? 'rejected';
  const rows: Readonly<Record<string, { readonly kind: ErrorKind }>> = errorResponses;
  return rows[error.name]?.kind ?? otherKinds[error.name] ?? 'rejected';
}
