export {
  isKnownEvent,
  type KnownWebhookEvent,
  type TransactionCompletedEvent,
  type TransactionFailedEvent,
  type UnknownWebhookEvent,
  type WebhookEvent,
  type WebhookTransaction,
} from '../contract/events.js';
export { WebhookVerificationError, type WebhookVerificationReason } from '../errors/webhook.js';
export type { WebhookAnswer } from './answers.js';
export { AlreadyHandledError, type DedupeState, type DedupeStore, type DedupeTimes } from './dedupe.js';
export type { WebhookHeaders } from './headers.js';
export { type MemoryDedupeOptions, memoryDedupe } from './memory-dedupe.js';
export {
  type NodeWebhookHandler,
  type NodeWebhookRequest,
  type NodeWebhookResponse,
  toNodeHandler,
} from './node-handler.js';
export {
  type PostgresClient,
  type PostgresDedupeOptions,
  type PostgresDedupeStore,
  postgresDedupe,
} from './postgres-dedupe.js';
export type { RawBody } from './raw-body.js';
export { createWebhookHandler, type WebhookDelivery, type WebhookHandler } from './receiver.js';
export type {
  WebhookContext,
  WebhookEventHandler,
  WebhookFailure,
  WebhookHandlerOptions,
  WebhookLogger,
} from './receiver-options.js';
export {
  type IoRedisClient,
  type NodeRedisClient,
  type RedisDedupeOptions,
  redisDedupe,
} from './redis-dedupe.js';
export {
  createSettlementEvents,
  type SettlementEvents,
  type SettlementEventsOptions,
} from './settlement-events.js';
export { type SignedWebhookHeaders, type SignWebhookOptions, signWebhook } from './sign.js';
export { type VerifyWebhookOptions, verifyWebhook } from './verify.js';
