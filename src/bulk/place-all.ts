import type { PurchaseItem } from '../contract/purchase-item.js';
import type { NewOrder } from '../orders/order.js';
import { readStorableItem } from '../orders/place.js';
import { statesToBuy } from '../orders/states.js';
import type { OrderStore } from '../orders/store.js';
import { unlessAborted } from '../utils/wait.js';
import { type BulkResult, conflictOf, isInDoubt, itemOf, resultOf } from './result.js';
import { ordersOf } from './run.js';

/** Where a list is stored, and who hears of what is not bought. */
interface Placing<Client> {
  readonly store: OrderStore<Client>;
  readonly run: string;
  readonly signal: AbortSignal;
  readonly report: (result: BulkResult) => Promise<void>;
}

/** The orders that a call works on, by their ids. */
interface PlacedList {
  /** Those that are left. */
  readonly ids: Set<string>;
  /** Those of them that are in doubt, and whose rows changed or are gone. */
  readonly resumed: ReadonlySet<string>;
}

/** Orders that are stored in one transaction. */
const batchSize = 500;

/**
 * Checks the whole list and stores it as orders of the run, in batches, before anything is bought: the source may be a file of a million lines.
 * What cannot be bought, has changed or is gone is reported.
 */
export async function placeAll<Client>(
  { store, run, signal, report }: Placing<Client>,
  items: Iterable<PurchaseItem> | AsyncIterable<PurchaseItem>,
): Promise<PlacedList> {
  const ids = new Set<string>();
  const changed = new Set<string>();
  const resumed = new Set<string>();
  let batch: NewOrder[] = [];
  const flush = async () => {
    const placed = await store.insertMany(batch);
    for (const [at, { order }] of placed.entries()) {
      const given = batch[at] as NewOrder;
      const problem = conflictOf(given, order);
      if (problem === undefined) ids.add(order.id);
      else {
        changed.add(order.id);
        if (order.run === run && isInDoubt(order)) resumed.add(order.id);
        await report(resultOf(itemOf(given), 'invalid', { order, errors: { idempotency_key: problem } }));
      }
    }
    batch = [];
  };
  for await (const given of untilAborted(items, signal)) {
    const checked = readStorableItem(given);
    if (!checked.ok) {
      await report(resultOf(given, 'invalid', checked));
      continue;
    }
    const { product, params, idempotency_key: id } = checked.item;
    batch.push({ id, product, params, run });
    if (batch.length === batchSize) await flush();
  }
  if (batch.length > 0 && !signal.aborted) await flush();
  if (signal.aborted) return { ids, resumed };
  for await (const order of ordersOf(store, run, statesToBuy)) {
    const { id } = order;
    if (ids.has(id) || changed.has(id)) continue;
    if (isInDoubt(order)) resumed.add(id);
    else await report(resultOf(itemOf(order), 'removed', { order }));
  }
  // A key that stands for two items in one list is bought for none of them.
  for (const id of changed) ids.delete(id);
  for (const id of resumed) ids.add(id);
  return { ids, resumed };
}

/** The items of a source, until it ends or the signal aborts, also while the source is waited for. */
async function* untilAborted<T>(
  items: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  while (!signal.aborted) {
    const next = Promise.resolve(source.next());
    const { value, done } = await unlessAborted(next, signal).catch((error: unknown) => {
      if (signal.aborted) return { value: undefined, done: true } as const;
      throw error;
    });
    if (done) return;
    yield value;
  }
}
