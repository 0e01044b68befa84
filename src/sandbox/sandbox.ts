import { ConfigurationError } from '../errors/configuration-error.js';
import { unlessAborted } from '../utils/unless-aborted.js';
import { assertOption } from '../validation/options.js';
import { createClientHandle } from './client-handle.js';
import { createState } from './create-state.js';
import { connectionFailure, readFetchArguments, responseOf } from './http/fetch.js';
import { type Listening, readListenOptions } from './http/listen-options.js';
import { startServer } from './http/server.js';
import { audit } from './lab/audit.js';
import { ManualClock, RealClock } from './lab/clock.js';
import { checkCorruption } from './lab/fault-options.js';
import { Faults } from './lab/faults.js';
import { createHandlerScope } from './lab/handler-scope.js';
import { randomSeed } from './lab/ids.js';
import { readOptions, type SandboxOptions } from './options.js';
import { Changes } from './records/commit.js';
import { type RefusedRequest, recordRefused } from './records/record-request.js';
import type { Client, Subscription } from './rules/clients.js';
import type { HttpRequest } from './rules/parse-request.js';
import { currentPrefix } from './rules/routes.js';
import { type ServedResponse, serve } from './rules/serve.js';
import { settle } from './rules/settlement.js';
import { interceptorFromCode, subscribeFromCode } from './rules/subscribe.js';
import { checkedPrice } from './schemas/catalogue-options.js';
import { durationMs } from './schemas/duration.js';
import { StateFile } from './state/state-file.js';
import type { Sandbox } from './types.js';

/** In a domain that no network resolves: a forgotten `fetch: sandbox.fetch` fails instead of reaching anyone. */
const inProcessBaseUrl = `https://sandbox.billpay.test${currentPrefix}`;

