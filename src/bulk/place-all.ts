import { contentOf, type PurchaseItem } from '../contract/purchase-item.js';
import type { NewOrder, StoredOrder } from '../orders/order.js';
import { readStorableItem } from '../orders/place.js';
import type { OrderStore } from '../orders/store.js';
import { type BulkResult, itemOf, resultOf } from './result.js';

/** Orders that are stored in one transaction. */
const batchSize = 500;

/**
 * Stores every item as an order of the run before anything is bought, so that wrong and changed items are known before the first
 * purchase. Reads the items in batches: the source may be a file of a million lines.
 *
 * @param invalid - receives each item that cannot be bought as it is.
 * @param known - receives each order that an earlier call, or another process, has stored.
 */
export async function placeAll<Client>(
  store: OrderStore<Client>,
  run: string,
  items: Iterable<PurchaseItem> | AsyncIterable<PurchaseItem>,
  signal: AbortSignal,
  invalid: (result: BulkResult) => Promise<void>,
  known: (order: StoredOrder) => void,
): Promise<void> {
  let batch: NewOrder[] = [];
  const flush = async () => {
    const placed = await store.insertMany(batch);
    for (const [at, given] of batch.entries()) {
      const result = placed[at];
      if (!result || result.inserted) continue;
      const problem = conflictOf(given, result.order);
      if (problem)
        await invalid(resultOf(itemOf(given), 'invalid', { errors: { idempotency_key: problem } }));
      else known(result.order);
    }
    batch = [];
  };
  for await (const given of items) {
    if (signal.aborted) return;
    const checked = readStorableItem(given);
    if (!checked.ok) {
      await invalid(resultOf(given, 'invalid', checked));
      continue;
    }
    const { product, params, idempotency_key: id } = checked.item;
    batch.push({ id, product, params, run });
    if (batch.length === batchSize) await flush();
  }
  if (batch.length > 0) await flush();
}

/** Why the order that is stored under the key of an item is not that item. */
function conflictOf(given: NewOrder, stored: StoredOrder): string | undefined {
  if (contentOf(given) !== contentOf(stored))
    return 'was stored with other parameters before: a changed item needs a key of its own';
  if (given.run === stored.run) return undefined;
  return stored.run === undefined
    ? 'belongs to an order that is not of a bulk run: give the item a key of its own'
    : `belongs to the run ${stored.run}: give the item a key of its own`;
}
