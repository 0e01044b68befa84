import * as z from 'zod/mini';
import { toKobo, toNaira } from '../contract/money.js';
import type { PurchaseItem } from '../contract/purchase-item.js';
import type { OrdersClient, OrdersOptions } from '../orders/options.js';
import type { Order } from '../orders/order.js';
import { createOrders } from '../orders/orders.js';
import { type OrderState, statesToBuy } from '../orders/states.js';
import type { OrderStore } from '../orders/store.js';
import { fn, ms } from '../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../validation/parse-options.js';
import { placeAll } from './place-all.js';
import { type BulkResult, type BulkStop, itemOf, resultOf, stopReason } from './result.js';
import { ordersOf, type RunOptions, runShape, stoppable, workOff } from './run.js';

/** Options for `purchaseAll`. */
export interface PurchaseAllOptions<Client>
  extends RunOptions<Client>,
    Pick<OrdersOptions<Client>, 'buyTimeout' | 'lease' | 'retryDelay'> {
  /** Called with each result, one after the other, and awaited. If it throws, the call ends with its error. */
  readonly onItem?: ((result: BulkResult) => unknown) | undefined;
  /** Called with the progress after each result. If it throws, the call ends with its error. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
  /** Ends the call cleanly after a result for which it returns true. */
  readonly stopWhen?: ((result: BulkResult, progress: BulkProgress) => boolean) | undefined;
}

/** How far a call of `purchaseAll` is. */
export interface BulkProgress {
  /** Items that this call has bought. */
  readonly accepted: number;
  /** Items that were refused in this call. */
  readonly refused: number;
  /** Items that this call has handed to a person. */
  readonly review: number;
  /** Items that cannot be bought as they are. */
  readonly invalid: number;
  /** Items that were bought, refused or in review before this call. */
  readonly skipped: number;
  /** NGN charged for the items that this call has bought. */
  readonly spent: number;
}

/** The report of one call. */
export interface BulkSummary extends BulkProgress {
  /** Present where the call ended early: call again with the same run to continue. */
  readonly stopped?: BulkStop;
  /** What is still to buy. */
  readonly left: {
    /** How many items. */
    readonly items: number;
    /** NGN of those that name their amount. */
    readonly amount: number;
    /** Those of them for which money may have moved: the next call resumes them under their keys. */
    readonly unknown: number;
  };
}

const optionsSchema = optionsOf({
  ...runShape,
  buyTimeout: z.optional(ms()),
  lease: z.optional(ms()),
  retryDelay: z.optional(fn<(n: number) => number>(' that returns a number of milliseconds')),
  onItem: z.optional(fn<(result: BulkResult) => unknown>(' that takes one result')),
  onProgress: z.optional(fn<(progress: BulkProgress) => void>(' that takes the progress')),
  stopWhen: z.optional(
    fn<(result: BulkResult, progress: BulkProgress) => boolean>(' that returns true or false'),
  ),
} satisfies OptionShape<PurchaseAllOptions<unknown>>);

/**
 * Buys a list of items, each under its own key, and survives crashes: call it again with the same store and run, and nothing is bought
 * twice and nothing is lost. First every item is stored as an order, from any iterable, a file of a million lines included; then the
 * orders are bought until none is left to buy. Several processes may work on one run.
 *
 * An item whose outcome is unknown is bought again under its key until the service accepts it. An error that every item would meet (401,
 * 402, 403, a wrong option or address) ends the call; an error of one item does not. Give the client `pacing: true`.
 *
 * @throws `ConfigurationError` for a wrong option, and what the store throws.
 *
 * @example
 * ```ts
 * const { accepted, spent, left } = await purchaseAll(billpay, items, { store, run: 'payday-2026-11' });
 * ```
 */
export async function purchaseAll<Client>(
  billpay: OrdersClient,
  items: Iterable<PurchaseItem> | AsyncIterable<PurchaseItem>,
  options: PurchaseAllOptions<Client>,
): Promise<BulkSummary> {
  const checked = parseOptions(optionsSchema, options, { owner: 'purchaseAll' });
  const { run, concurrency, onItem, onProgress, stopWhen, buyTimeout, lease, retryDelay } = checked;
  const { store } = options;
  const counts = { accepted: 0, refused: 0, review: 0, invalid: 0, skipped: 0 };
  let spentKobo = 0;
  const progress = (): BulkProgress => ({ ...counts, spent: toNaira(spentKobo) });
  /** What this process did, in order; other processes report their own. */
  const moved: Order[] = [];
  const onTransition = (order: Order, from: OrderState) => void (from !== 'accepted' && moved.push(order));
  const orders = createOrders({ billpay, store, buyTimeout, lease, retryDelay, onTransition });

  return stoppable(checked, async (stop) => {
    const report = async (result: BulkResult) => {
      const { status, item, order } = result;
      counts[status]++;
      if (status === 'accepted') spentKobo += toKobo(order?.amount ?? askedAmount(item));
      await onItem?.(result);
      onProgress?.(progress());
      if (stopWhen?.(result, progress())) stop.abort({ reason: 'stopWhen' });
    };
    let hasFoundService = false;
    // Results are reported one after the other, whichever step brought them.
    let reporting = Promise.resolve();
    const reportMoved = () => {
      reporting = reporting.then(async () => {
        for (let order = moved.shift(); order; order = moved.shift()) {
          if (order.state === 'buying') continue;
          const why = stopReason(order);
          hasFoundService ||= why?.reason !== 'endpoint';
          // Once something was found at the address, a 404 is about the product of that item.
          if (why && !(why.reason === 'endpoint' && hasFoundService)) stop.abort(why);
          const status = boughtStatus(order.state);
          if (status) await report(resultOf(itemOf(order), status, { order }));
        }
      });
      return reporting;
    };
    const skip = ({ state }: Order) => void (boughtStatus(state) && counts.skipped++);
    await placeAll(store, run, items, stop.signal, report, skip);
    await workOff({ store, run, concurrency }, statesToBuy, stop.signal, async (id) => {
      await orders.run({ type: 'order', id });
      await reportMoved();
    });
    const left = await leftOf(store, run);
    const stopped: BulkStop | undefined = stop.signal.reason;
    return { ...progress(), left, ...(stopped && { stopped }) };
  });
}

/** How the buying of an order ended; undefined while it has not. */
function boughtStatus(state: OrderState): 'accepted' | 'refused' | 'review' | undefined {
  if (state === 'refused' || state === 'review') return state;
  return state === 'accepted' || state === 'delivered' || state === 'failed' ? 'accepted' : undefined;
}

/** The amount that an item names itself, in NGN; 0 for catalogue products without one, whose price is the service's. */
const askedAmount = ({ params }: Pick<PurchaseItem, 'params'>): number =>
  'amount' in params ? (params.amount ?? 0) : 0;

/** Adds up what is still to buy. */
async function leftOf<Client>(store: OrderStore<Client>, run: string): Promise<BulkSummary['left']> {
  let items = 0;
  let unknown = 0;
  let kobo = 0;
  for await (const order of ordersOf(store, run, statesToBuy)) {
    items++;
    kobo += toKobo(askedAmount(order));
    if (order.doubted || order.state === 'buying') unknown++;
  }
  return { items, amount: toNaira(kobo), unknown };
}
