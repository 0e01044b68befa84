import { isFinal, noOrders, type OrderState } from '../states.js';
import type { StoredOrderStats } from '../store.js';
import { dateOf, type Row } from './rows.js';

/**
 * The counts of a database as `stats` returns them.
 *
 * @param states - for each state its `count` and the time of its `oldest` order.
 * @param sums - one row: `awaiting_refund`, `contradicted`, `spent` and `kept_events`.
 */
export function statsOf(states: readonly Row[], sums: Row): StoredOrderStats {
  const count = noOrders();
  const oldest: Partial<Record<OrderState, Date>> = {};
  for (const row of states) {
    const state = row['state'] as OrderState;
    count[state] = Number(row['count']);
    if (!isFinal(state)) oldest[state] = dateOf(row['oldest']);
  }
  return {
    count,
    oldest,
    awaitingRefund: Number(sums['awaiting_refund']),
    contradicted: Number(sums['contradicted']),
    spent: Number(sums['spent'] ?? 0),
    keptEvents: Number(sums['kept_events']),
  };
}
