import { Deliveries } from './deliveries/deliveries.js';
import type { WebhookSender } from './deliveries/webhook-sender.js';
import type { SandboxState } from './http/serve.js';
import type { Clock } from './lab/clock.js';
import type { Faults } from './lab/faults.js';
import type { ResolvedSandboxOptions } from './options.js';
import type { Changes } from './records/changes.js';
import { RequestLog } from './records/request-log.js';
import { Catalogue } from './service/catalogue.js';
import { Clients } from './service/clients.js';
import { createIds } from './service/ids.js';
import { RateLimiter } from './service/rate-limits.js';
import { Transactions } from './service/transactions.js';

/** The parts of a sandbox that outlive a reset. */
export interface LastingParts {
  readonly clock: Clock;
  readonly changes: Changes;
  readonly faults: Faults;
  readonly sender: WebhookSender;
  /** Keeps count of work that `advance` and `idle` wait for. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
}

/** The service at its beginning: full wallets, no transactions. */
export function createState(
  options: ResolvedSandboxOptions,
  seed: string,
  parts: LastingParts,
): SandboxState {
  const { clock, changes, faults, sender, track } = parts;
  const ids = createIds(seed, options.references);
  const deliveries = new Deliveries({ clock, ids, changes, sender, track });
  return {
    clock,
    ids,
    clients: new Clients(options.clients, options.balance, ids, clock.date()),
    catalogue: new Catalogue(options.catalogue),
    transactions: new Transactions(),
    deliveries,
    faults,
    log: new RequestLog(),
    changes,
    limiter: new RateLimiter(),
    rateLimits: options.rateLimits,
    settleAfter: options.settleAfter,
    webhookHosts: options.allowWebhookHosts,
    announce: (client, transaction) => deliveries.announce(client, transaction),
  };
}
