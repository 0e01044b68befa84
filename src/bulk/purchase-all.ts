import type { PurchaseItem } from '../contract/purchase-item.js';
import type { OrdersClient, OrdersOptions } from '../orders/options.js';
import type { Order, OrderError } from '../orders/order.js';
import { createOrders } from '../orders/orders.js';
import type { OrderState } from '../orders/states.js';
import { fn, type OptionShape, optional, optionsOf, parseOptions, unchecked } from '../validation/options.js';
import { type BulkResult, boughtStatus, isUnknown, itemOf, placeAll, resultOf } from './list.js';
import { follow, type RunOptions, runShape, type Stepped, stoppable } from './run.js';

/** Options for `purchaseAll`. */
export interface PurchaseAllOptions<Client>
  extends RunOptions<Client>,
    Pick<OrdersOptions<Client>, 'buyTimeout' | 'lease' | 'retryDelay'> {
  /** Called with each result, one after the other, and awaited. If it throws, the call ends with its error. Default: none. */
  readonly onItem?: ((result: BulkResult) => unknown) | undefined;
}

/** Why a call ended before all items were bought. */
export interface BulkStop {
  /** `account`: the wallet, the key, the account or the base address is at fault, not the items. `signal`: the signal was aborted. */
  readonly reason: 'account' | 'signal';
  /** The error that held the items back. */
  readonly error?: OrderError | undefined;
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
    /** Those of them for which money may have moved: the next call resumes them under their keys. */
    readonly unknown: number;
  };
  /** Present where the call ended before all items were bought: call again with the same run to continue. */
  readonly stopped?: BulkStop;
}

/** What is handed on is checked by `createOrders`. */
const optionsSchema = optionsOf({
  ...runShape,
  buyTimeout: unchecked<number | undefined>(),
  lease: unchecked<number | undefined>(),
  retryDelay: unchecked<((n: number) => number) | undefined>(),
  onItem: optional(fn<(result: BulkResult) => unknown>(' that takes one result')),
} satisfies OptionShape<PurchaseAllOptions<unknown>>);

/**
 * Buys a list of items, each under its own key, and survives crashes: call it again with the same store and run, and nothing is bought
 * twice and nothing is lost. First the whole list is checked and stored as orders; then these orders are bought, and no others: what changed
 * under its key, or is no longer in the list, is named and not bought. Several processes may work on one run.
 *
 * An item whose outcome is unknown is bought again under its key until the service accepts it, also where its row changed or is gone. An error
 * that every item would meet (401, 403, a wrong option or address) ends the call; an empty wallet (402) leaves the items that it does not
 * cover. Give the client `pacing: true`.
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
  const report = async (result: BulkResult) => {
    counts[result.status]++;
    await onItem?.(result);
  };
  /** Whether the circuit breaker holds an order back, an unknown one included. */
  const isHeldBack = async ({ state, lastError }: Order): Promise<boolean> =>
    state === 'held' ||
    (state === 'unknown' && lastError?.name === (await orders.stats({ run })).breaker?.error.name);
  let fault: OrderError | undefined;

  return stoppable(checked, async (stop) => {
    const { signal } = stop;
    const { left, resumed } = await placeAll({ store, run, signal, report }, items);
    // What an earlier call left is tried at once, whenever it is due.
    const buy = async (id: string): Promise<Stepped> => {
      const order = await orders.buy(id);
      if (boughtStatus(order.state)) return { order, againInMs: undefined };
      if (await isHeldBack(order)) {
        fault ??= order.lastError;
        // A wallet that does not cover this item may cover another one.
        if (order.lastError?.status !== 402) stop.abort();
        return { order, againInMs: undefined };
      }
      // Another process may end its attempt long before its lease is over.
      return { order, againInMs: order.state === 'buying' ? otherProcessMs : order.dueInMs };
    };
    for await (const order of follow(left.keys(), { concurrency, signal }, buy)) {
      const { id, state } = order;
      const status = boughtStatus(state);
      if (!status) {
        left.set(id, state);
        continue;
      }
      left.delete(id);
      if (bought.delete(id))
        await report(
          resultOf(itemOf(order), status, { order, ...(resumed.has(id) && { next: resumedNext }) }),
        );
      else counts.skipped++;
    }
    const unknown = [...left.values()].filter((state) => isUnknown({ state })).length;
    const account = fault && ({ reason: 'account', error: fault } as const);
    const stopped: BulkStop | undefined = checked.signal?.aborted ? { reason: 'signal' } : account;
    return { ...counts, left: { items: left.size, unknown }, ...(stopped && { stopped }) };
  });
}

/** ms after which an order is read again that another process is buying. */
const otherProcessMs = 500;

/** What is said of an order that is bought though its item is not in the list. */
const resumedNext =
  'Its outcome was unknown, and it was resumed under its key as it had been sent, though its row has changed or is gone.';
