export type { CatalogueProduct } from '../contract/responses.js';
export type { KeyKind, MeterType, Product, WebhookEventName } from '../contract/vocabulary.js';
export { ConfigurationError } from '../errors/configuration-error.js';
export type { ClientConditions, SandboxClientOptions, SandboxCredentials } from './accounts.js';
export type { ActivityDetail, ActivityListener, SandboxActivity } from './activity.js';
export type { AuditReport } from './audit.js';
export type { CatalogueFamily, SandboxCatalogue } from './catalogue.js';
export type {
  DeliveriesCorruption,
  DeliveryCorruption,
  SandboxDelivery,
  SandboxDeliveryAttempt,
} from './deliveries.js';
export type { Duration } from './duration.js';
export type { ActiveFault, FaultOptions, SandboxFaults } from './faults.js';
export type { ListenOptions, SandboxOptions } from './options.js';
export type { SandboxRateLimits } from './rate-limits.js';
export type { SandboxRequest } from './requests.js';
export { createSandbox, type Sandbox, type SandboxClient } from './sandbox.js';
export type { Listening } from './server.js';
export type { SettlementOutcome } from './settlement.js';
export type { TimelineEntry } from './timeline.js';
export type { SandboxTransaction } from './transactions.js';
export { type Trigger, type TriggerEffect, triggers } from './triggers.js';
export type { LedgerEntry, SandboxWallet } from './wallet.js';
