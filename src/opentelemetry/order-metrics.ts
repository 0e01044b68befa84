import type { BatchObservableResult } from '@opentelemetry/api';
import * as z from 'zod/mini';
import { withMethods } from '../validation/option-kinds.js';
import { parseOptions } from '../validation/parse-options.js';
import { names } from './attributes.js';
import { globalMeter, type MeterOptions, meterOptions, onFirstUse, recordSafely } from './instruments.js';

/** What is read of an order: any `Order` of `billpay/orders`. */
export interface OrderLike {
  /** The product family. */
  readonly product: string;
}

/** What is read of the statistics of orders: any `OrderStats` of `billpay/orders`. */
export interface OrderStatsLike {
  /** How many orders are in each state. */
  readonly count: Readonly<Record<string, number>>;
  /** When the oldest order of each open state was placed. */
  readonly oldest: Readonly<Record<string, Date | undefined>>;
  /** How many failed sales wait for their refund. */
  readonly awaitingRefund: number;
  /** NGN charged for orders that were placed since midnight UTC. */
  readonly spent: number;
  /** How many webhooks wait for an order to store their reference. */
  readonly keptEvents: number;
}

/**
 * Counts the transitions of orders, by product and by the states before and after. Its result is the option `onTransition` of
 * `createOrders`.
 *
 * @throws `ConfigurationError` that names the wrong option.
 * @example
 * ```ts
 * const orders = createOrders({ ...instrumentOrders(), billpay, store });
 * ```
 */
export function instrumentOrders(options: MeterOptions = {}): {
  readonly onTransition: (order: OrderLike, from: string, to: string) => void;
} {
  const { meter } = parseOptions(meterOptions, options, { owner: 'instrumentOrders' });
  const transitions = onFirstUse(meter, (given) =>
    given.createCounter('billpay.order.transitions', {
      description: 'Changes of the state of orders.',
      unit: '{transition}',
    }),
  );
  return {
    onTransition: ({ product }, from, to) =>
      recordSafely(() =>
        transitions().add(1, {
          [names.orderProduct]: product,
          [names.orderFrom]: from,
          [names.orderState]: to,
        }),
      ),
  };
}

/**
 * Reports how many orders are in each state, how old the oldest of each open state is, what awaits a refund, and what was spent today.
 * The store is asked once for each collection of the metrics; one process of many is enough. Call it after the SDK is registered.
 *
 * @returns a function that ends the reports.
 * @throws `ConfigurationError` that names what is wrong.
 * @example
 * ```ts
 * const stop = observeOrders(orders);
 * ```
 */
export function observeOrders(
  orders: { stats(): PromiseLike<OrderStatsLike> },
  options: MeterOptions = {},
): () => void {
  const owner = 'observeOrders';
  parseOptions(observed, { orders }, { owner });
  const { meter = globalMeter() } = parseOptions(meterOptions, options, { owner });
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(`billpay.orders${name}`, { unit, description });
  const gauges = {
    count: gauge('', '{order}', 'Orders, by state.'),
    oldest: gauge('.oldest.age', 's', 'Time since the oldest order of each open state was placed.'),
    awaitingRefund: gauge('.awaiting_refund', '{order}', 'Failed sales whose refund has not been seen.'),
    spentToday: gauge(
      '.spent_today',
      '{NGN}',
      'NGN charged for orders that were placed since midnight UTC, failed and refunded sales taken off.',
    ),
    keptEvents: gauge('.kept_events', '{event}', 'Webhooks that wait for an order to store their reference.'),
  };
  const observe = async (result: BatchObservableResult) => {
    const { count, oldest, awaitingRefund, spent, keptEvents } = await orders.stats();
    const now = Date.now();
    for (const [state, orders] of Object.entries(count)) {
      result.observe(gauges.count, orders, { [names.orderState]: state });
    }
    for (const [state, placedAt] of Object.entries(oldest)) {
      if (!placedAt) continue;
      // The clock of the store may be ahead of this one.
      const seconds = Math.max(0, (now - placedAt.getTime()) / 1000);
      result.observe(gauges.oldest, seconds, { [names.orderState]: state });
    }
    result.observe(gauges.awaitingRefund, awaitingRefund);
    result.observe(gauges.spentToday, spent);
    result.observe(gauges.keptEvents, keptEvents);
  };
  const all = Object.values(gauges);
  meter.addBatchObservableCallback(observe, all);
  return () => meter.removeBatchObservableCallback(observe, all);
}

const observed = z.object({
  orders: withMethods<object>(['stats'], 'must be what createOrders() returned'),
});
