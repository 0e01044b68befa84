/**
 * The whole service in one process, for development and tests: wallet, settlement, signed webhooks, and every failure on demand.
 *
 * @example
 * ```ts
 * import { BillPay } from 'billpay';
 * import { createSandbox } from 'billpay/sandbox';
 *
 * const sandbox = createSandbox();
 * const billpay = new BillPay(sandbox.connection);
 * ```
 * @module billpay/sandbox
 */
export type { CatalogueProduct } from '../contract/responses.js';
export type { KeyKind, MeterType, Product, WebhookEventName } from '../contract/vocabulary.js';
export { ConfigurationError } from '../errors/base.js';
export { applyConfig, readConfigFile, type SandboxConfig } from './config.js';
export type { Listening, ListenOptions, SandboxConnection } from './http/listen-options.js';
export type { AuditReport } from './lab/audit.js';
export type { SandboxFaults } from './lab/faults.js';
export { type Trigger, type TriggerName, triggers } from './lab/triggers.js';
export type { SandboxOptions } from './options.js';
export type { ActivityDetail, ActivityListener, SandboxActivity } from './records/changes.js';
export type {
  DeliveriesCorruption,
  DeliveryCorruption,
  SandboxDelivery,
  SandboxDeliveryAttempt,
} from './records/delivery.js';
export type {
  ActiveFault,
  CatalogueFamily,
  FaultOptions,
  LedgerEntry,
  PayloadDifference,
  PriceChange,
  SandboxCounts,
  SandboxRefusal,
  SandboxRequest,
  SandboxTransaction,
  SandboxWallet,
  SandboxWarning,
  SettlementOutcome,
  TimelineEntry,
  WarningCode,
} from './records/objects.js';
export { createSandbox } from './sandbox.js';
export type { Duration } from './schemas/fields.js';
export type { SandboxCatalogue } from './service/catalogue.js';
export type {
  ClientConditions,
  SandboxClientOptions,
  SandboxCredentials,
  WebhookHandler,
} from './service/clients.js';
export type { ReferenceSource } from './service/ids.js';
export type { SandboxRateLimits } from './service/rate-limits.js';
export type { TriggerEffect } from './service/responses.js';
export type { SandboxSubscriptionOptions } from './service/subscribe.js';
export type { Sandbox, SandboxClient, SandboxWebhooks, Subscribed } from './types.js';
