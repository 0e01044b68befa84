import type { PurchaseItem } from '../contract/purchase-item.js';
import type { FieldErrors } from '../contract/read-params.js';
import type { Order, OrderError } from '../orders/order.js';
import type { OrderState } from '../orders/states.js';

/** What became of one item, and what to do about it. */
export interface BulkResult {
  /** The item: for a result with an order, the copy that was stored. */
  readonly item: PurchaseItem;
  /**
   * - `accepted`: bought; the wallet was debited. `settleAll` follows it to its end.
   * - `refused`: certainly not charged, and it would be refused again.
   * - `review`: a person must look: it may have been charged, or its attempts are used up.
   * - `invalid`: not bought, because a field is wrong, or because its key was stored for something else; see `errors`.
   * - `removed`: stored by an earlier call of the run, no longer in the list, and not bought.
   */
  readonly status: 'accepted' | 'refused' | 'review' | 'invalid' | 'removed';
  /** The order of the item, where it was stored. */
  readonly order: Order | undefined;
  /** Why it was not accepted. */
  readonly error: OrderError | undefined;
  /** The problem of each wrong field of an invalid item. */
  readonly errors: FieldErrors | undefined;
  /** What to do now, in one sentence. */
  readonly next: string;
}

const nextOf: Readonly<Record<BulkResult['status'], string>> = {
  accepted: 'Nothing to do: settleAll, a worker or a webhook follows the order to its end.',
  refused: 'Correct the item, and buy it under a new key.',
  review: 'Look it up in the console of the service, then call orders.resolve or orders.retry.',
  invalid: 'Correct the item, and run again: the other items are not affected.',
  removed: 'Nothing to do: it is not bought unless it is in the list again; orders.cancel ends it.',
};

/** An item as its order stores it: its product and its parameters belong together, because they came from one item. */
export const itemOf = ({ id, product, params }: Pick<Order, 'id' | 'product' | 'params'>) =>
  ({ product, params, idempotency_key: id }) as PurchaseItem;

/** The result of an item, with its order or with the problem of each wrong field. */
export function resultOf(
  item: PurchaseItem,
  status: BulkResult['status'],
  { order, errors, next = nextOf[status] }: Partial<Pick<BulkResult, 'order' | 'errors' | 'next'>>,
): BulkResult {
  return { item, status, order, error: status === 'accepted' ? undefined : order?.lastError, errors, next };
}

/** How the buying of an order ended; undefined while it has not. */
export function boughtStatus(state: OrderState): 'accepted' | 'refused' | 'review' | undefined {
  if (state === 'refused' || state === 'review') return state;
  return state === 'accepted' || state === 'delivered' || state === 'failed' ? 'accepted' : undefined;
}

/** Whether an attempt to buy may have been charged: such an order is resumed as it was sent. */
export const isInDoubt = ({ state }: Pick<Order, 'state'>): boolean =>
  state === 'buying' || state === 'unknown';
