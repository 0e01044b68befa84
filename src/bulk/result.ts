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

/** An item as its order stores it: its product and its parameters belong together, because they came from one item. */
export const itemOf = ({ id, product, params }: Pick<Order, 'id' | 'product' | 'params'>) =>
  ({ product, params, idempotency_key: id }) as PurchaseItem;

/** The result of an item, with its order or with the problem of each wrong field. */
export function resultOf(
  item: PurchaseItem,
  status: BulkResult['status'],
  of: Partial<BulkResult>,
): BulkResult {
  const error = status === 'accepted' ? undefined : of.order?.lastError;
  return { item, status, order: of.order, error, errors: of.errors, next: nextOf[status] };
}

/** Why a call ended before all items were bought. */
export interface BulkStop {
  /**
   * - `wallet`: the wallet does not cover a purchase (402).
   * - `access`: the key, the client_id or the account was refused (401, 403).
   * - `configuration`: an option of the client is wrong or missing.
   * - `endpoint`: every attempt of this call ended in a 404 or 405, so the base address is probably wrong.
   * - `stopWhen`: `stopWhen` returned true.
   * - `signal`: the signal was aborted.
   */
  readonly reason: 'wallet' | 'access' | 'configuration' | 'endpoint' | 'stopWhen' | 'signal';
  /** The error that every other item would meet as well. */
  readonly error?: OrderError | undefined;
}

const reasons: Readonly<Record<number, BulkStop['reason']>> = {
  401: 'access',
  402: 'wallet',
  403: 'access',
  404: 'endpoint',
  405: 'endpoint',
};

/** The stop that an error would mean if every other item met it as well. */
export function stopReason({ lastError: error }: Pick<Order, 'lastError'>): BulkStop | undefined {
  const reason = error?.name === 'ConfigurationError' ? 'configuration' : reasons[error?.status ?? 0];
  return reason && { reason, error };
}
