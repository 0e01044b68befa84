import { contentOf, type PurchaseItem } from '../contract/purchase-item.js';
import type { FieldErrors } from '../contract/read-params.js';
import type { NewOrder, Order, OrderError } from '../orders/order.js';
import { readStorableItem } from '../orders/place.js';
import { type OrderState, statesToBuy } from '../orders/states.js';
import { eachOrder, type OrderStore } from '../orders/store.js';
import { unlessAborted } from '../utils/wait.js';

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
export const isUnknown = ({ state }: Pick<Order, 'state'>): boolean =>
  state === 'buying' || state === 'unknown';

/** Where a list is stored, and who hears of what is not bought. */
interface Placing<Client> {
  readonly store: OrderStore<Client>;
  readonly run: string;
  readonly signal: AbortSignal;
  readonly report: (result: BulkResult) => Promise<void>;
}

/** The orders that a call works on, by their ids. */
interface PlacedList {
  /** The state of each of those that are left. */
  readonly left: Map<string, OrderState>;
  /** Those of them that are unknown, and whose rows changed or are gone. */
  readonly resumed: ReadonlyMap<string, OrderState>;
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
  const left = new Map<string, OrderState>();
  const changed = new Set<string>();
  const resumed = new Map<string, OrderState>();
  const place = async (batch: readonly NewOrder[]) => {
    for (const [at, { order }] of (await store.insertMany(batch)).entries()) {
      const given = batch[at] as NewOrder;
      const { id, state } = order;
      const problem = conflictOf(given, order);
      if (problem === undefined) {
        left.set(id, state);
        continue;
      }
      changed.add(id);
      if (order.run === run && isUnknown(order)) resumed.set(id, state);
      await report(resultOf(itemOf(given), 'invalid', { order, errors: { idempotency_key: problem } }));
    }
  };
  let batch: NewOrder[] = [];
  for await (const given of untilAborted(items, signal)) {
    const checked = readStorableItem(given);
    if (!checked.ok) {
      await report(resultOf(given, 'invalid', checked));
      continue;
    }
    const { product, params, idempotency_key: id } = checked.item;
    batch.push({ id, product, params, run });
    if (batch.length < batchSize) continue;
    await place(batch);
    batch = [];
  }
  if (signal.aborted) return { left, resumed };
  await place(batch);
  for (const state of statesToBuy) {
    for await (const order of eachOrder(store, { run, state })) {
      if (left.has(order.id) || changed.has(order.id)) continue;
      if (isUnknown(order)) resumed.set(order.id, state);
      else await report(resultOf(itemOf(order), 'removed', { order }));
    }
  }
  // A key that stands for two items in one list is bought for none of them.
  for (const id of changed) left.delete(id);
  for (const [id, state] of resumed) left.set(id, state);
  return { left, resumed };
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

/** Why the order that is stored under the key of an item is not that item of this run; undefined where it is. */
function conflictOf(given: NewOrder, stored: Order): string | undefined {
  const { run, state } = stored;
  if (given.run !== run) {
    const owner = run === undefined ? 'an order that is not of a bulk run' : `the run ${run}`;
    return `belongs to ${owner}: ${boughtStatus(state) ? advice[state] : 'leave it to that one, because under a key of its own it may be bought twice'}`;
  }
  return contentOf(given) === contentOf(stored)
    ? undefined
    : `was stored with other parameters before: ${advice[state]}`;
}

const notBought = 'that was never bought and is not bought now; give the changed item a key of its own';
const unknown =
  'that may have been charged and is resumed as it was sent; wait for its outcome before the changed item is bought';
const bought = 'that was bought; under another key it would be bought a second time';
const over = 'that has ended without a charge; give the item a key of its own to buy it';

/** What the state of the stored order means for an item that has its key. */
const advice: Readonly<Record<OrderState, string>> = {
  placed: notBought,
  held: notBought,
  buying: unknown,
  unknown,
  accepted: bought,
  delivered: bought,
  failed: over,
  refused: over,
  review: 'a person must decide about that first, with orders.retry or orders.resolve',
};
