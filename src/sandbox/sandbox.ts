import type { KeyKind } from '../contract/vocabulary.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { assertOption } from '../validation/options.js';
import { type Account, Accounts, type ClientConditions, type SandboxCredentials } from './accounts.js';
import { ActivityFeed, type ActivityListener } from './activity.js';
import { type AuditReport, audit } from './audit.js';
import type { Exchange } from './call.js';
import { Catalogue } from './catalogue.js';
import { createManualClock, createRealClock } from './clock.js';
import { Deliveries, type DeliveriesCorruption, type SandboxDelivery } from './deliveries.js';
import { type Duration, durationMs } from './duration.js';
import { Faults, type SandboxFaults } from './faults.js';
import { connectionFailure, incoming, responseOf, unlessAborted } from './fetch.js';
import { createIds } from './ids.js';
import {
  checkConditions,
  checkCorruption,
  checkFault,
  type ListenOptions,
  naira,
  readListenOptions,
  readOptions,
  type SandboxOptions,
} from './options.js';
import { RateLimiter } from './rate-limits.js';
import { RequestLog, type SandboxRequest } from './requests.js';
import { currentPrefix } from './routes.js';
import type { Listening } from './server.js';
import { type Outcome, serve } from './service.js';
import { type SettlementOutcome, settle } from './settlement.js';
import { type TimelineEntry, timelineOf } from './timeline.js';
import { type SandboxTransaction, Transactions } from './transactions.js';
import type { SandboxWallet } from './wallet.js';
import type { World } from './world.js';

