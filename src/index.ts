/**
 * The client: typed calls of the service, their errors, and what the other entry points share.
 *
 * @example
 * ```ts
 * import { BillPay } from 'billpay';
 *
 * const billpay = new BillPay();
 * const order = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-7' };
 * const { reference } = await billpay.airtime.purchase(order);
 * ```
 * @module billpay
 */
export { BillPay } from './client.js';
export * from './contract/events.js';
export type {
  AirtimePurchaseParams,
  DataProductsParams,
  DataPurchaseParams,
  EduProductsParams,
  EduPurchaseParams,
  EduValidateParams,
  ElectricityPurchaseParams,
  ElectricityValidateParams,
  PurchaseParams,
  TvProductsParams,
  TvPurchaseParams,
  TvValidateParams,
  WebhookSubscribeParams,
} from './contract/params.js';
export type { PurchaseItem } from './contract/purchase-item.js';
export type { FieldErrors } from './contract/read-params.js';
export type {
  Catalogue,
  CatalogueProduct,
  Purchase,
  SettledTransaction,
  Transaction,
  ValidateResult,
  WebhookSubscription,
} from './contract/responses.js';
export type {
  Documented,
  EduBiller,
  ElectricityBiller,
  MeterType,
  NetworkBiller,
  Open,
  Product,
  TransactionStatus,
  TvBiller,
  Undocumented,
  WebhookEventName,
} from './contract/vocabulary.js';
export * from './errors/index.js';
export { type NextStep, nextStep } from './errors/next-step.js';
export type { ApiCall, CallResult } from './http/api-call.js';
export type { RequestParams } from './http/check-request.js';
export type {
  BodyFailure,
  Transport,
  TransportBounds,
  TransportFailure,
  TransportOutcome,
  TransportRequest,
  TransportResponse,
} from './http/transport.js';
export type {
  AttemptInfo,
  AttemptRecord,
  BillPayOptions,
  CallInfo,
  CallOptions,
  CallRecord,
  HeadersOption,
  Logger,
  LogLevel,
  PurchaseOptions,
} from './options.js';
export { createPacer, type Pacer, type PacerOptions, type PacerStats, type Place } from './pacing/pacer.js';
export type { RequestPriority, Turn } from './pacing/queue.js';
export type { SharedLimiter, SharedPacing } from './pacing/shared-pacer.js';
export type { Airtime } from './resources/airtime.js';
export type { Data } from './resources/data.js';
export type { Edu } from './resources/edu.js';
export type { Electricity } from './resources/electricity.js';
export type { Transactions } from './resources/transactions.js';
export type { Tv } from './resources/tv.js';
export type { SettlementSource, WaitOptions } from './resources/wait-until-settled.js';
export type { Webhooks } from './resources/webhooks.js';
export { type PinoLike, pinoLogger, type WinstonLike, winstonLogger } from './utils/logger-adapters.js';
export { normalizePhone } from './validation/normalize-phone.js';
export type { WebhookHeaders } from './webhooks/headers.js';
export type { RawBody } from './webhooks/raw-body.js';
export type { WebhookSecret } from './webhooks/secret.js';
export { type VerifyWebhookOptions, verifyWebhook } from './webhooks/verify.js';
