/**
 * Traces and metrics with OpenTelemetry for clients, webhook receivers and orders.
 *
 * @module billpay/opentelemetry
 */

export { type Instrumentation, type InstrumentOptions, instrument } from './instrument.js';
export {
  type DeliveryLike,
  instrumentOrders,
  instrumentWebhooks,
  type MeterOptions,
  type OrderLike,
  type OrderStatsLike,
  observeOrders,
} from './metrics.js';
