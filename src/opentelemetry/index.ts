/**
 * Traces and metrics with OpenTelemetry for clients, webhook receivers and orders.
 *
 * @module billpay/opentelemetry
 */

export { type Instrumentation, type InstrumentOptions, instrument } from './instrument.js';
export type { MeterOptions } from './instruments.js';
export { instrumentOrders, type OrderLike, type OrderStatsLike, observeOrders } from './order-metrics.js';
export { type DeliveryLike, instrumentWebhooks } from './webhook-metrics.js';
