import { Deliveries } from './deliveries/deliveries.js';
import type { Clock } from './lab/clock.js';
import type { Faults } from './lab/faults.js';
import type { HandlerScope } from './lab/handler-scope.js';
import { createIds } from './lab/ids.js';
import type { ResolvedSandboxOptions } from './options.js';
import type { Changes, Commit } from './records/commit.js';
import { RequestLog } from './records/request-log.js';
import { Timelines } from './records/timeline.js';
import { Catalogue } from './rules/catalogue.js';
import { Clients, type Subscription } from './rules/clients.js';
import { RateLimiter } from './rules/rate-limits.js';
import type { ServiceState } from './rules/service-state.js';
import { Transactions } from './rules/transactions.js';

/** The parts of a sandbox that outlive a reset. */
export interface LastingParts {
  readonly clock: Clock;
  readonly changes: Changes;
  readonly faults: Faults;
  /** Receivers that temporarily replace a client's subscription, by client id. */
  readonly interceptors: ReadonlyMap<string, Subscription>;
  readonly scope: HandlerScope;
  /** Keeps count of work that `advance` and `idle` wait for. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
}

/** The service at its beginning: full wallets, no transactions. */
export function createState(
  options: ResolvedSandboxOptions,
  seed: string,
  parts: LastingParts,
): ServiceState {
  const { clock, changes, faults, interceptors, track, scope } = parts;
  const timelines = new Timelines();
  const commit: Commit = (change) => changes.commit(timelines, change);
  const ids = createIds(seed, options.references, options.state === undefined ? 'seeded' : 'unique');
  return {
    clock,
    ids,
    clients: new Clients(options.clients, options.balance, ids, clock.date()),
    catalogue: new Catalogue(options.catalogue),
    transactions: new Transactions(),
    timelines,
    deliveries: new Deliveries({
      clock,
      ids,
      timeout: options.webhookTimeout,
      scope,
      maxSends: options.webhookSends,
      interceptors,
      track,
      commit,
    }),
    faults,
    log: new RequestLog(),
    commit,
    limiter: new RateLimiter(),
    rateLimits: options.rateLimits,
    settleAfter: options.settleAfter,
    webhookHosts: options.allowWebhookHosts,
  };
}
