import { toKobo, toNaira } from '../contract/money.js';
import { nextStep } from '../errors/next-step.js';
import type { OrdersClient, OrdersOptions } from '../orders/options.js';
import type { Order } from '../orders/order.js';
import { createOrders } from '../orders/orders.js';
import type { OrderStore } from '../orders/store.js';
import { fn, ms } from '../validation/option-kinds.js';
import { type OptionShape, optional, optionsOf, parseOptions, withDefault } from '../validation/options.js';
import { inTurn, ordersOf, type RunOptions, runShape, stoppable, workOff } from './run.js';

/** Options for `settleAll`. */
export interface SettleAllOptions<Client>
  extends RunOptions<Client>,
    Pick<OrdersOptions<Client>, 'checkAfter'> {
  /** ms after which orders that are not over are left open. Default 600,000 (10 minutes). */
  readonly timeout?: number | undefined;
  /** Called with each order that this call has seen end, or go to a person, one after the other, and awaited. If it throws, the call ends with its error. */
  readonly onItem?: ((order: Order) => unknown) | undefined;
}

/** The report over all orders of the run that were bought, whoever settled them. */
export interface SettleSummary {
  /** Orders that were delivered. */
  readonly delivered: number;
  /** Orders that failed and were refunded. */
  readonly failed: number;
  /** Orders that are not over yet, those that await a refund included. */
  readonly open: number;
  /** Of the open orders, those that failed and whose refund has not been seen. */
  readonly awaitingRefund: number;
  /** Orders that need a person. */
  readonly review: number;
  /** NGN of the delivered orders. */
  readonly deliveredAmount: number;
  /** NGN of the failed and refunded orders, which the wallet has back. */
  readonly refundedAmount: number;
}

const optionsSchema = optionsOf({
  ...runShape,
  checkAfter: optional(ms()),
  timeout: withDefault(ms(), 600_000),
  onItem: optional(fn<(order: Order) => unknown>(' that takes one order')),
} satisfies OptionShape<SettleAllOptions<unknown>>);

/**
 * Follows the accepted orders of a run until they are over. A webhook that a receiver of orders on the same store handles ends an order at
 * once (`orders.webhookHandler`); the status of what stays silent is checked, ever more slowly. What is open at the end is followed by the next
 * call. A status check that fails is made again later.
 *
 * @throws `ConfigurationError` for a wrong option; what `onItem` or the store throws; the error of an account at fault (401, 403).
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
  const { run, concurrency, checkAfter, onItem } = checked;
  const { store } = options;
  const orders = createOrders({ billpay, store, checkAfter });
  const report = inTurn(onItem);
  const step = async (id: string): Promise<number | undefined> => {
    await orders.run(id).catch((error: unknown) => {
      if (nextStep(error).action === 'hold') throw error;
    });
    const order = await store.find(id);
    if (order?.state === 'accepted') return order.dueInMs ?? 0;
    if (order) await report(order);
    return undefined;
  };
  return stoppable(checked, async ({ signal }) => {
    const ids: string[] = [];
    for await (const { id } of ordersOf(store, run, ['accepted'])) ids.push(id);
    await workOff(ids, { concurrency, signal }, step);
    return summaryOf(store, run);
  });
}

async function summaryOf<Client>(store: OrderStore<Client>, run: string): Promise<SettleSummary> {
  const counts = { delivered: 0, failed: 0, open: 0, review: 0, awaitingRefund: 0 };
  const kobo = { delivered: 0, failed: 0 };
  for await (const order of ordersOf(store, run, ['accepted', 'delivered', 'failed', 'review'])) {
    const { state, amount = 0, amountCharged = amount, awaitingRefund } = order;
    if (awaitingRefund) counts.awaitingRefund++;
    if (state === 'accepted') counts.open++;
    else if (state === 'delivered' || state === 'failed' || state === 'review') counts[state]++;
    if (state === 'delivered' || state === 'failed') kobo[state] += toKobo(amountCharged);
  }
  return { ...counts, deliveredAmount: toNaira(kobo.delivered), refundedAmount: toNaira(kobo.failed) };
}
