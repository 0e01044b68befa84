/**
 * The client: typed calls of the service, their errors, and `verifyWebhook`.
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
export type { BillPayOptions } from './client-options.js';
export type { WebhookEvent } from './contract/events.js';
export type {
  AirtimePurchaseParams,
  DataPurchaseParams,
  EduPurchaseParams,
  ElectricityPurchaseParams,
  TvPurchaseParams,
} from './contract/params.js';
export type { PurchaseItem } from './contract/purchase-item.js';
export type {
  Catalogue,
  CatalogueProduct,
  Purchase,
  SettledTransaction,
  Transaction,
  ValidateResult,
  WebhookSubscription,
} from './contract/responses.js';
export type { Product, TransactionStatus } from './contract/vocabulary.js';
export {
  AbortError,
  AccountRestrictedError,
  AlreadyProcessingError,
  AmountMismatchError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  BillerNotConfiguredError,
  BillPayError,
  ConfigurationError,
  ConnectionError,
  IdempotencyKeyReusedError,
  InsufficientBalanceError,
  isBillPayError,
  MethodNotAllowedError,
  NotFoundError,
  PermissionError,
  ProviderUnavailableError,
  QueueUnavailableError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
  ValidationError,
  VerificationFailedError,
  WebhookVerificationError,
} from './errors/index.js';
export { type NextStep, nextStep } from './errors/next-step.js';
export type { ApiCall } from './http/api-call.js';
export type { Transport } from './http/transport.js';
export type {
  AttemptRecord,
  CallOptions,
  CallRecord,
  Logger,
  PurchaseOptions,
} from './options.js';
export { createPacer } from './pacing/pacer.js';
export { normalizePhone } from './resources/normalize-phone.js';
export type { WaitOptions } from './resources/wait-until-settled.js';
export { type PinoLike, pinoLogger, winstonLogger } from './utils/logger.js';
export { verifyWebhook } from './webhooks/verify.js';
