import * as z from 'zod/mini';
import { toKobo, toNaira } from '../contract/money.js';
import type { OrdersClient, OrdersOptions } from '../orders/options.js';
import type { Order } from '../orders/order.js';
import { createOrders } from '../orders/orders.js';
import type { OrderStore } from '../orders/store.js';
import { fn, ms } from '../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../validation/parse-options.js';
import { ordersOf, type RunOptions, runShape, stoppable, workOff } from './run.js';

/** Options for `settleAll`. */
export interface SettleAllOptions<Client>
  extends RunOptions<Client>,
    Pick<OrdersOptions<Client>, 'lookUpAfter'> {
  /** ms after which sales that are not over are left open. Default 600,000 (10 minutes). */
  readonly timeout?: number | undefined;
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
  ...runShape,
  lookUpAfter: z.optional(ms()),
  timeout: z._default(ms(), 600_000),
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
  const { run, concurrency, lookUpAfter, onItem } = checked;
  const { store } = options;
  const orders = createOrders({ billpay, store, lookUpAfter, onTransition: (order) => onItem?.(order) });
  return stoppable(checked, async ({ signal }) => {
    await workOff({ store, run, concurrency }, ['accepted'], signal, (id) =>
      orders.run({ type: 'order', id }),
    );
    return summaryOf(store, run);
  });
}

async function summaryOf<Client>(store: OrderStore<Client>, run: string): Promise<SettleSummary> {
  const counts = { delivered: 0, failed: 0, open: 0, review: 0, awaitingRefund: 0 };
  const kobo = { delivered: 0, failed: 0 };
  for await (const order of ordersOf(store, run, ['accepted', 'delivered', 'failed', 'review'])) {
    const { state, amount = 0, awaitingRefund } = order;
    if (awaitingRefund) counts.awaitingRefund++;
    if (state === 'accepted') counts.open++;
    else if (state === 'delivered' || state === 'failed' || state === 'review') counts[state]++;
    if (state === 'delivered' || state === 'failed') kobo[state] += toKobo(amount);
  }
  return { ...counts, deliveredAmount: toNaira(kobo.delivered), refundedAmount: toNaira(kobo.failed) };
}
