import * as z from 'zod/mini';
import type { PurchaseItem } from '../contract/purchase-item.js';
import type { OrdersClient } from '../orders/options.js';
import type { Order } from '../orders/order.js';
import { createOrders } from '../orders/orders.js';
import type { OrderState } from '../orders/states.js';
import type { OrderStore } from '../orders/store.js';
import { onAbort } from '../utils/on-abort.js';
import { fn, ms, signal, text, wholeNumber } from '../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../validation/parse-options.js';
import { askedAmount, Sum } from './amounts.js';
import { hasOrders, ordersOf, statesToBuy, storeOption } from './open-orders.js';
import { placeAll } from './place-all.js';
import { type BulkResult, resultOf } from './result.js';
import { type BulkStop, missedEndpoint, stopReason } from './stop-reason.js';
import { workOff } from './work-off.js';

/** Options for `purchaseAll`. */
export interface PurchaseAllOptions<Client> {
  /**
   * Where the orders of the run are stored: `sqliteOrderStore(database)` for one machine, `postgresOrderStore(pool)` or
   * `mysqlOrderStore(pool)` for several, `memoryOrderStore()` where nothing has to outlive the process.
   */
  readonly store: OrderStore<Client>;
  /** The name of the run, such as `payday-2026-11`. A later call with the same name continues it. */
  readonly run: string;
  /** How many purchases are under way at once in this process. Default 4. */
  readonly concurrency?: number | undefined;
  /** ms for one attempt to buy an item, its waits and retries included. Default 120,000. */
  readonly buyTimeout?: number | undefined;
  /**
   * ms that one process may hold an order before another continues with it; after a crash the orders that were under way wait so long.
   * Default `buyTimeout` plus 30,000.
   */
  readonly lease?: number | undefined;
  /** The longest wait before try `n` of an item (1 for the first), in ms: mainly for tests. As the option of `createOrders`. */
  readonly retryDelay?: ((n: number) => number) | undefined;
  /** Ends the call cleanly after the purchases under way. */
  readonly signal?: AbortSignal | undefined;
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
  store: storeOption(),
  run: text(', such as payday-2026-11'),
  concurrency: z._default(wholeNumber(1), 4),
  buyTimeout: z.optional(ms()),
  lease: z.optional(ms()),
  retryDelay: z.optional(fn<(n: number) => number>(' that returns a number of milliseconds')),
  signal: z.optional(signal()),
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
 * An item whose outcome is unknown is bought again under its key until the service accepts it. The call stops by itself on errors that
 * every item would meet (401, 402, 403, a wrong option, a wrong address), and continues past errors of one item. Give the client
 * `pacing: true`.
 *
 * @throws `ConfigurationError` for a wrong option, and what the store throws.
 *
 * @example
 * ```ts
 * const summary = await purchaseAll(billpay, items, {
 *   store,
 *   run: 'payday-2026-11',
 *   onItem: ({ item, status, next }) => console.log(item.idempotency_key, status, next),
 * });
 * console.log(summary.accepted, summary.spent, summary.left.items);
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
  const stop = new AbortController();
  let stopped: BulkStop | undefined;
  const end = (why: BulkStop) => {
    stopped ??= why;
    stop.abort();
  };
  const stopListening = onAbort(checked.signal, () => end({ reason: 'signal' }));
  if (checked.signal?.aborted) end({ reason: 'signal' });

  const tally = createTally();
  /** What this process did, in order; other processes report their own. */
  const moved: Order[] = [];
  const orders = createOrders({
    billpay,
    store,
    buyTimeout,
    lease,
    retryDelay,
    onTransition: (order, from) => {
      if (from !== 'accepted') moved.push(order);
    },
  });
  const report = async (result: BulkResult) => {
    tally.add(result);
    await onItem?.(result);
    onProgress?.(tally.progress());
    if (stopWhen?.(result, tally.progress())) end({ reason: 'stopWhen' });
  };
  // Results are reported one after the other, whichever step brought them.
  let reporting = Promise.resolve();
  const reportMoved = (): Promise<void> => {
    reporting = reporting.then(async () => {
      for (let order = moved.shift(); order; order = moved.shift()) {
        if (order.state === 'buying') continue;
        const status = boughtStatus(order.state);
        if (status !== 'accepted') {
          const why = stopReason(order, tally.missed(order));
          if (why) end(why);
        } else tally.found();
        if (status) await report(resultOf(order, status));
      }
    });
    return reporting;
  };

  try {
    const known = ({ state }: Order) => {
      if (boughtStatus(state)) tally.skip();
    };
    await placeAll(store, run, items, { invalid: report, known }, () => stop.signal.aborted);
    // What an earlier call left because of the account is tried again at once.
    for await (const { id } of ordersOf(store, run, ['held'])) await orders.retry(id);
    await workOff({
      store,
      run,
      concurrency,
      signal: stop.signal,
      accepts: ({ state }) => state !== 'accepted',
      step: async (id) => {
        await orders.run({ type: 'order', id });
        await reportMoved();
      },
      hasMore: () => hasOrders(store, run, statesToBuy),
    });
    return { ...tally.progress(), left: await leftOf(store, run), ...(stopped && { stopped }) };
  } finally {
    stopListening();
  }
}

/** How the buying of an order ended; undefined while it has not. */
function boughtStatus(state: OrderState): 'accepted' | 'refused' | 'review' | undefined {
  if (state === 'refused' || state === 'review') return state;
  return state === 'accepted' || state === 'delivered' || state === 'failed' ? 'accepted' : undefined;
}

/** Counts the results of a call. */
function createTally() {
  const counts = { accepted: 0, refused: 0, review: 0, invalid: 0, skipped: 0 };
  const spent = new Sum();
  let hasFoundService = false;
  return {
    skip(): void {
      counts.skipped++;
    },
    add({ status, item, order }: BulkResult): void {
      counts[status]++;
      if (status === 'accepted') spent.add(order?.amount ?? askedAmount(item) ?? 0);
    },
    /** Something was served at the address. */
    found(): void {
      hasFoundService = true;
    },
    /** Whether no attempt so far, this one included, has found anything at the address. */
    missed(order: Order): boolean {
      hasFoundService ||= !missedEndpoint(order);
      return !hasFoundService;
    },
    progress: (): BulkProgress => ({ ...counts, spent: spent.total }),
  };
}

/** Adds up what is still to buy. */
async function leftOf<Client>(store: OrderStore<Client>, run: string): Promise<BulkSummary['left']> {
  const amount = new Sum();
  let items = 0;
  let unknown = 0;
  for await (const { params, state, doubted } of ordersOf(store, run, statesToBuy)) {
    items++;
    amount.add(askedAmount({ params }) ?? 0);
    if (doubted || state === 'buying') unknown++;
  }
  return { items, amount: amount.total, unknown };
}
