import { ConfigurationError } from '../errors/base.js';
import { unlessAborted } from '../utils/wait.js';
import { assertOption } from '../validation/options.js';
import { createApp } from './app.js';
import { createClientHandle } from './client-handle.js';
import { createState } from './create-state.js';
import { WebhookSender } from './deliveries/webhook-sender.js';
import { readListenOptions } from './http/listen-options.js';
import {
  connectionFailure,
  type RefusedRequest,
  recordRefused,
  responseOf,
  type ServiceRequest,
  serve,
} from './http/serve.js';
import { startServer } from './http/server.js';
import { audit } from './lab/audit.js';
import { ManualClock, RealClock } from './lab/clock.js';
import { checkCorruption } from './lab/fault-options.js';
import { Faults } from './lab/faults.js';
import { readOptions, type SandboxOptions } from './options.js';
import { Changes } from './records/changes.js';
import { timelineOf } from './records/timeline.js';
import { checkedMs } from './schemas/fields.js';
import { changePrice } from './service/catalogue.js';
import type { Client } from './service/clients.js';
import { randomSeed } from './service/ids.js';
import { settle } from './service/purchase.js';
import { currentPrefix } from './service/request.js';
import { subscribeFromCode } from './service/subscribe.js';
import { StateFile } from './state/state-file.js';
import type { Sandbox } from './types.js';

/** In a domain that no network resolves: a forgotten `fetch: sandbox.fetch` fails instead of reaching anyone. */
const inProcessBaseUrl = `https://sandbox.billpay.test${currentPrefix}`;

/** The address of callers in process. */
const inProcessAddress = '127.0.0.1';

/** `runUntilIdle` gives up after so much of the sandbox's time; a webhook's retries take 32 hours. */
const maxRunMs = 30 * 86_400_000;

/**
 * The whole service in this process: wallet, catalogues, idempotency, settlement, signed webhooks, and failures on demand.
 *
 * @example
 * ```ts
 * const sandbox = createSandbox();
 * const billpay = new BillPay(sandbox.connection);
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
  const servers = new Set<{ close(): Promise<void> }>();
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

  const faults = new Faults((change, fault) => changes.report({ type: 'fault', change, fault }));
  const sender = new WebhookSender(settings.webhookTimeout);
  const parts = { clock, changes, faults, sender, track };
  let state = createState(settings, seed, parts);
  let notice: string | undefined;
  if (file) {
    try {
      const started = file.start(() => state, seed);
      changes.writeTo(started.write);
      notice = started.notice;
    } catch (error) {
      clock.clear();
      file.close();
      throw error;
    }
  }

  const handle = async (request: ServiceRequest, address: string) => {
    const text = await request.text();
    if (closed) throw connectionFailure('ECONNREFUSED', 'the sandbox was closed');
    return serve(state, request, text, address);
  };
  const onRefused = (refused: RefusedRequest) => recordRefused(state, refused);

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
  const clockMoved = () => changes.commit(() => [{ type: 'clock', now: new Date(clock.now()) }]);

  /** A webhook handler that waits for deliveries waits for itself. */
  const refuseInHandler = (name: string) =>
    assertOption(
      !sender.isInHandler(),
      name,
      'waits until webhooks are answered, so a webhook handler that waits for it waits for itself: return the response first',
    );

  const connectionTo = (baseUrl: string) => {
    const { clientId, secretKey: apiKey } = clientIn(undefined);
    return { apiKey, clientId, baseUrl };
  };

  const sandbox: Sandbox = {
    baseUrl: inProcessBaseUrl,
    get connection() {
      return { ...connectionTo(inProcessBaseUrl), fetch: sandbox.fetch };
    },
    get credentials() {
      const { clientId, secretKey, publicKey } = clientIn(undefined);
      return { clientId, secretKey, publicKey };
    },
    get clients() {
      return state.clients.list.map(clientOf);
    },
    client: (clientId) => clientOf(clientIn(clientId)),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      request.signal.throwIfAborted();
      return unlessAborted(handle(request, inProcessAddress).then(responseOf), request.signal);
    },
    listen: async (listenOptions) => {
      const { port, host, controlToken } = readListenOptions(listenOptions);
      assertOption(!closed, 'listen', 'the sandbox was closed; create another');
      const server = await startServer({
        port,
        host,
        respond: createApp({ sandbox, handle, onRefused, host, controlToken }),
        onRefused,
      });
      servers.add(server);
      const baseUrl = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}${currentPrefix}`;
      return { ...server, baseUrl, controlToken, connection: connectionTo(baseUrl) };
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
      const ms = checkedMs(duration);
      refuseInHandler('advance');
      await manualClock().advance(ms, idle);
      clockMoved();
    },
    advanceToNext: async () => {
      refuseInHandler('advanceToNext');
      const moved = await manualClock().advanceToNext(idle);
      if (moved) clockMoved();
      return moved ? new Date(clock.now()) : undefined;
    },
    runUntilIdle: async () => {
      refuseInHandler('runUntilIdle');
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
      refuseInHandler('idle');
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
    },
    get catalogue() {
      return structuredClone(state.catalogue.all);
    },
    setPrice: (change) => changePrice(state, change),
    faults,
    get transactions() {
      return state.transactions.list;
    },
    transaction: (reference) => state.transactions.get(reference),
    timeline: (reference) => {
      const transaction = state.transactions.get(reference);
      const delivery = state.deliveries.ofTransaction(reference);
      return transaction ? timelineOf(transaction, state.log.of(transaction), delivery) : [];
    },
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
    get refusals() {
      return state.log.refusals;
    },
    get counts() {
      return {
        transactions: state.transactions.counts,
        refused: state.log.refused,
        deliveries: state.deliveries.counts,
        requests: state.log.list.length,
      };
    },
    get problem() {
      return closed ? 'the sandbox was closed' : changes.failure?.message;
    },
    notice,
    get deliveries() {
      return state.deliveries.list;
    },
    corruptDeliveries: (how, times = 1) => {
      const checked = checkCorruption(how, times);
      state.deliveries.corrupt(checked.how, checked.times);
    },
    audit: () => {
      const wallets = state.clients.list.map(({ wallet }) => wallet);
      return audit(state.transactions.list, wallets);
    },
    reset: () => {
      faults.clear();
      changes.commit(() => {
        state.deliveries.discard();
        sender.abort();
        clock.clear();
        state = createState(settings, seed, parts);
        return [{ type: 'reset' }];
      });
    },
    onActivity: (listener) => changes.listen(listener),
    close: async () => {
      closed = true;
      sender.close();
      clock.clear();
      await Promise.all([...servers].map((server) => server.close()));
      await idle();
      changes.writeTo(undefined);
      file?.close();
    },
  };
  return sandbox;
}
