import type { PurchaseItem } from '../contract/purchase-item.js';
import type { FieldErrors } from '../contract/read-params.js';
import type { Order, OrderError } from '../orders/order.js';

/** What became of one item, and what to do about it. */
export interface BulkResult {
  /** The item: for a result with an order, the copy that was stored. */
  readonly item: PurchaseItem;
  /**
   * - `accepted`: bought; the wallet was debited. `settleAll` follows it to its end.
   * - `refused`: certainly not charged, and it would be refused again.
   * - `review`: a person must look: it may have been charged, or its attempts are used up.
   * - `invalid`: nothing was stored or sent, because of the item itself; see `errors`.
   */
  readonly status: 'accepted' | 'refused' | 'review' | 'invalid';
  /** The order of the item; undefined for an invalid one. */
  readonly order: Order | undefined;
  /** Why it was not accepted. */
  readonly error: OrderError | undefined;
  /** The problem of each wrong field of an invalid item. */
  readonly errors: FieldErrors | undefined;
  /** What to do now, in one sentence. */
  readonly next: string;
}

const nextOf: Readonly<Record<BulkResult['status'], string>> = {
  accepted: 'Nothing to do: settleAll, a worker or a webhook follows the sale to its end.',
  refused: 'Correct the item, and buy it under a new key.',
  review: 'Look the sale up in the console of the service, then call orders.resolve or orders.retry.',
  invalid: 'Correct the item, and run again: the other items are not affected.',
};

/** The result of an order whose buying is over. */
export function resultOf(order: Order, status: 'accepted' | 'refused' | 'review'): BulkResult {
  const { id, product, params, lastError } = order;
  // The order was stored from an item, so its product and its parameters belong together.
  const item = { product, params, idempotency_key: id } as PurchaseItem;
  const error = status === 'accepted' ? undefined : lastError;
  return { item, status, order, error, errors: undefined, next: nextOf[status] };
}

/** The result of an item that cannot be bought as it is. */
export const invalidItem = (item: PurchaseItem, errors: FieldErrors): BulkResult => ({
  item,
  status: 'invalid',
  order: undefined,
  error: undefined,
  errors,
  next: nextOf.invalid,
});
