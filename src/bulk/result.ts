import { contentOf, type PurchaseItem } from '../contract/purchase-item.js';
import type { FieldErrors } from '../contract/read-params.js';
import type { NewOrder, Order, OrderError } from '../orders/order.js';
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

/** What is said of an order that is bought though its item is not in the list. */
export const resumedNext =
  'It was in doubt under its key, and was resumed as it had been sent, though its row has changed or is gone.';

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

/** Why the order that is stored under the key of an item is not that item of this run; undefined where it is. */
export function conflictOf(given: NewOrder, stored: Order): string | undefined {
  if (given.run !== stored.run) {
    const owner = stored.run === undefined ? 'an order that is not of a bulk run' : `the run ${stored.run}`;
    return `belongs to ${owner}: ${boughtStatus(stored.state) ? advice[stored.state] : 'leave it to that one, because under a key of its own it may be bought twice'}`;
  }
  if (contentOf(given) === contentOf(stored)) return undefined;
  return `was stored with other parameters before: ${advice[stored.state]}`;
}

const notBought = 'that was never bought and is not bought now; give the changed item a key of its own';
const inDoubt =
  'that may have been charged and is resumed as it was sent; wait for its outcome before the changed item is bought';
const bought = 'that was bought; under another key it would be bought a second time';
const over = 'that has ended without a charge; give the item a key of its own to buy it';

/** What the state of the stored order means for an item that has its key. */
const advice: Readonly<Record<OrderState, string>> = {
  placed: notBought,
  held: notBought,
  buying: inDoubt,
  unknown: inDoubt,
  accepted: bought,
  delivered: bought,
  failed: over,
  refused: over,
  review: 'a person must decide about that first, with orders.retry or orders.resolve',
};

/** Why a call ended before all items were bought. */
export interface BulkStop {
  /** `account`: the wallet, the key, the account or the base address is at fault, not the items. `signal`: the signal was aborted. */
  readonly reason: 'account' | 'signal';
  /** The error that held the items back. */
  readonly error?: OrderError | undefined;
}

/** The errors that every other item would meet as well, or each that costs as much. */
const faults: readonly unknown[] = [
  'AccountRestrictedError',
  'AuthenticationError',
  'ConfigurationError',
  'InsufficientBalanceError',
  'MethodNotAllowedError',
  'NotFoundError',
  'PermissionError',
];

/** Whether the account, the wallet or the address holds an order back, one in doubt included. */
export const isHeldBack = ({ state, lastError }: Pick<Order, 'state' | 'lastError'>): boolean =>
  state === 'held' || (state === 'unknown' && faults.includes(lastError?.name));
