import {
  type Attributes,
  type BatchObservableResult,
  diag,
  type Meter,
  type MetricOptions,
  metrics,
} from '@opentelemetry/api';
import { webhookEventNames } from '../contract/vocabulary.js';
import { errorResponses } from '../errors/error-responses.js';
import type { AttemptRecord, CallInfo, CallRecord } from '../options.js';
import { callSafely } from '../utils/functions.js';
import { nameOfThrown, readProperty } from '../utils/unknown.js';
import {
  assertOption,
  instance,
  type OptionSchema,
  type OptionShape,
  optional,
  optionsOf,
  parseOptions,
} from '../validation/options.js';
import { version } from '../version.js';

/** Names of attributes: OpenTelemetry's semantic conventions where one exists, else below `billpay.`. */
export const names = {
  errorType: 'error.type',
  resendCount: 'http.request.resend_count',
  responseStatus: 'http.response.status_code',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  operation: 'billpay.operation',
  outcome: 'billpay.outcome',
  errorCode: 'billpay.error.code',
  retryReason: 'billpay.retry.reason',
  retryDelay: 'billpay.retry.delay',
  pacingWait: 'billpay.pacing.wait',
  attemptDuration: 'billpay.attempt.duration',
  webhookEvent: 'billpay.webhook.event',
  orderState: 'billpay.order.state',
  orderFrom: 'billpay.order.from',
  orderProduct: 'billpay.order.product',
} as const;

/** What metrics and spans of a call have in common. Never the recipient, a token or a key of any kind. */
export function callAttributes({ operation, baseUrl }: CallInfo): Attributes {
  const { hostname, port, protocol } = new URL(baseUrl);
  return {
    [names.operation]: operation,
    [names.serverAddress]: hostname,
    [names.serverPort]: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
}

export function outcomeAttributes({ outcome, error }: CallRecord): Attributes {
  return {
    [names.outcome]: outcome,
    ...(outcome !== 'success' && { [names.errorType]: error?.name ?? '_OTHER' }),
  };
}

const documentedCodes: readonly string[] = errorResponses.flatMap((row) => ('code' in row ? [row.code] : []));

/** How an attempt ended. A code that is not documented is left out: a proxy may put anything there. */
export function attemptAttributes({ operation, status, code, error }: AttemptRecord): Attributes {
  return {
    [names.operation]: operation,
    ...(status !== undefined && { [names.responseStatus]: status }),
    ...(code !== undefined && documentedCodes.includes(code) && { [names.errorCode]: code }),
    ...(error !== undefined && { [names.errorType]: error }),
  };
}

/** Why an attempt was repeated: the documented code of its response, else its status, else the class of its error. */
export function retryReason({ status, code, error }: AttemptRecord): string {
  if (code !== undefined && documentedCodes.includes(code)) return code;
  return status === undefined ? (error ?? '_OTHER') : String(status);
}

/** The name of a webhook event, for a metric: a documented one, or `_OTHER`. */
export const webhookEventName = (event: string): string =>
  webhookEventNames.find((name) => name === event) ?? '_OTHER';

/** The name of the instrumentation scope of every span and metric. */
export const scope = 'billpay';

const globalMeter = (): Meter => metrics.getMeter(scope, version);

/**
 * Creates instruments on first use. The global meter is bound when it is looked up, and clients are often created before the
 * SDK is registered.
 */
export function onFirstUse<T>(given: Meter | undefined, create: (meter: Meter) => T): () => T {
  let created: T | undefined;
  return () => {
    created ??= create(given ?? globalMeter());
    return created;
  };
}

/** Options for `instrumentWebhooks`, `instrumentOrders` and `observeOrders`. */
export interface MeterOptions {
  /** Makes the metrics. Default: the meter `billpay` of the globally registered provider, looked up at first use. */
  readonly meter?: Meter | undefined;
}

/** A tracer or meter, of which nothing more is known here. What it lacks is found where it is used, and affects no call. */
export const otelObject = <T>(by: 'tracer' | 'meter'): OptionSchema<T> =>
  instance<T>((value) => typeof value === 'object' && value !== null, `must be a ${by} of OpenTelemetry`);

const meterOptions = optionsOf({
  meter: optional(otelObject<Meter>('meter')),
} satisfies OptionShape<MeterOptions>);

/** A histogram of seconds, with boundaries from a fast response to the default limit of a whole call. */
export const inSeconds = (description: string): MetricOptions => ({
  description,
  unit: 's',
  advice: { explicitBucketBoundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] },
});

