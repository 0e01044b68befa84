import type { KeyKind } from '../contract/vocabulary.js';
import type { Listening, ListenOptions, SandboxConnection } from './http/listen-options.js';
import type { AuditReport } from './lab/audit.js';
import type { SandboxFaults } from './lab/faults.js';
import type { ActivityListener } from './records/changes.js';
import type { DeliveriesCorruption, SandboxDelivery } from './records/delivery.js';
import type {
  PriceChange,
  SandboxCounts,
  SandboxRefusal,
  SandboxRequest,
  SandboxTransaction,
  SandboxWallet,
  SettlementOutcome,
  TimelineEntry,
} from './records/objects.js';
import type { Duration } from './schemas/fields.js';
import type { SandboxCatalogue } from './service/catalogue.js';
import type { ClientConditions, SandboxCredentials } from './service/clients.js';
import type { SandboxSubscriptionOptions } from './service/subscribe.js';

/** One client of the sandbox, and what the service's console would do to it. */
export interface SandboxClient extends SandboxCredentials {
  /** What its wallet holds, in NGN. */
  readonly balance: number;
  /** Whether the account is verified and in good standing. */
  readonly verified: boolean;
  /** Whether its keys are suspended. */
  readonly suspended: boolean;
  /** Addresses that its keys work from; empty for any. */
  readonly allowedIps: readonly string[];
  /** Where its webhooks go; undefined before it subscribed. */
  readonly subscription: { readonly url: string; readonly enabled: boolean } | undefined;
  /** Changes its conditions; what is left out stays. */
  update(conditions: ClientConditions): void;
  /** Puts NGN into its wallet. */
  fund(amount: number): void;
  /** A new secret key, which it returns: the old one stops working at once, everything else stays. */
  rotateSecretKey(): string;
  /** Disables a key at once, without a replacement. */
  revokeKey(kind: KeyKind): void;
}

/** The webhook subscriptions of a sandbox. */
export interface SandboxWebhooks {
  /**
   * Subscribes a receiver, as `POST /webhooks/subscribe` does, and replaces the client's earlier one. `ConfigurationError` names
   * a wrong option.
   *
   * @example
   * ```ts
   * const secret = 'whsec_0123456789abcdef0123456789abcdef';
   * const handler = createWebhookHandler({ secret, on, now: () => sandbox.now });
   * sandbox.webhooks.subscribe({ handler, secret });
   * ```
   */
  subscribe(options: SandboxSubscriptionOptions): Subscribed;
}

/** A subscription that was made. */
export interface Subscribed {
  /** Where deliveries go; for a handler, an address that no network resolves. */
  readonly url: string;
  /** The signing secret. */
  readonly secret: string;
  /** Whether deliveries have started. */
  readonly enabled: boolean;
}

