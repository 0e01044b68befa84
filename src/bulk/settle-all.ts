import { nextStep } from '../errors/next-step.js';
import type { OrdersClient, OrdersOptions } from '../orders/options.js';
import type { Order } from '../orders/order.js';
import { createOrders } from '../orders/orders.js';
import { eachOrder } from '../orders/store.js';
import {
  fn,
  ms,
  type OptionShape,
  optional,
  optionsOf,
  parseOptions,
  unchecked,
  withDefault,
} from '../validation/options.js';
import { follow, type RunOptions, runShape, type Stepped, stoppable } from './run.js';

/** Options for `settleAll`. */
export interface SettleAllOptions<Client>
  extends RunOptions<Client>,
    Pick<OrdersOptions<Client>, 'checkAfter'> {
  /** ms after which orders that are not over are left open. Default 600,000 (10 minutes). */
  readonly timeout?: number | undefined;
  /** Called with each order that this call has seen end, or go to a person, one after the other, and awaited. If it throws, the call ends with its error. Default: none. */
  readonly onItem?: ((order: Order) => unknown) | undefined;
}

/** How many orders of the run there are, whoever settled them. */
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
}

/** What is handed on is checked by `createOrders`. */
const optionsSchema = optionsOf({
  ...runShape,
  checkAfter: unchecked<number | undefined>(),
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
  const check = async (id: string): Promise<Stepped | undefined> => {
    await orders.run(id).catch((error: unknown) => {
      if (nextStep(error).action === 'hold') throw error;
    });
    const order = await store.find(id);
    return order && { order, againInMs: order.state === 'accepted' ? (order.dueInMs ?? 0) : undefined };
  };
  return stoppable(checked, async ({ signal }) => {
    const ids: string[] = [];
    for await (const { id } of eachOrder(store, { run, state: 'accepted' })) ids.push(id);
    for await (const order of follow(ids, { concurrency, signal }, check))
      if (order.state !== 'accepted') await onItem?.(order);
    const { count, awaitingRefund } = await store.stats({ run });
    const { delivered, failed, accepted: open, review } = count;
    return { delivered, failed, open, awaitingRefund, review };
  });
}
