import type { RateLimitError } from './availability-errors.js';
import { type AnyBillPayError, isBillPayError } from './index.js';

/** What a worker does with a purchase that threw. */
export type NextStep =
  /** Money may have moved: repeat the same call with the same key after so many ms. It charges at most once. */
  | { readonly action: 'resume'; readonly afterMs: number }
  /** Nothing was charged, and it may go through later: call again after so many ms, best with the same key. */
  | { readonly action: 'retry'; readonly afterMs: number }
  /** Nothing was charged, and a repeat would be refused the same way: somebody has to change something first. */
  | { readonly action: 'stop' };

const second = 1000;

/**
 * What to do with an error, for workers of a queue: a pure function of its class and of `mayHaveCharged`. Anything that is not an error
 * of this package tells nothing of the money, and is resumed: the same key is always safe.
 *
 * @example
 * ```ts
 * catch (error) {
 *   const step = nextStep(error);
 *   if (step.action === 'stop') return orders.fail(order.id, error);
 *   return queue.later(order.id, step.afterMs); // under the same key, order.id
 * }
 * ```
 */
export function nextStep(error: unknown): NextStep {
  if (!isBillPayError(error)) return { action: 'resume', afterMs: 30 * second };
  if (error.mayHaveCharged) return { action: 'resume', afterMs: resumeAfterMs(error) };
  switch (error.name) {
    case 'RateLimitError':
      return { action: 'retry', afterMs: askedWaitMs(error) };
    case 'ProviderUnavailableError':
      return { action: 'retry', afterMs: 60 * second };
    case 'QueueUnavailableError':
    case 'ServerError':
    case 'UnexpectedResponseError':
    case 'AlreadyProcessingError':
      return { action: 'retry', afterMs: 30 * second };
    case 'ConnectionError':
    case 'TimeoutError':
      return { action: 'retry', afterMs: 5 * second };
    case 'AbortError':
      return { action: 'retry', afterMs: 0 };
    default:
      return { action: 'stop' };
  }
}

const askedWaitMs = ({ retryAfterSeconds }: RateLimitError): number => (retryAfterSeconds ?? 60) * second;

function resumeAfterMs(error: AnyBillPayError): number {
  if (error.name === 'AlreadyProcessingError') return 2 * second;
  // What the service asked for is a floor, whatever the attempts before it ended in.
  return Math.max(30 * second, error.name === 'RateLimitError' ? askedWaitMs(error) : 0);
}
