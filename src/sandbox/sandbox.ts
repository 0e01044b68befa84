import { ConfigurationError } from '../errors/configuration-error.js';
import { assertOption } from '../validation/options.js';
import { createClientHandle } from './client-handle.js';
import { createConsole } from './console/handler.js';
import { readOptions, type SandboxOptions } from './options.js';
import { type Account, Accounts } from './service/accounts.js';
import { ActivityFeed } from './service/activity.js';
import { audit } from './service/audit.js';
import { Catalogue } from './service/catalogue.js';
import { createManualClock, createRealClock } from './service/clock.js';
import { Deliveries } from './service/deliveries.js';
import { durationMs } from './service/duration.js';
import { checkCorruption } from './service/fault-options.js';
import { Faults } from './service/faults.js';
import { createIds } from './service/ids.js';
import type { HttpRequest } from './service/parse-request.js';
import { RateLimiter } from './service/rate-limits.js';
import { RequestLog } from './service/request-log.js';
import { currentPrefix } from './service/routes.js';
import { type ServedResponse, serve } from './service/serve.js';
import type { ServiceState } from './service/service-state.js';
import { settle } from './service/settlement.js';
import { Timelines } from './service/timeline.js';
import { Transactions } from './service/transactions.js';
import { connectionFailure, readFetchArguments, responseOf, unlessAborted } from './transport/fetch.js';
import { readListenOptions } from './transport/listen-options.js';
import { type Listening, startServer } from './transport/server.js';
import type { Sandbox } from './types.js';

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

  const faults = new Faults((change, fault) => feed.emit({ type: 'fault', change, fault }));

  const createState = (): ServiceState => {
    const ids = createIds(settings.seed);
    return {
      clock,
      ids,
      accounts: new Accounts(settings.clients, settings.balance, ids, clock.now()),
      catalogue: new Catalogue(settings.catalogue),
      transactions: new Transactions(),
      timelines: new Timelines(),
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
  let state = createState();
  feed.listen((activity) => state.timelines.record(activity));

  const handleRequest = (request: HttpRequest): ServedResponse | Promise<ServedResponse> => {
    if (closed) throw connectionFailure('ECONNREFUSED', 'the sandbox was closed');
    return serve(state, request);
  };

  const accountOf = (clientId: string | undefined): Account => {
    const account = clientId === undefined ? state.accounts.list[0] : state.accounts.byId(clientId);
    if (account) return account;
    const known = state.accounts.list.map((client) => client.clientId).join(', ');
    throw new ConfigurationError('clientId', `is not a client of this sandbox; it has ${known}`);
  };

  const clientOf = ({ clientId }: Account) =>
    createClientHandle(clientId, { state: () => state, account: () => accountOf(clientId) });

  const sandbox: Sandbox = {
    baseUrl: inProcessBaseUrl,
    get credentials() {
      const { clientId, secretKey, publicKey } = accountOf(undefined);
      return { clientId, secretKey, publicKey };
    },
    get clients() {
      return state.accounts.list.map(clientOf);
    },
    client: (clientId) => clientOf(accountOf(clientId)),
    fetch: async (input, init) => {
      const { request, signal } = readFetchArguments(input, init);
      signal?.throwIfAborted();
      const outcome = handleRequest(request instanceof Promise ? await request : request);
      return responseOf(outcome instanceof Promise ? await unlessAborted(outcome, signal) : outcome);
    },
    listen: async (listenOptions) => {
      const { port, host } = readListenOptions(listenOptions);
      assertOption(!closed, 'listen', 'the sandbox was closed; create another');
      const server = await startServer({ port, host, handleRequest, front: createConsole(sandbox, host) });
      listening.add(server);
      return server;
    },
    settle: async (reference, outcome) => {
      const transaction = state.transactions.get(reference);
      assertOption(transaction, 'reference', `there is no transaction ${reference}`);
      assertOption(
        transaction.status === 'pending',
        'reference',
        `${reference} is ${transaction.status} already, which is final`,
      );
      assertOption(outcome === 'success' || outcome === 'failed', 'outcome', "must be 'success' or 'failed'");
      await settle(state, transaction, outcome);
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
      return state.transactions.list;
    },
    transaction: (reference) => state.transactions.get(reference),
    timeline: (reference) => state.timelines.of(reference),
    wallet: (clientId) => accountOf(clientId).wallet,
    get requests() {
      return state.log.list;
    },
    get deliveries() {
      return state.deliveries.list;
    },
    corruptDeliveries: (how, times = 1) => {
      checkCorruption(how, times);
      state.deliveries.corrupt(how, times);
    },
    audit: () =>
      audit(
        state.transactions.list,
        state.accounts.list.map(({ wallet }) => wallet),
      ),
    reset: () => {
      const before = state;
      state = createState();
      before.deliveries.close();
      clock.clear();
      faults.clear();
      feed.emit({ type: 'reset' });
    },
    onActivity: (listener) => feed.listen(listener),
    close: async () => {
      closed = true;
      state.deliveries.close();
      clock.clear();
      await Promise.all([...listening].map((server) => server.close()));
      await idle();
    },
  };
  return sandbox;
}
