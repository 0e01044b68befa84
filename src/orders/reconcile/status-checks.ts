import { NotFoundError } from '../../errors/api-errors.js';
import { nextStep } from '../../errors/next-step.js';
import { createPacer } from '../../pacing/pacer.js';
import { longestTimerMs } from '../../validation/options.js';
import { describeError } from '../decide.js';
import type { OrdersClient } from '../options.js';
import type { Order } from '../order.js';
import { isFinal } from '../states.js';
import type { Lookup } from './compare.js';
import type { CheckedReconcile } from './options.js';

/** So many failed status checks one after the other end the comparison: the service or the way to it is down. */
const mostFailures = 10;

/**
 * Makes what asks the service about an order, at the pace of the options. It rejects once the signal is aborted; with the error of an account at
 * fault, which every other check would meet as well; and with that of a service that is down.
 */
export function createStatusChecks(
  billpay: OrdersClient,
  { check, checksPerMinute }: Pick<CheckedReconcile, 'check' | 'checksPerMinute'>,
  signal: AbortSignal,
): (order: Order, isInRange: boolean) => Promise<Lookup> {
  const pacer = createPacer({ requestsPerMinute: checksPerMinute });
  let failures = 0;

  const ask = async (reference: string): Promise<Lookup> => {
    try {
      const transaction = await billpay.transactions.status(reference, { signal });
      failures = 0;
      return { outcome: 'found', transaction };
    } catch (error) {
      // Without a code the 404 is not the service's: baseUrl is wrong, or a proxy answered.
      if (error instanceof NotFoundError && error.code !== undefined) {
        failures = 0;
        return { outcome: 'unknown-reference' };
      }
      failures++;
      if (nextStep(error).action === 'hold' || failures >= mostFailures) throw error;
      return { outcome: 'failed', message: describeError(error).message };
    }
  };

  return async ({ reference, state }, isInRange) => {
    // Of the orders of other days only those that may have ended since are asked for.
    const isWanted = check === 'all' && isInRange ? true : check !== 'none' && !isFinal(state);
    if (reference === undefined || !isWanted) return { outcome: 'none' };
    await pacer.join('poll').grant(longestTimerMs, signal);
    signal.throwIfAborted();
    const lookup = await ask(reference);
    signal.throwIfAborted();
    return lookup;
  };
}
