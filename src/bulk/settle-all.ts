import * as z from 'zod/mini';
import type { OrdersClient } from '../orders/options.js';
import type { Order } from '../orders/order.js';
import { createOrders } from '../orders/orders.js';
import type { OrderStore } from '../orders/store.js';
import { onAbort } from '../utils/on-abort.js';
import { fn, ms, signal, text, wholeNumber } from '../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../validation/parse-options.js';
import { Sum } from './amounts.js';
import { hasOrders, ordersOf, storeOption } from './open-orders.js';
import { workOff } from './work-off.js';

/** Options for `settleAll`. */
export interface SettleAllOptions<Client> {
  /** The store of the run. */
  readonly store: OrderStore<Client>;
  /** The name of the run whose sales to follow. */
  readonly run: string;
  /** How many lookups are under way at once. Default 4. */
  readonly concurrency?: number | undefined;
  /** ms until a sale that no webhook settled is first looked up; then ever more slowly. Default 30,000. */
  readonly lookUpAfter?: number | undefined;
  /** ms after which sales that are not over are left open. Default 600,000 (10 minutes). */
  readonly timeout?: number | undefined;
  /** Ends the call cleanly: sales that are not over stay open. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each order that this call has seen end, or has handed to a person. */
  readonly onItem?: ((order: Order) => void) | undefined;
}

/** The report over all sales of the run, whoever settled them. */
export interface SettleSummary {
  /** Sales that were delivered. */
  readonly delivered: number;
  /** Sales that failed and were refunded. */
  readonly failed: number;
  /** Sales that are not over yet, those that await a refund included. */
  readonly open: number;
  /** Of the open sales, those that failed and whose refund has not been seen. */
  readonly awaitingRefund: number;
  /** Orders that need a person. */
  readonly review: number;
  /** NGN of the delivered sales. */
  readonly deliveredAmount: number;
  /** NGN of the failed and refunded sales, which the wallet has back. */
  readonly refundedAmount: number;
}

const optionsSchema = optionsOf({
  store: storeOption(),
  run: text(': the name that purchaseAll was given'),
  concurrency: z._default(wholeNumber(1), 4),
  lookUpAfter: z.optional(ms()),
  timeout: z._default(ms(), 600_000),
  signal: z.optional(signal()),
  onItem: z.optional(fn<(order: Order) => void>(' that takes one order')),
} satisfies OptionShape<SettleAllOptions<unknown>>);

/**
 * Follows the accepted sales of a run until they are over. A webhook that a receiver of orders on the same store handles ends a sale at
 * once (`orders.webhookHandler`); what stays silent is looked up, ever more slowly. What is open at the end is followed by the next call.
 *
 * @throws `ConfigurationError` for a wrong option, and what the store throws.
 *
 * @example
 * ```ts
 * const { delivered, failed, open } = await settleAll(billpay, { store, run: 'payday-2026-11' });
 * ```
 */
export async function settleAll<Client>(
  billpay: OrdersClient,
  options: SettleAllOptions<Client>,
): Promise<SettleSummary> {
  const checked = parseOptions(optionsSchema, options, { owner: 'settleAll' });
  const { run, concurrency, lookUpAfter, timeout, onItem } = checked;
  const { store } = options;
  const stop = new AbortController();
  const stopListening = onAbort(checked.signal, () => stop.abort());
  if (checked.signal?.aborted) stop.abort();
  const timer = setTimeout(() => stop.abort(), timeout);
  const orders = createOrders({ billpay, store, lookUpAfter, onTransition: (order) => onItem?.(order) });
  try {
    await workOff({
      store,
      run,
      concurrency,
      signal: stop.signal,
      accepts: ({ state }) => state === 'accepted',
      step: (id) => orders.run({ type: 'order', id }),
      hasMore: () => hasOrders(store, run, ['accepted']),
    });
    return await summaryOf(store, run);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

async function summaryOf<Client>(store: OrderStore<Client>, run: string): Promise<SettleSummary> {
  const counts = { delivered: 0, failed: 0, open: 0, review: 0, awaitingRefund: 0 };
  const delivered = new Sum();
  const refunded = new Sum();
  for await (const order of ordersOf(store, run, ['accepted', 'delivered', 'failed', 'review'])) {
    const { state, amount = 0, awaitingRefund } = order;
    if (awaitingRefund) counts.awaitingRefund++;
    if (state === 'accepted') counts.open++;
    else if (state === 'delivered' || state === 'failed' || state === 'review') counts[state]++;
    if (state === 'delivered') delivered.add(amount);
    if (state === 'failed') refunded.add(amount);
  }
  return { ...counts, deliveredAmount: delivered.total, refundedAmount: refunded.total };
}