/** One client of the sandbox, and what the service's console would do to it. */
export interface SandboxClient extends SandboxCredentials {
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

/** The whole service on one laptop. Made by `createSandbox`. */
export interface Sandbox {
  /** The base address for use in process, together with `fetch`. No network knows it. */
  readonly baseUrl: string;
  /** The default client's credentials. */
  readonly credentials: SandboxCredentials;
  /** All clients; the first is the default one. */
  readonly clients: readonly SandboxClient[];
  /** A client by its id (default: the default client). `ConfigurationError` when there is none. */
  client(clientId?: string): SandboxClient;
  /**
   * Answers a request as the service would; takes the place of the global `fetch`. The address in the URL does not
   * matter, only the path. Rejects like `fetch` where a connection fails.
   */
  fetch(this: void, input: Request | string | URL, init?: RequestInit): Promise<Response>;
  /** Puts the sandbox on a port of this machine, with the console page at `/` (Node only). */
  listen(options?: ListenOptions): Promise<Listening>;
  /**
   * Settles a pending transaction now. The state has changed when it returns; the promise resolves after the webhook's
   * first attempt. Rejects with `ConfigurationError` for an unknown reference or one that is final.
   */
  settle(reference: string, outcome: SettlementOutcome): Promise<SandboxTransaction>;
  /**
   * Moves a manual clock on: `'6h'`, `'90s'`, `'250ms'` or ms. Everything that falls due meanwhile (settlements, webhook
   * retries, held answers) runs in order; resolves when all of it is done, deliveries included. Calls made in process
   * just before have arrived by then; over a port, wait until they have.
   */
  advance(duration: Duration): Promise<void>;
  /** Resolves when no webhook is being sent. What is scheduled for later it does not wait for. */
  idle(): Promise<void>;
  /** Now, by the sandbox's clock: hand it to `verifyWebhook` where the clock is manual. */
  readonly now: Date;
  /** Which clock it runs on. */
  readonly clock: 'real' | 'manual';
  /** The seed, given or made: the same one makes the same sandbox again. */
  readonly seed: string;
  /** Things to go wrong. */
  readonly faults: SandboxFaults;
  /** Every accepted purchase, oldest first. A live view. */
  readonly transactions: readonly SandboxTransaction[];
  /** One transaction by its reference, in constant time. */
  transaction(reference: string): SandboxTransaction | undefined;
  /** Everything that happened to one transaction, oldest first; empty for an unknown reference. */
  timeline(reference: string): readonly TimelineEntry[];
  /** A client's wallet with its ledger (default: the default client's). */
  wallet(clientId?: string): SandboxWallet;
  /** The last requests, at least 10,000 of them, oldest first. A live view. */
  readonly requests: readonly SandboxRequest[];
  /** Every webhook delivery with its attempts, oldest first. A live view. */
  readonly deliveries: readonly SandboxDelivery[];
  /**
   * Makes something wrong with the next `times` (default 1) deliveries' first attempts: `'bad-signature'`,
   * `'old-timestamp'` (three days, signed correctly), `'duplicate'` (sent twice) or `'reordered'` (sent after the one
   * that follows it, or after a minute).
   */
  corruptDeliveries(how: DeliveriesCorruption, times?: number): void;
  /** Holds the books against each other. */
  audit(): AuditReport;
  /** Back to the beginning: wallets, transactions, keys, subscriptions, faults, requests, ids. The clock stays. */
  reset(): void;
  /** Calls `listener` with everything that happens from now on; returns what stops it. */
  onActivity(listener: ActivityListener): () => void;
  /** Ends everything: ports, timers, deliveries. A process can then exit; further requests are refused. */
  close(): Promise<void>;
}

/** In a domain that no network resolves: a forgotten `fetch: sandbox.fetch` fails instead of reaching anyone. */
const inProcessBaseUrl = `https://sandbox.billpay.test${currentPrefix}`;

/**
 * The whole service in this process: wallet, catalogues, idempotency, settlement, signed webhooks, and failures on demand.
 *
 * @example
 * ```ts
 * const sandbox = createSandbox();
 * const { secretKey: apiKey, clientId } = sandbox.credentials;
 * const billpay = new BillPay({ apiKey, clientId, baseUrl: sandbox.baseUrl, fetch: sandbox.fetch });
 * ```
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = readOptions(options);
  const manual = settings.clock === 'manual' ? createManualClock(Date.now()) : undefined;
  const clock = manual ?? createRealClock();
  const feed = new ActivityFeed(clock.now);
  const underway = new Set<Promise<unknown>>();
  const listening = new Set<Listening>();
  let closed = false;

  const track = <T>(work: Promise<T>): Promise<T> => {
    underway.add(work);
    const forget = () => underway.delete(work);
    work.then(forget, forget);
    return work;
  };

  const idle = async (): Promise<void> => {
    while (underway.size > 0) await Promise.allSettled(underway);
  };

  const faults = new Faults(checkFault, (change, fault) => feed.emit({ type: 'fault', change, fault }));

  const createWorld = (): World => {
    const ids = createIds(settings.seed);
    return {
      clock,
      ids,
      accounts: new Accounts(settings.clients, settings.balance, ids, clock.now()),
      catalogue: new Catalogue(settings.catalogue),
      transactions: new Transactions(),
      deliveries: new Deliveries({
        clock,
        ids,
        timeout: settings.webhookTimeout,
        track,
        onAttempt: (delivery, attempt) => feed.emit({ type: 'delivery', delivery, attempt }),
      }),
      faults,
      log: new RequestLog(),
      feed,
      limiter: new RateLimiter(),
      rateLimits: settings.rateLimits,
      settleAfter: settings.settleAfter,
    };
  };
  let world = createWorld();

  const exchange = (request: Exchange): Outcome | Promise<Outcome> => {
    if (closed) throw connectionFailure('ECONNREFUSED', 'the sandbox was closed');
    return serve(world, request);
  };

  const accountOf = (clientId: string | undefined): Account => {
    const account = clientId === undefined ? world.accounts.list[0] : world.accounts.byId(clientId);
    if (account) return account;
    const known = world.accounts.list.map((client) => client.clientId).join(', ');
    throw new ConfigurationError('clientId', `is not a client of this sandbox; it has ${known}`);
  };

  /** A handle that outlives a reset: it looks the account up at each use. */
  const clientOf = ({ clientId }: Account): SandboxClient => {
    const own = () => accountOf(clientId);
    const changed = () => feed.emit({ type: 'client', clientId });
    return {
      clientId,
      get secretKey() {
        return own().secretKey;
      },
      get publicKey() {
        return own().publicKey;
      },
      get verified() {
        return own().verified;
      },
      get suspended() {
        return own().suspended;
      },
      get allowedIps() {
        return own().allowedIps;
      },
      get subscription() {
        const { subscription } = own();
        return subscription && { url: subscription.url, enabled: subscription.enabled };
      },
      update: (conditions) => {
        Object.assign(own(), checkConditions(conditions));
        changed();
      },
      fund: (amount) => {
        const entry = own().wallet.fund(naira('amount', amount), clock.now());
        feed.emit({ type: 'wallet', clientId, entry });
      },
      rotateSecretKey: () => {
        const secretKey = world.accounts.rotateSecretKey(own());
        changed();
        return secretKey;
      },
      revokeKey: (kind) => {
        assertOption(kind === 'secret' || kind === 'public', 'kind', "must be 'secret' or 'public'");
        world.accounts.revoke(own(), kind);
        changed();
      },
    };
  };

