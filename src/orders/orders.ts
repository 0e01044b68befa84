import type { FieldErrors } from '../contract/read-params.js';
import type { PacerStats } from '../pacing/pacer.js';
import { type NodeWebhookHandler, toNodeHandler } from '../webhooks/receiver/node-handler.js';
import { createWebhookHandler, type WebhookHandler } from '../webhooks/receiver/receiver.js';
import type { WebhookHandlerOptions } from '../webhooks/receiver/receiver-options.js';
import type { AccountStop } from './account.js';
import { buyOrder } from './buy.js';
import {
  type CancelOrder,
  checkedCall,
  type ListOrders,
  type PlaceOrder,
  placeOptionsReader,
  type ResolveOrder,
  type StartOrders,
} from './call-options.js';
import { ordersRuntime } from './check-options.js';
import { actionFor } from './decide.js';
import { OrderNotFoundError, OrderStateError } from './errors.js';
import type { OrdersOptions } from './options.js';
import type { Order, OrderHistoryEntry, OrderInput } from './order.js';
import { placeOrder, readOrder } from './place.js';
import type { OrderJob } from './queues/queue.js';
import type { ReconcileOptions } from './reconcile/options.js';
import { reconcile } from './reconcile/reconcile.js';
import type { ReconcileReport } from './reconcile/report.js';
import { moveOrder, requestStep } from './runtime.js';
import { applyEvent } from './settle.js';
import { isFinal } from './states.js';
import { runJob, runUntilIdle } from './steps.js';
import type { StatsQuery, StoredOrderStats } from './store.js';
import { createStart, type OrderWorker } from './worker.js';

/** Counts of orders, and of calls that wait. */
export interface OrderStats extends StoredOrderStats {
  /** Why and since when this process has stopped buying, because the account is at fault; undefined while it buys. */
  readonly account: AccountStop | undefined;
  /** What waits in the pacer, where `createOrders` was given it. */
  readonly pacer: PacerStats | undefined;
}

/** Options for the webhook handlers of orders: those of `createWebhookHandler` that are left to choose. */
export type OrderWebhookOptions = Omit<WebhookHandlerOptions, 'on' | 'dedupe'>;