/** `runUntilIdle` gives up after so much of the sandbox's time; a webhook's retries take 32 hours. */
const maxRunMs = 30 * 86_400_000;

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
  const file = settings.state === undefined ? undefined : new StateFile(settings.state);
  const seed = settings.seed ?? file?.stored.seed ?? randomSeed();
  const manual =
    settings.clock === 'manual'
      ? new ManualClock(file?.stored.clock ?? settings.startAt ?? Date.now())
      : undefined;
  const clock = manual ?? new RealClock();
  const changes = new Changes(() => clock.date());
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

  const faults = new Faults((change, fault) => state.commit(() => [{ type: 'fault', change, fault }]));
  const interceptors = new Map<string, Subscription>();
  const scope = createHandlerScope();
  const parts = { clock, changes, faults, interceptors, track, scope };
  let state = createState(settings, seed, parts);
  if (file) {
    try {
      changes.writeTo(file.start(() => state, seed));
      changes.continueAfter(state.timelines.lastSequence);
    } catch (error) {
      clock.clear();
      file.close();
      throw error;
    }
  }

  const handleRequest = async (request: HttpRequest): Promise<ServedResponse> => {
    if (closed) throw connectionFailure('ECONNREFUSED', 'the sandbox was closed');
    return serve(state, request);
  };

  const clientIn = (clientId: string | undefined): Client => {
    const client = clientId === undefined ? state.clients.list[0] : state.clients.byId(clientId);
    if (client) return client;
    const known = state.clients.list.map((client) => client.clientId).join(', ');
    throw new ConfigurationError('clientId', `is not a client of this sandbox; it has ${known}`);
  };

  const clientOf = ({ clientId }: Client) =>
    createClientHandle(clientId, { state: () => state, client: () => clientIn(clientId) });

  const manualClock = (): ManualClock => {
    assertOption(
      manual,
      'clock',
      "is real; start the sandbox with --clock manual, or with clock: 'manual' in code",
    );
    return manual;
  };
  const clockMoved = () => state.commit(() => [{ type: 'clock', now: new Date(clock.now()) }]);

  const sandbox: Sandbox = {
    baseUrl: inProcessBaseUrl,
    get credentials() {
      const { clientId, secretKey, publicKey } = clientIn(undefined);
      return { clientId, secretKey, publicKey };
    },
    get clients() {
      return state.clients.list.map(clientOf);
    },
    client: (clientId) => clientOf(clientIn(clientId)),
    fetch: async (input, init) => {
      const { request, signal } = readFetchArguments(input, init);
      signal?.throwIfAborted();
      const served = handleRequest(request instanceof Promise ? await request : request);
      return responseOf(await unlessAborted(served, signal));
    },
    listen: async (listenOptions) => {
      const checked = readListenOptions(listenOptions);
      assertOption(!closed, 'listen', 'the sandbox was closed; create another');
      const onRefused = (refused: RefusedRequest) => recordRefused(state, refused);
      const server = await startServer({
        ...checked,
        onRefused,
        loadListener: async () => {
          const { createListener } = await import('./app.js');
          return createListener({ ...checked, sandbox, handleRequest, onRefused });
        },
      });
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
      scope.refuseInside('advance');
      await manualClock().advance(ms, idle);
      clockMoved();
    },
    advanceToNext: async () => {
      scope.refuseInside('advanceToNext');
      const moved = await manualClock().advanceToNext(idle);
      if (moved) clockMoved();
      return moved ? new Date(clock.now()) : undefined;
    },
    runUntilIdle: async () => {
      scope.refuseInside('runUntilIdle');
      const end = clock.now() + maxRunMs;
      while (await manualClock().advanceToNext(idle)) {
        assertOption(
          clock.now() < end,
          'clock',
          'cannot run until idle: something schedules work without end',
        );
      }
      clockMoved();
      return new Date(clock.now());
    },
    get nextEvent() {
      const due = clock.nextDue();
      return due === undefined ? undefined : new Date(due);
    },
    idle: async () => {
      scope.refuseInside('idle');
      await idle();
    },
    get now() {
      return new Date(clock.now());
    },
    clock: settings.clock,
    seed,
    webhooks: {
      subscribe: (subscription) => {
        const client = clientIn(subscription?.clientId);
        const { url, secret, enabled } = subscribeFromCode(state, client, subscription);
        return { url, secret, enabled };
      },
      intercept: (options) => {
        const client = clientIn(options?.clientId);
        const { clientId } = client;
        assertOption(
          !interceptors.has(clientId),
          'clientId',
          `${clientId} has its webhooks intercepted already; stop that first`,
        );
        const interceptor = interceptorFromCode(state, client, options);
        interceptors.set(clientId, interceptor);
        const stop = () => {
          if (interceptors.get(clientId) === interceptor) interceptors.delete(clientId);
        };
        return { clientId, secret: interceptor.secret, stop };
      },
    },
    get catalogue() {
      return structuredClone(state.catalogue.all);
    },
    setPrice: (change) => {
      const price = checkedPrice(change);
      assertOption(price.amount >= 0.01, 'amount', 'must be at least 0.01 NGN');
      const { product, biller, product_code } = price;
      state.commit(() => {
        const known = state.catalogue.setPrice(price);
        assertOption(known, 'product_code', `is not in the catalogue: ${product} ${biller} ${product_code}`);
        return [{ type: 'price', price }];
      });
    },
    faults,
    get transactions() {
      return state.transactions.list;
    },
    transaction: (reference) => state.transactions.get(reference),
    timeline: (reference) => state.timelines.of(reference),
    wallet: (clientId) => clientIn(clientId).wallet,
    delivery: (id) => state.deliveries.get(id),
    deliveryOf: (reference) => state.deliveries.ofTransaction(reference),
    request: (id) => state.log.get(id),
    requestsOf: (reference) => {
      const transaction = state.transactions.get(reference);
      return transaction ? state.log.of(transaction) : [];
    },
    get requests() {
      return state.log.list;
    },
    get deliveries() {
      return state.deliveries.list;
    },
    corruptDeliveries: (how, times = 1) => {
      const checked = checkCorruption(how, times);
      state.deliveries.corrupt(checked.how, checked.times);
    },
    audit: () =>
      audit(
        state.transactions.list,
        state.clients.list.map(({ wallet }) => wallet),
      ),
    reset: () => {
      const before = state;
      faults.clear();
      before.commit(() => {
        state = createState(settings, seed, parts);
        before.deliveries.discard();
        clock.clear();
        return [{ type: 'reset' }];
      });
    },
    onActivity: (listener) => changes.listen(listener),
    close: async () => {
      closed = true;
      state.deliveries.close();
      clock.clear();
      await Promise.all([...listening].map((server) => server.close()));
      await idle();
      changes.writeTo(undefined);
      file?.close();
    },
  };
  return sandbox;
}