  const sandbox: Sandbox = {
    baseUrl: inProcessBaseUrl,
    get credentials() {
      const { clientId, secretKey, publicKey } = accountOf(undefined);
      return { clientId, secretKey, publicKey };
    },
    get clients() {
      return world.accounts.list.map(clientOf);
    },
    client: (clientId) => clientOf(accountOf(clientId)),
    fetch: async (input, init) => {
      const { exchange: request, signal } = incoming(input, init);
      signal?.throwIfAborted();
      const outcome = exchange(request instanceof Promise ? await request : request);
      return responseOf(outcome instanceof Promise ? await unlessAborted(outcome, signal) : outcome);
    },
    listen: async (listenOptions) => {
      const { port, host } = readListenOptions(listenOptions);
      assertOption(!closed, 'listen', 'the sandbox was closed; create another');
      const [{ startServer }, { createConsole }] = await Promise.all([
        import('./server.js'),
        import('./console/handler.js'),
      ]);
      const server = await startServer({ port, host, exchange, front: createConsole(sandbox, host) });
      listening.add(server);
      return server;
    },
    settle: async (reference, outcome) => {
      const transaction = world.transactions.get(reference);
      assertOption(transaction, 'reference', `there is no transaction ${reference}`);
      assertOption(
        transaction.status === 'pending',
        'reference',
        `${reference} is ${transaction.status} already, which is final`,
      );
      assertOption(outcome === 'success' || outcome === 'failed', 'outcome', "must be 'success' or 'failed'");
      await settle(world, transaction, outcome);
      return transaction;
    },
    advance: async (duration) => {
      const ms = durationMs('duration', duration);
      assertOption(manual, 'clock', "is real; create the sandbox with clock: 'manual' to advance it");
      await manual.advance(ms, idle);
      feed.emit({ type: 'clock', now: new Date(clock.now()) });
    },
    idle,
    get now() {
      return new Date(clock.now());
    },
    clock: settings.clock,
    seed: settings.seed,
    faults,
    get transactions() {
      return world.transactions.list;
    },
    transaction: (reference) => world.transactions.get(reference),
    timeline: (reference) => {
      const transaction = world.transactions.get(reference);
      if (!transaction) return [];
      const { ledger } = accountOf(transaction.clientId).wallet;
      return timelineOf(transaction, { requests: world.log.list, ledger, deliveries: world.deliveries.list });
    },
    wallet: (clientId) => accountOf(clientId).wallet,
    get requests() {
      return world.log.list;
    },
    get deliveries() {
      return world.deliveries.list;
    },
    corruptDeliveries: (how, times = 1) => {
      checkCorruption(how, times);
      world.deliveries.corrupt(how, times);
    },
    audit: () =>
      audit(
        world.transactions.list,
        world.accounts.list.map(({ wallet }) => wallet),
      ),
    reset: () => {
      const before = world;
      world = createWorld();
      before.deliveries.close();
      clock.clear();
      faults.clear();
      feed.emit({ type: 'reset' });
    },
    onActivity: (listener) => feed.listen(listener),
    close: async () => {
      closed = true;
      world.deliveries.close();
      clock.clear();
      await Promise.all([...listening].map((server) => server.close()));
      await idle();
    },
  };
  return sandbox;
}