/** What `createOrders` returns. */
export interface Orders<Client> {
  /**
   * Stores an order, to be bought by `buy` or by a worker. The same id with the same content is the same order. The input is read once, when
   * the call begins.
   *
   * @throws `ValidationError` for parameters that would be refused; `OrderConflictError` for an id that has another content;
   * `DuplicateOrderError` where the same was placed within `duplicateWithin`.
   */
  place(input: OrderInput, options?: PlaceOrder<Client>): Promise<Order>;
  /**
   * Buys an order now. Resolves to the order in its new state, `unknown`, `refused` and `held` included, with `lastError`. An order that
   * is accepted or final is returned unchanged; so is one that another process is buying at this moment. An attempt that a worker of this
   * process is making is waited for. While the account is at fault nothing is sent, and the order is `held`.
   *
   * @throws `OrderNotFoundError`, or what the store threw.
   */
  buy(id: string): Promise<Order>;
  /** One idempotent step with an order: buy, resume, look up, or nothing. For engines of your own; may be called as often as you like. */
  run(job: OrderJob): Promise<void>;
  /**
   * Starts a worker in this process: buys what was placed, resumes what is unknown, looks up what stayed silent.
   *
   * @param options - `signal`: stops the worker when it is aborted, as `worker.stop()` does.
   */
  start(options?: StartOrders): OrderWorker;
  /**
   * Works on everything that is due and resolves when nothing is left: for tests, which need no worker, no timers and no sleeps. What is due
   * later is not waited for: move the clock of the store on, and call it again.
   *
   * @example
   * ```ts
   * await orders.place({ id: 'order-7', product: 'airtime', params: { biller: 'MTN', recipient: '08031234567', amount: 500 } });
   * await orders.runUntilIdle();
   * console.log((await orders.find('order-7'))?.state); // accepted
   * ```
   */
  runUntilIdle(): Promise<void>;
  /** A webhook handler from `Request` to `Response`. */
  webhookHandler(options: OrderWebhookOptions): WebhookHandler;
  /** A webhook handler for node:http, Express, Fastify and NestJS. */
  nodeWebhookHandler(options: OrderWebhookOptions): NodeWebhookHandler;
  /** The order of an id; undefined where there is none. */
  find(id: string): Promise<Order | undefined>;
  /** Orders by state and time, newest first. Give the last one as `after` for the next page. */
  list(query?: ListOrders): Promise<Order[]>;
  /** What happened to an order, oldest first. */
  history(id: string): Promise<OrderHistoryEntry[]>;
  /**
   * Continues now with an order that waits. One in review is looked up again where it has a reference, else bought again under its id.
   *
   * @throws `OrderNotFoundError`; `OrderStateError` for one that is final or being bought.
   */
  retry(id: string): Promise<Order>;
  /**
   * Ends an order in review by the decision of a person.
   *
   * @throws `OrderNotFoundError`; `OrderStateError` for an order that is not in review.
   */
  resolve(id: string, decision: ResolveOrder): Promise<Order>;
  /**
   * Ends an order that was certainly never charged, as `refused`, with its hook.
   *
   * @throws `OrderNotFoundError`; `OrderStateError` for an order that is being bought, may have been charged, or has ended.
   */
  cancel(id: string, options?: CancelOrder): Promise<Order>;
  /**
   * Tries again at once after the account was at fault: after the wallet was funded or the key was replaced. Where the engine hands jobs from
   * process to process, it may be called in any of them.
   */
  resume(): Promise<void>;
  /**
   * Counts by state, the oldest of each, what was spent today.
   *
   * @param query - `timeZone`: where today begins, such as `Africa/Lagos`; or `since` and `until`.
   */
  stats(query?: StatsQuery): Promise<OrderStats>;
  /**
   * Compares the orders that were placed in a time range with the service, and with the wallet's statement where one is given: the books at the
   * end of the day. It looks every order up again, at 30 lookups a minute by default, so that a large range takes hours: it can be ended
   * and continued. Nothing is changed without `apply: true`.
   *
   * @throws `ConfigurationError` for a wrong option; `ValidationError` for a row of the statement that cannot be read; what the store threw; the error
   * of the client where the account is at fault (401, 403), or after ten failed lookups in a row. The last checkpoint continues from there.
   *
   * @example
   * ```ts
   * const report = await orders.reconcile({ from: new Date('2026-11-21'), to: new Date('2026-11-22') });
   * for (const { kind, id, stored, found, whatToDo } of report.findings) console.log(kind, id, stored, found, whatToDo);
   * console.log(report.orders, report.total.charged, report.total.commission);
   * ```
   */
  reconcile(options: ReconcileOptions): Promise<ReconcileReport>;
}

/**
 * Everything that `place` would refuse, without storing anything: for the moment before the customer pays.
 *
 * @returns every problem by the name of its field; undefined for an order that can be placed.
 * @example
 * ```ts
 * const errors = checkOrder({ id: 'order-7', product: 'airtime', params: { biller: 'MTN', recipient: '', amount: 500 } });
 * console.log(errors); // { recipient: '…' }
 * ```
 */
export function checkOrder(input: unknown): FieldErrors | undefined {
  const read = readOrder(input);
  return read.ok ? undefined : read.errors;
}

const endings = { delivered: 'deliver', failed: 'fail', refused: 'refuse' } as const;

