import { NotFoundError } from '../../errors/api-errors.js';
import { createPacer } from '../../pacing/pacer.js';
import { longestTimerMs } from '../../validation/options.js';
import { accountVerdict, describeError } from '../decide.js';
import type { StoredOrder } from '../order.js';
import type { OrdersRuntime } from '../runtime.js';
import { isFinal } from '../states.js';
import { compareWithLookup } from './compare-lookup.js';
import type { Difference } from './finding.js';
import type { CheckedReconcile } from './options.js';
import type { Seen } from './sale.js';

/** An order with what its lookup brought. */
export interface Examined {
  /** As it is stored after the lookup. */
  readonly order: StoredOrder;
  readonly seen: Seen;
  readonly differences: readonly Difference[];
}

/** So many failed lookups one after the other end the call: the service or the way to it is down. */
const mostFailures = 10;

/** An order that changes while it is looked up is looked up again, at most so often. */
const mostLooks = 3;

/**
 * Makes what examines one order: it looks the order up at the pace of the options. It resolves to undefined once the signal is aborted.
 *
 * @param onLookUp - called after each lookup.
 */
export function createExaminer<Client>(
  { billpay, store }: OrdersRuntime<Client>,
  { lookUp, lookUpsPerMinute, signal }: CheckedReconcile,
  onLookUp: () => void,
): (order: StoredOrder) => Promise<Examined | undefined> {
  const pacer = createPacer({ requestsPerMinute: lookUpsPerMinute });
  let failures = 0;

  /** @throws the error of an account at fault, which every other lookup would meet as well, and that of a service that is down. */
  const look = async (reference: string): Promise<Seen> => {
    try {
      const transaction = await billpay.transactions.status(reference, signal ? { signal } : {});
      failures = 0;
      return { outcome: 'found', transaction };
    } catch (error) {
      // Without a code the 404 is not the service's: baseUrl is wrong, or a proxy answered.
      if (error instanceof NotFoundError && error.code !== undefined) {
        failures = 0;
        return { outcome: 'unknown-reference' };
      }
      failures++;
      if (accountVerdict(error) === 'fault' || failures >= mostFailures) throw error;
      return { outcome: 'failed', message: describeError(error).message };
    }
  };

  const isToLookUp = (order: StoredOrder): order is StoredOrder & { reference: string } =>
    order.reference !== undefined && (lookUp === 'all' || (lookUp === 'open' && !isFinal(order.state)));

  return async (given) => {
    let order = given;
    for (let looks = 1; ; looks++) {
      if (!isToLookUp(order)) return { order, seen: { outcome: 'none' }, differences: [] };
      const { granted } = await pacer.join('poll').turn(longestTimerMs, signal);
      if (!granted || signal?.aborted) return undefined;
      const seen = await look(order.reference).catch((error: unknown) => {
        if (signal?.aborted) return undefined;
        throw error;
      });
      if (!seen || signal?.aborted) return undefined;
      onLookUp();
      const differences = compareWithLookup(order, seen);
      // A webhook may have settled the order since it was read: what is stored now decides.
      const now = differences.length > 0 ? await store.find(order.id) : order;
      if (!now || looks >= mostLooks || isUnchanged(order, now)) return { order, seen, differences };
      order = now;
    }
  };
}

const isUnchanged = (a: StoredOrder, b: StoredOrder): boolean =>
  a.state === b.state && a.updatedAt.getTime() === b.updatedAt.getTime();
