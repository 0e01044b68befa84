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
export type { WebhookHeaders } from './headers.js';
export type { RawBody } from './raw-body.js';
export {
  createSettlementEvents,
  type SettlementEvents,
  type SettlementEventsOptions,
} from './settlement-events.js';
export { type SignedWebhookHeaders, type SignWebhookOptions, signWebhook } from './sign.js';
export { type VerifyWebhookOptions, verifyWebhook } from './verify.js';
