/**
 * Receives webhooks: verifies each delivery, passes each event to your handler once, and responds so that nothing is lost.
 *
 * @example
 * ```ts
 * import { createWebhookHandler } from 'billpay/webhooks';
 *
 * export const POST = createWebhookHandler({
 *   secret: process.env.BILLPAY_WEBHOOK_SECRET,
 *   on: { 'transaction.completed': async ({ data }) => console.log(data.reference) },
 * });
 * ```
 * @module billpay/webhooks
 */
export {
  isKnownEvent,
  type KnownWebhookEvent,
  type TransactionCompletedEvent,
  type TransactionFailedEvent,
  type UnknownWebhookEvent,
  type WebhookEvent,
  type WebhookTransaction,
} from '../contract/events.js';
export { WebhookVerificationError, type WebhookVerificationReason } from '../errors/webhook-errors.js';
export type { PostgresClient, PostgresPool } from '../postgres.js';
export type {
  DedupeState,
  DedupeStore,
  DedupeTimes,
  WebhookContext,
  WebhookEventHandler,
} from './dedupe/dedupe.js';
export { type MemoryDedupeOptions, memoryDedupe } from './dedupe/memory-dedupe.js';
export {
  type PostgresConnection,
  type PostgresDedupeOptions,
  type PostgresDedupeStore,
  postgresDedupe,
} from './dedupe/postgres-dedupe.js';
export {
  type IoRedisClient,
  type NodeRedisClient,
  type RedisDedupeOptions,
  redisDedupe,
} from './dedupe/redis-dedupe.js';
export { AlreadyHandledError, RetryLaterError } from './errors.js';
export type { NodeWebhookResponse } from './node.js';
export {
  type NodeWebhookHandler,
  type NodeWebhookRequest,
  toNodeHandler,
} from './node.js';
export { createWebhookHandler } from './receiver.js';
export type {
  WebhookDeliveryRecord,
  WebhookFailure,
  WebhookHandlerOptions,
  WebhookLogger,
} from './receiver-options.js';
export type { RawBody, WebhookHeaders } from './request.js';
export type { WebhookDelivery, WebhookHandler, WebhookResponse } from './respond.js';
export type { WebhookSecret } from './secret.js';
export { type SignedWebhookHeaders, type SignWebhookOptions, signWebhook } from './sign.js';
export { type VerifyWebhookOptions, verifyWebhook } from './verify.js';
