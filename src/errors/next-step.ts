import { classify } from './classify.js';
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
  switch (kind) {
    case 'wallet':
    case 'access':
    case 'configuration':
      return { action: 'hold' };
    case 'aborted':
      return { action: 'retry', afterMs: 0 };
    case 'in-progress':
      return { action: 'retry', afterMs: 30 * second };
    case 'transient':
      return { action: 'retry', afterMs: retryAfterMs(error) };
    default:
      return { action: 'stop' };
  }
}

function retryAfterMs(error: AnyBillPayError): number {
  switch (error.name) {
    case 'RateLimitError':
      return (error.retryAfterSeconds ?? 60) * second;
    case 'ProviderUnavailableError':
      return 60 * second;
    case 'ConnectionError':
    case 'TimeoutError':
      return 5 * second;
    default:
      return 30 * second;
  }
}

function resumeAfterMs(error: AnyBillPayError): number {
  if (error.name === 'AlreadyProcessingError') return 2 * second;
  // The service's own Retry-After is a minimum, whatever the earlier attempts of the call ended in.
  return Math.max(30 * second, error.name === 'RateLimitError' ? retryAfterMs(error) : 0);
}
