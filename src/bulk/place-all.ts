import { checkPurchaseItem, contentOf, type PurchaseItem } from '../contract/purchase-item.js';
import type { NewOrder, StoredOrder } from '../orders/order.js';
import type { OrderStore } from '../orders/store.js';
import { type BulkResult, invalidItem } from './result.js';

/** Orders that are stored in one transaction. */
const batchSize = 500;

/** Receives what becomes of the items while they are stored. */
export interface PlacingListener {
  /** An item that cannot be bought as it is. */
  invalid(result: BulkResult): Promise<void>;
  /** An item whose order was stored by an earlier call, or by another process. */
  known(order: StoredOrder): void;
}

/**
 * Stores every item as an order of the run before anything is bought, so that wrong and changed items are known before the first
 * purchase. Reads the items in batches: the source may be a file of a million lines.
 */
export async function placeAll<Client>(
  store: OrderStore<Client>,
  run: string,
  items: Iterable<PurchaseItem> | AsyncIterable<PurchaseItem>,
  listener: PlacingListener,
  hasStopped: () => boolean,
): Promise<void> {
  let batch: NewOrder[] = [];
  const flush = async () => {
    const placed = await store.insertMany(batch);
    for (const [at, given] of batch.entries()) {
      const result = placed[at];
      if (!result || result.inserted) continue;
      const problem = conflictOf(given, result.order);
      if (problem) await listener.invalid(invalidItem(itemOf(given), { idempotency_key: problem }));
      else listener.known(result.order);
    }
    batch = [];
  };
  for await (const given of items) {
    if (hasStopped()) return;
    const checked = checkPurchaseItem(given);
    if (!checked.ok) {
      await listener.invalid(invalidItem(given, checked.errors));
      continue;
    }
    const { product, params, idempotency_key: id } = checked.item;
    batch.push({ id, product, params, run });
    if (batch.length === batchSize) await flush();
  }
  if (batch.length > 0) await flush();
}

const itemOf = ({ id, product, params }: NewOrder) =>
  ({ product, params, idempotency_key: id }) as PurchaseItem;

/** Why the order that is stored under the key of an item is not that item. */
function conflictOf(given: NewOrder, stored: StoredOrder): string | undefined {
  if (contentOf(given) !== contentOf(stored))
    return 'was stored with other parameters before: a changed item needs a key of its own';
  if (given.run === stored.run) return undefined;
  return stored.run === undefined
    ? 'belongs to an order that is not of a bulk run: give the item a key of its own'
    : `belongs to the run ${stored.run}: give the item a key of its own`;
}