/** The whole service on one laptop. Made by `createSandbox`. */
export interface Sandbox {
  /** What a client needs to call it in process: `new BillPay(sandbox.connection)`. */
  readonly connection: SandboxConnection & Pick<Sandbox, 'fetch'>;
  /** The base address for use in process, together with `fetch`. No network knows it. */
  readonly baseUrl: string;
  /** The default client's credentials. */
  readonly credentials: SandboxCredentials;
  /** All clients; the first is the default one. */
  readonly clients: readonly SandboxClient[];
  /** A client by its id (default: the default client). `ConfigurationError` when there is none. */
  client(clientId?: string): SandboxClient;
  /**
   * Responds to a request as the service would; use it in place of the global `fetch`. The address in the URL does not
   * matter, only the path. Rejects like `fetch` where a connection fails.
   */
  fetch(this: void, input: Request | string | URL, init?: RequestInit): Promise<Response>;
  /** Puts the sandbox on a port of this machine, with its page at `/` (Node only). */
  listen(options?: ListenOptions): Promise<Listening>;
  /**
   * Settles a pending transaction now. The state has changed when it returns; the promise resolves after the webhook's
   * first attempt. Rejects with `ConfigurationError` for an unknown reference or one that is final.
   */
  settle(reference: string, outcome: SettlementOutcome): Promise<SandboxTransaction>;
  /**
   * Moves a manual clock on: `'6h'`, `'90s'`, `'250ms'` or ms. Everything that falls due meanwhile (settlements, webhook
   * retries, held responses) runs in order; resolves when all of it is done, deliveries included. Calls made in process
   * just before have arrived by then; over a port, wait until they have.
   */
  advance(duration: Duration): Promise<void>;
  /**
   * Moves a manual clock to whatever is due next and runs it; resolves to the time then, or to undefined when nothing was
   * scheduled.
   */
  advanceToNext(): Promise<Date | undefined>;
  /**
   * Moves a manual clock on until nothing is scheduled any more: everything is settled, and every webhook is delivered or
   * given up. Resolves to the time then. `ConfigurationError` after 30 days of the sandbox's time: something schedules work
   * without end.
   */
  runUntilIdle(): Promise<Date>;
  /** When the next settlement, retry or held response is due; undefined when nothing is. */
  readonly nextEvent: Date | undefined;
  /** Resolves when no webhook is being sent. What is scheduled for later it does not wait for. */
  idle(): Promise<void>;
  /** Now, by the sandbox's clock: hand it to `verifyWebhook` where the clock is manual. */
  readonly now: Date;
  /** Which clock it runs on. */
  readonly clock: 'real' | 'manual';
  /** The seed, given or made: the same one makes the same sandbox again. */
  readonly seed: string;
  /** Subscribes a URL or a function of this process to a client's webhooks. */
  readonly webhooks: SandboxWebhooks;
  /** What is sold, with the prices of now. */
  readonly catalogue: SandboxCatalogue;
  /** Changes a listed price: purchases that carry the old one get 422 AMOUNT_MISMATCH from now on. */
  setPrice(change: PriceChange): void;
  /** Things to go wrong. */
  readonly faults: SandboxFaults;
  /** Every accepted purchase, oldest first. A live view. */
  readonly transactions: readonly SandboxTransaction[];
  /** One transaction by its reference, in constant time. */
  transaction(reference: string): SandboxTransaction | undefined;
  /** The last 1,000 purchases that bought nothing, oldest first. A live view. */
  readonly refusals: readonly SandboxRefusal[];
  /** How many there are of everything. */
  readonly counts: SandboxCounts;
  /** Everything that happened to one transaction, oldest first; empty for an unknown reference. */
  timeline(reference: string): readonly TimelineEntry[];
  /** A client's wallet with its ledger (default: the default client's). */
  wallet(clientId?: string): SandboxWallet;
  /** One delivery by its id, in constant time. */
  delivery(id: string): SandboxDelivery | undefined;
  /** The delivery of a transaction's event, in constant time; undefined before it settled, and without a subscription. */
  deliveryOf(reference: string): SandboxDelivery | undefined;
  /** One request by its id, in constant time; undefined once it was dropped from the log. */
  request(id: number): SandboxRequest | undefined;
  /**
   * The requests about one transaction, oldest first: its purchase with every repeat of the key, refused ones included, and its
   * lookups. Empty for an unknown reference.
   */
  requestsOf(reference: string): readonly SandboxRequest[];
  /** The last requests, at least 10,000 of them, oldest first. A live view. */
  readonly requests: readonly SandboxRequest[];
  /** Every webhook delivery with its attempts, oldest first. A live view. */
  readonly deliveries: readonly SandboxDelivery[];
  /**
   * Makes something wrong with the next `times` (default 1) deliveries' first attempts: `'bad-signature'`,
   * `'old-timestamp'` (three days, signed correctly) or `'duplicate'` (sent twice).
   */
  corruptDeliveries(how: DeliveriesCorruption, times?: number): void;
  /** Why it refuses everything: its state file cannot be written; undefined while all is well. */
  readonly problem: string | undefined;
  /** What became of what waited in a state file whose manual clock was ahead of the real time; undefined otherwise. */
  readonly notice: string | undefined;
  /** Checks the books: transactions, debits, refunds and balances against each other. */
  audit(): AuditReport;
  /** Back to the beginning: wallets, transactions, keys, subscriptions, faults, requests, ids. The clock stays. */
  reset(): void;
  /** Calls `listener` with everything that happens from now on; returns what stops it. */
  onActivity(listener: ActivityListener): () => void;
  /** Ends everything: ports, timers, deliveries. A process can then exit; further requests are refused. */
  close(): Promise<void>;
}
