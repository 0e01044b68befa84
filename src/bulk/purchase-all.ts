import { toKobo, toNaira } from '../contract/money.js';
import type { PurchaseItem } from '../contract/purchase-item.js';
import type { OrdersClient, OrdersOptions } from '../orders/options.js';
import type { Order, OrderError } from '../orders/order.js';
import { createOrders } from '../orders/orders.js';
import { type OrderState, statesToBuy } from '../orders/states.js';
import type { OrderStore } from '../orders/store.js';
import { fn, ms } from '../validation/option-kinds.js';
import { type OptionShape, optional, optionsOf, parseOptions } from '../validation/options.js';
import { placeAll } from './place-all.js';
import {
  type BulkResult,
  type BulkStop,
  boughtStatus,
  isHeldBack,
  isInDoubt,
  itemOf,
  resultOf,
  resumedNext,
} from './result.js';
import { inTurn, ordersOf, type RunOptions, runShape, stoppable, workOff } from './run.js';

/** Options for `purchaseAll`. */
export interface PurchaseAllOptions<Client>
  extends RunOptions<Client>,
    Pick<OrdersOptions<Client>, 'buyTimeout' | 'lease' | 'retryDelay'> {
  /** Called with each result, one after the other, and awaited. If it throws, the call ends with its error. */
  readonly onItem?: ((result: BulkResult) => unknown) | undefined;
}

/** The report of one call. */
export interface BulkSummary {
  /** Items that this call has bought. */
  readonly accepted: number;
  /** Items that were refused in this call. */
  readonly refused: number;
  /** Items that this call has handed to a person. */
  readonly review: number;
  /** Items that were not bought, because a field is wrong or their key was stored for something else. */
  readonly invalid: number;
  /** Orders of the run that are no longer in the list, and were not bought. */
  readonly removed: number;
  /** Items that were bought, refused or in review before this call, or by another process. */
  readonly skipped: number;
  /** What is still to buy. */
  readonly left: {
    /** How many items. */
    readonly items: number;
    /** NGN of those that name their amount. */
    readonly amount: number;
    /** Those of them for which money may have moved: the next call resumes them under their keys. */
    readonly unknown: number;
  };
  /** Present where the call ended before all items were bought: call again with the same run to continue. */
  readonly stopped?: BulkStop;
}

const optionsSchema = optionsOf({
  ...runShape,
  buyTimeout: optional(ms()),
  lease: optional(ms()),
  retryDelay: optional(fn<(n: number) => number>(' that returns a number of milliseconds')),
  onItem: optional(fn<(result: BulkResult) => unknown>(' that takes one result')),
} satisfies OptionShape<PurchaseAllOptions<unknown>>);

/**
 * Buys a list of items, each under its own key, and survives crashes: call it again with the same store and run, and nothing is bought
 * twice and nothing is lost. First the whole list is checked and stored as orders; then these orders are bought, and no others: what changed
 * under its key, or is no longer in the list, is named and not bought. Several processes may work on one run.
 *
 * An item whose outcome is unknown is bought again under its key until the service accepts it, also where its row changed or is gone. An error
 * that every item would meet (401, 403, a wrong option or address) ends the call; an empty wallet (402) leaves the items that it does not
 * cover. Give the client `pacing: createPacer()`.
 *
 * @throws `ConfigurationError` for a wrong option; what `items`, `onItem` or the store throws.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from 'node:sqlite';
 *
 * const { accepted, left, stopped } = await purchaseAll(billpay, items, {
 *   store: sqliteOrderStore(new DatabaseSync('payday.db')),
 *   run: 'payday-2026-11',
 *   onItem: ({ item, status, next }) => console.log(item.idempotency_key, status, next),
 * });
 * console.log({ accepted, left, stopped });
 * ```
 */
export async function purchaseAll<Client>(
  billpay: OrdersClient,
  items: Iterable<PurchaseItem> | AsyncIterable<PurchaseItem>,
  options: PurchaseAllOptions<Client>,
): Promise<BulkSummary> {
  const checked = parseOptions(optionsSchema, options, { owner: 'purchaseAll' });
  const { run, concurrency, onItem, buyTimeout, lease, retryDelay } = checked;
  const { store } = options;
  /** What this process has bought; other processes report their own. */
  const bought = new Set<string>();
  const onTransition = ({ id, state }: Order, from: OrderState) =>
    void (from !== 'accepted' && boughtStatus(state) && bought.add(id));
  const orders = createOrders({ billpay, store, buyTimeout, lease, retryDelay, onTransition });
  const counts = { accepted: 0, refused: 0, review: 0, invalid: 0, removed: 0, skipped: 0 };
  const report = inTurn<BulkResult>(async (result) => {
    counts[result.status]++;
    await onItem?.(result);
  });

  return stoppable(checked, async (stop) => {
    const { signal } = stop;
    const { ids, resumed } = await placeAll({ store, run, signal, report }, items);
    let fault: OrderError | undefined;
    const waiting = new Set<string>();
    await workOff(ids, { concurrency, signal }, async (id) => {
      // What an earlier call left is tried at once, whenever it is due.
      await (waiting.has(id) ? orders.run(id) : orders.buy(id));
      const order = await store.find(id);
      const status = order && boughtStatus(order.state);
      if (order && !status && !isHeldBack(order)) {
        waiting.add(id);
        // Another process may end its attempt long before its lease is over.
        return order.state === 'buying' ? otherProcessMs : order.dueInMs;
      }
      waiting.delete(id);
      if (order && !status) {
        fault ??= order.lastError;
        // A wallet that does not cover this item may cover another one.
        if (order.lastError?.name !== 'InsufficientBalanceError') stop.abort();
        return undefined;
      }
      ids.delete(id);
      if (!order || !status || !bought.delete(id)) counts.skipped++;
      else
        await report(
          resultOf(itemOf(order), status, { order, ...(resumed.has(id) && { next: resumedNext }) }),
        );
      return undefined;
    });
    const left = await leftOf(store, run, ids);
    const account = fault && ({ reason: 'account', error: fault } as const);
    const stopped: BulkStop | undefined = checked.signal?.aborted ? { reason: 'signal' } : account;
    return { ...counts, left, ...(stopped && { stopped }) };
  });
}

/** ms after which an order is looked at again that another process is buying. */
const otherProcessMs = 500;

/** Adds up what is still to buy. */
async function leftOf<Client>(
  store: OrderStore<Client>,
  run: string,
  ids: ReadonlySet<string>,
): Promise<BulkSummary['left']> {
  let [items, unknown, kobo] = [0, 0, 0];
  if (ids.size === 0) return { items, amount: 0, unknown };
  for await (const order of ordersOf(store, run, statesToBuy)) {
    const { id, params } = order;
    if (!ids.has(id)) continue;
    items++;
    // The price of a product of the catalogue is the service's.
    kobo += toKobo('amount' in params ? (params.amount ?? 0) : 0);
    if (isInDoubt(order)) unknown++;
  }
  return { items, amount: toNaira(kobo), unknown };
}