/**
 * Orders on your own database: placed in your transaction, bought once under their id, resumed while in doubt, settled by webhook or
 * lookup; the hook of each end runs once, in the transaction that stores it.
 *
 * @throws `ConfigurationError` that names the option that is wrong.
 * @example
 * ```ts
 * const orders = createOrders({
 *   billpay: new BillPay({ pacing: true }),
 *   store: postgresOrderStore(pool),
 *   on: {
 *     delivered: async (order, { client }) => {
 *       await client.query('UPDATE carts SET paid = true WHERE id = $1', [order.id]);
 *     },
 *   },
 * });
 * await orders.place({ id: 'order-7', product: 'airtime', params: { biller: 'MTN', recipient: '08031234567', amount: 500 } });
 * const order = await orders.buy('order-7');
 * ```
 */
export function createOrders<Client>(options: OrdersOptions<Client>): Orders<Client> {
  const runtime = ordersRuntime(options);
  const { store, queue } = runtime;
  const placeOptions = placeOptionsReader<Client>();

  const existing = async (id: string): Promise<Order> => {
    const order = await store.find(id);
    if (!order) throw new OrderNotFoundError(id);
    return order;
  };

  const webhookHandler = (given: OrderWebhookOptions): WebhookHandler =>
    createWebhookHandler({
      ...given,
      // The state of the order shows which delivery is a repetition.
      dedupe: false,
      on: {
        'transaction.completed': (event) => applyEvent(runtime, event),
        'transaction.failed': (event) => applyEvent(runtime, event),
      },
    });

  return {
    // The input is read before anything is awaited.
    place: async (input, options) => placeOrder(runtime, input, placeOptions(options)),
    async buy(id) {
      const order = await existing(id);
      return actionFor(order) === 'buy' ? buyOrder(runtime, order, false) : order;
    },
    run: (job) => runJob(runtime, job),
    start: createStart(runtime),
    runUntilIdle: () => runUntilIdle(runtime),
    webhookHandler,
    nodeWebhookHandler: (given) => toNodeHandler(webhookHandler(given)),
    find: (id) => store.find(id),
    list: async (query) => store.list(checkedCall.list(query)),
    history: (id) => store.history(id),
    async retry(id) {
      const order = await existing(id);
      const { state, attempt } = order;
      if (isFinal(state) || state === 'buying') throw new OrderStateError(id, state, 'retried');
      const note = { event: 'note', detail: { note: 'retried' } } as const;
      const moved =
        state === 'review'
          ? await moveOrder(runtime, order, {
              // What has a reference was bought: bought again after the service forgot its key, it would be charged twice.
              event: order.reference === undefined ? 'retry' : 'lookAgain',
              change: { dueInMs: 0, tries: 0 },
            })
          : await store.update({ id, state, attempt }, { dueInMs: 0 }, note);
      await requestStep(runtime, { type: 'order', id });
      return moved ?? existing(id);
    },
    async cancel(id, options) {
      const { note } = checkedCall.cancel(options);
      const order = await existing(id);
      const detail = note === undefined ? {} : { note };
      const moved = await moveOrder(runtime, order, { event: 'cancel', detail });
      if (moved) return moved;
      const { state, doubted } = await existing(id);
      const why = doubted && !isFinal(state) ? 'It may have been charged: wait for its outcome.' : undefined;
      throw new OrderStateError(id, state, 'cancelled', why);
    },
    async resume() {
      runtime.account.resume();
      await queue.enqueue({ type: 'sweep', resume: true });
    },
    async resolve(id, decision) {
      const { as, note } = checkedCall.resolve(decision);
      const order = await existing(id);
      if (order.state !== 'review') throw new OrderStateError(id, order.state, 'resolved');
      const change = as === 'refused' ? {} : { settled: true as const, refunded: as === 'failed' };
      const moved = await moveOrder(runtime, order, { event: endings[as], change, detail: { note } });
      if (!moved) throw new OrderStateError(id, (await existing(id)).state, 'resolved');
      return moved;
    },
    stats: async (query) => ({
      ...(await store.stats(checkedCall.stats(query))),
      account: runtime.account.stopped(),
      pacer: runtime.pacer?.stats(),
    }),
    reconcile: (options) => reconcile(runtime, options),
  };
}
