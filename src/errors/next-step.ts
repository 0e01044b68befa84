import { rowOfClass } from './error-responses.js';
import { type AnyBillPayError, isBillPayError } from './index.js';

/** What a worker does with a purchase that threw. */
export type NextStep =
  /**
   * Money may have moved: repeat the same call with the same key after `afterMs` ms, with `resume: true`. It charges at most once. This
   * comes before every other step: a purchase that may have been charged and gets a 401 is resumed too, as soon as the account is in order.
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
   * The idempotency_key belongs to another purchase, so nobody can tell what this order bought. A person must check the reference in
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
  const step = stepIfUncharged(error);
  if (step.action === 'review' || !error.mayHaveCharged) return step;
  if (error.name === 'AlreadyProcessingError') return { action: 'resume', afterMs: 2 * second };
  // The service's own Retry-After is a minimum, whatever the earlier attempts of the call ended in.
  const limitMs = error.name === 'RateLimitError' && 'afterMs' in step ? step.afterMs : 0;
  return { action: 'resume', afterMs: Math.max(30 * second, limitMs) };
}

/** Errors that are no error responses: what to do, and after how many seconds. */
const otherSteps: Readonly<Record<string, NextStep>> = {
  AbortError: { action: 'retry', afterMs: 0 },
  ConfigurationError: { action: 'hold' },
  ConnectionError: { action: 'retry', afterMs: 5 * second },
  IdempotencyKeyReusedError: { action: 'review' },
  RetryLaterError: { action: 'retry', afterMs: 30 * second },
  TimeoutError: { action: 'retry', afterMs: 5 * second },
  UnexpectedResponseError: { action: 'retry', afterMs: 30 * second },
};

/** Statuses without a class of their own. A proxy sends 408 and 425 for a request that came too slowly or too early. */
const stepsByStatus: Readonly<Record<number, NextStep>> = {
  402: { action: 'hold' },
  403: { action: 'hold' },
  408: { action: 'retry', afterMs: 30 * second },
  425: { action: 'retry', afterMs: 30 * second },
};

/** What `nextStep` says where nothing was charged: a pure function of the error's class and, for a plain `ApiError`, of its status. */
export function stepIfUncharged(error: AnyBillPayError): NextStep {
  if (error.name === 'ApiError') return stepsByStatus[error.status ?? 0] ?? { action: 'stop' };
  const row = rowOfClass(error.name);
  if (!row) return otherSteps[error.name] ?? { action: 'stop' };
  if (row.next !== 'retry') return { action: row.next };
  const asked = error.name === 'RateLimitError' ? error.retryAfterSeconds : undefined;
  return { action: 'retry', afterMs: (asked ?? row.afterSeconds ?? 30) * second };
}