/** Records something; a failure is a line of OpenTelemetry's own diagnostic log and affects nothing else. */
export const recordSafely = (record: () => unknown): void =>
  callSafely(record, (error) => diag.error(`billpay: a span or metric was lost (${nameOfThrown(error)})`));

/** What is read of a delivery: a `WebhookDeliveryRecord` of `billpay/webhooks`. */
export interface DeliveryLike {
  /** The HTTP status of the response. */
  readonly status: number;
  /** ms from the delivery's arrival to its response. */
  readonly durationMs: number;
  /** The name of the event, once it has been verified. */
  readonly event?: string;
  /** Why the delivery failed verification. */
  readonly reason?: string;
}

/**
 * Counts webhook deliveries by response, event and reason of refusal, and measures how long they take. Its result is the option
 * `onDelivery` of a receiver. The metrics are listed in docs/operate.md.
 *
 * @throws `ConfigurationError` that names the wrong option.
 * @example
 * ```ts
 * const handler = createWebhookHandler({ ...instrumentWebhooks(), secret, on });
 * ```
 */
export function instrumentWebhooks(options: MeterOptions = {}): {
  readonly onDelivery: (record: DeliveryLike) => void;
} {
  const { meter } = parseOptions(meterOptions, options, { owner: 'instrumentWebhooks' });
  const instruments = onFirstUse(meter, (given) => ({
    deliveries: given.createCounter('billpay.webhook.deliveries', {
      description: 'Webhook deliveries, by the status of the response to them.',
      unit: '{delivery}',
    }),
    duration: given.createHistogram(
      'billpay.webhook.delivery.duration',
      inSeconds('Time from the arrival of a webhook delivery to its response.'),
    ),
  }));
  return {
    onDelivery(record) {
      recordSafely(() => {
        const { deliveries, duration } = instruments();
        const { status, event, reason, durationMs } = record;
        const attributes = {
          [names.responseStatus]: status,
          ...(event !== undefined && { [names.webhookEvent]: webhookEventName(event) }),
          ...(reason !== undefined && { [names.errorType]: reason }),
        };
        deliveries.add(1, attributes);
        duration.record(durationMs / 1000, attributes);
      });
    },
  };
}

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
  /** How many failed transactions wait for their refund. */
  readonly awaitingRefund: number;
  /** NGN charged for orders that were placed since midnight UTC. */
  readonly spent: number;
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
  assertOption(
    typeof readProperty(orders, 'stats') === 'function',
    'orders',
    'must be what createOrders() returned',
  );
  const { meter = globalMeter() } = parseOptions(meterOptions, options, { owner });
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(`billpay.orders${name}`, { unit, description });
  const gauges = {
    count: gauge('', '{order}', 'Orders, by state.'),
    oldest: gauge('.oldest.age', 's', 'Time since the oldest order of each open state was placed.'),
    awaitingRefund: gauge(
      '.awaiting_refund',
      '{order}',
      'Failed transactions whose refund has not been seen.',
    ),
    spentToday: gauge(
      '.spent_today',
      '{NGN}',
      'NGN charged for orders that were placed since midnight UTC, failed and refunded ones taken off.',
    ),
  };
  const observe = async (result: BatchObservableResult) => {
    const { count, oldest, awaitingRefund, spent } = await orders.stats();
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
  };
  const all = Object.values(gauges);
  meter.addBatchObservableCallback(observe, all);
  return () => meter.removeBatchObservableCallback(observe, all);
}
