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
export type { SandboxOptions } from './options.js';
export { createSandbox } from './sandbox.js';
export type {
  ClientConditions,
  SandboxClientOptions,
  SandboxCredentials,
  WebhookHandler,
} from './service/accounts.js';
export type { ActivityDetail, ActivityListener, SandboxActivity } from './service/activity.js';
export type { AuditReport } from './service/audit.js';
export type { CatalogueFamily, PriceChange, SandboxCatalogue } from './service/catalogue.js';
export type {
  DeliveriesCorruption,
  DeliveryCorruption,
  SandboxDelivery,
  SandboxDeliveryAttempt,
} from './service/delivery.js';
export type { Duration } from './service/duration.js';
export type { FaultOptions } from './service/fault-options.js';
export type { ActiveFault, SandboxFaults } from './service/faults.js';
export type { SandboxRateLimits } from './service/rate-limits.js';
export type { SandboxRequest } from './service/request-log.js';
export type { SettlementOutcome } from './service/settlement.js';
export type { TimelineEntry } from './service/timeline.js';
export type { SandboxTransaction } from './service/transactions.js';
export { type Trigger, type TriggerEffect, type TriggerName, triggers } from './service/triggers.js';
export type { LedgerEntry, SandboxWallet } from './service/wallet.js';
export type { PayloadDifference, SandboxWarning, WarningCode } from './service/warnings.js';
export type { ListenOptions } from './transport/listen-options.js';
export type { Listening } from './transport/server.js';
export type {
  Intercepted,
  Sandbox,
  SandboxClient,
  SandboxInterceptOptions,
  SandboxSubscriptionOptions,
  SandboxWebhooks,
  Subscribed,
} from './types.js';
