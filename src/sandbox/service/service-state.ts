import type { Changes } from '../records/changes.js';
import type { RequestLog } from '../records/request-log.js';
import type { Catalogue } from './catalogue.js';
import type { Client, Clients } from './clients.js';
import type { Ids } from './ids.js';
import type { RateLimiter, SandboxRateLimits } from './rate-limits.js';
import type { Transaction, Transactions } from './transactions.js';

/** Time as the service sees it. */
export interface ServiceClock {
  /** ms since 1970. */
  now(): number;
  /** Now, as everything that is kept has it. */
  date(): Date;
  /** Runs `task` after `delayMs`. */
  schedule(delayMs: number, task: () => unknown): unknown;
  /** Resolves to true after `delayMs`, or to false at once when the clock is cleared. */
  wait(delayMs: number): Promise<boolean>;
}

/** Hosts to which webhooks may go over http, beside loopback ones. */
export type WebhookHosts = ReadonlySet<string>;

/** Everything that one run of the service knows, from creation or reset to the next. */
export interface ServiceState {
  readonly clock: ServiceClock;
  readonly ids: Ids;
  readonly clients: Clients;
  readonly catalogue: Catalogue;
  readonly transactions: Transactions;
  readonly log: RequestLog;
  readonly changes: Changes;
  readonly limiter: RateLimiter;
  /** Undefined where nothing is limited. */
  readonly rateLimits: Required<SandboxRateLimits> | undefined;
  readonly webhookHosts: WebhookHosts;
  /** ms until a transaction settles on its own. */
  readonly settleAfter: number | 'manual';
  /** Sends the event of a settled transaction to its client; resolves after the first attempt. */
  announce(client: Client, transaction: Transaction): Promise<void>;
}
