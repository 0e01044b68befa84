import type { Deliveries } from '../deliveries/deliveries.js';
import type { WebhookHosts } from '../deliveries/webhook-url.js';
import type { Clock } from '../lab/clock.js';
import type { Faults } from '../lab/faults.js';
import type { Ids } from '../lab/ids.js';
import type { Commit } from '../records/commit.js';
import type { RequestLog } from '../records/request-log.js';
import type { Timelines } from '../records/timeline.js';
import type { Catalogue } from './catalogue.js';
import type { Clients } from './clients.js';
import type { RateLimiter, SandboxRateLimits } from './rate-limits.js';
import type { Transactions } from './transactions.js';

/** Everything that one run of the service knows, from creation or reset to the next. */
export interface ServiceState {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly clients: Clients;
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
