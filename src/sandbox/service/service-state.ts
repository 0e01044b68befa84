import type { Accounts } from './accounts.js';
import type { Catalogue } from './catalogue.js';
import type { Clock } from './clock.js';
import type { Commit } from './commit.js';
import type { Deliveries } from './deliveries.js';
import type { Faults } from './faults.js';
import type { Ids } from './ids.js';
import type { RateLimiter, SandboxRateLimits } from './rate-limits.js';
import type { RequestLog } from './request-log.js';
import type { Timelines } from './timeline.js';
import type { Transactions } from './transactions.js';
import type { WebhookHosts } from './webhook-url.js';

/** Everything that one run of the service knows, from creation or reset to the next. */
export interface ServiceState {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly accounts: Accounts;
  readonly catalogue: Catalogue;
  readonly transactions: Transactions;
  readonly timelines: Timelines;
  readonly deliveries: Deliveries;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly commit: Commit;
  readonly limiter: RateLimiter;
  /** Undefined where nothing is limited. */
  readonly rateLimits: Required<SandboxRateLimits> | undefined;
  /** Hosts to which webhooks may go over http, beside loopback ones. */
  readonly webhookHosts: WebhookHosts;
  /** ms until a transaction settles on its own. */
  readonly settleAfter: number | 'manual';
}
