/**
 * The whole service in one process, for development and tests: wallet, settlement, signed webhooks, and every failure on demand.
 *
 * @example
 * ```ts
 * import { BillPay } from 'billpay';
 * import { createSandbox } from 'billpay/sandbox';
 *
 * const sandbox = createSandbox();
 * const { clientId, secretKey: apiKey } = sandbox.credentials;
 * const billpay = new BillPay({ apiKey, clientId, baseUrl: sandbox.baseUrl, fetch: sandbox.fetch });
 * ```
 * @module billpay/sandbox
 */
export type { CatalogueProduct } from '../contract/responses.js';
export type { KeyKind, MeterType, Product, WebhookEventName } from '../contract/vocabulary.js';
export { ConfigurationError } from '../errors/configuration-error.js';
export { applyConfig, readConfigFile, type SandboxConfig } from './config/config-file.js';
export type {
  DeliveriesCorruption,
  DeliveryCorruption,
  SandboxDelivery,
  SandboxDeliveryAttempt,
} from './deliveries/delivery.js';
export type { Listening, ListenOptions } from './http/listen-options.js';
export type { AuditReport } from './lab/audit.js';
export type { FaultOptions } from './lab/fault-options.js';
export type { ActiveFault, SandboxFaults } from './lab/faults.js';
export { type Trigger, type TriggerEffect, type TriggerName, triggers } from './lab/triggers.js';
export type { PayloadDifference, SandboxWarning, WarningCode } from './lab/warnings.js';
export type { SandboxOptions } from './options.js';
export type { ActivityDetail, ActivityListener, SandboxActivity } from './records/activity.js';
export type { SandboxRequest } from './records/request-log.js';
export type { TimelineEntry } from './records/timeline.js';
export type { CatalogueFamily, PriceChange, SandboxCatalogue } from './rules/catalogue.js';
export type {
  ClientConditions,
  SandboxClientOptions,
  SandboxCredentials,
  WebhookHandler,
} from './rules/clients.js';
export type { SandboxRateLimits } from './rules/rate-limits.js';
export type { SettlementOutcome } from './rules/settlement.js';
export type { SandboxTransaction } from './rules/transactions.js';
export type { LedgerEntry, SandboxWallet } from './rules/wallet.js';
export { createSandbox } from './sandbox.js';
export type { Duration } from './schemas/duration.js';
export type {
  Intercepted,
  Sandbox,
  SandboxClient,
  SandboxInterceptOptions,
  SandboxSubscriptionOptions,
  SandboxWebhooks,
  Subscribed,
} from './types.js';
