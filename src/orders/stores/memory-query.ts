import { rankOf } from '../decide.js';
import type { StoredOrder } from '../order.js';
import { orderRanks } from '../queues/queue.js';
import type { OrderState } from '../states.js';
import type { OrderQuery, TimeRange } from '../store.js';

/** An order without what is measured when it is read. */
export type Kept = Omit<StoredOrder, 'doubtedForMs' | 'acceptedForMs' | 'expiresInMs'>;

/** In which turn orders of a state are worked on: doubt, then new orders, then lookups. */
export const turnOf = (state: OrderState): number => orderRanks.indexOf(rankOf(state));

export const isIn = (at: Date | undefined, { since, until }: TimeRange): boolean =>
  at !== undefined && (since === undefined || at >= since) && (until === undefined || at < until);

export function matches(order: Kept, query: Omit<OrderQuery, 'limit' | 'after'>): boolean {
  const { state, run, recipient, reference, settled } = query;
  return (
    (state === undefined || order.state === state) &&
    (run === undefined || order.run === run) &&
    (recipient === undefined || order.params.recipient === recipient) &&
    (reference === undefined || order.reference === reference) &&
    (settled === undefined || isIn(order.settledAt, settled)) &&
    isIn(order.createdAt, query)
  );
}

/** Newest first; of one moment, by id. */
export function newestFirst(
  a: Pick<StoredOrder, 'id' | 'createdAt'>,
  b: Pick<StoredOrder, 'id' | 'createdAt'>,
): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}
