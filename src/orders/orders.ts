import type { FieldErrors } from '../contract/read-params.js';
import type { PacerStats } from '../pacing/pacer.js';
import { loggerOf } from '../utils/logger.js';
import { type NodeWebhookHandler, toNodeHandler } from '../webhooks/node.js';
import { createWebhookHandler } from '../webhooks/receiver.js';
import type { WebhookHandlerOptions } from '../webhooks/receiver-options.js';
import type { WebhookHandler } from '../webhooks/respond.js';
import type { BreakerState } from './breaker.js';
import { buyOrder } from './buy.js';
import {
  type CancelOrder,
  checkedCall,
  type ListOrders,
  type PlaceOptions,
  placeOptionsReader,
  type ResolveOrder,
  type StartOrders,
} from './call-options.js';
import { nairaOf } from './decide.js';
import { OrderNotFoundError, OrderStateError } from './errors.js';
import type { OrdersOptions } from './options.js';
import type { Order, OrderHistoryEntry, OrderInput } from './order.js';
import { type OrderPlaced, placeOrder, readOrder } from './place.js';
import type { ReconcileOptions } from './reconcile/options.js';
import { type Reconciliation, reconcile } from './reconcile/reconcile.js';
import { createRuntime, moveOrder, requestStep, resumeHeld } from './runtime.js';
import { applyEvent } from './settle.js';
import { isFinal, laneOf } from './states.js';
import { runUntilIdle, step } from './step.js';
import type { StatsQuery, StoredOrderStats } from './store.js';
import { storedToken } from './tokens.js';
import { createStart, type OrderWorker } from './worker.js';

/** Counts of orders, and of calls that wait. */
export interface OrderStats extends StoredOrderStats {
  /** Why and since when this process buys nothing, or nothing of a certain amount; undefined while the circuit breaker is closed. */
  readonly breaker: BreakerState | undefined;
  /** What waits in the pacer, where `createOrders` was given it. */
  readonly pacer: PacerStats | undefined;
}

/** Options for the webhook handlers of orders: those of `createWebhookHandler` that are left to choose. */
export type OrderWebhookOptions = Omit<WebhookHandlerOptions, 'on' | 'dedupe'>;

/** What `createOrders` returns. */
export interface Orders<Client = unknown> {
  /**
   * Stores an order, to be bought by `buy` or by a worker. The same id with the same content is the same order. The input is read once, when
   * the call begins.
   *
   * @returns the order, and `isNew`: whether this call stored it. A shop books the payment of a new order only.
   * @throws `ValidationError` for parameters that would be refused; `OrderConflictError` for an id that has another content;
   * `DuplicateOrderError` where the same was placed within `duplicateWithin`.
   */
  place(input: OrderInput, options?: PlaceOptions<Client>): Promise<OrderPlaced>;
  /**
   * Buys an order now. Resolves to the order in its new state, `unknown`, `refused` and `held` included, with `lastError`. An order that
   * is accepted or final is returned unchanged; so is one that another process is buying at this moment. An attempt that a worker of this
   * process is making is waited for. While the circuit breaker is open nothing is sent, and the order is `held`.
   *
   * @throws `OrderNotFoundError`, or what the store threw.
   */
  buy(id: string): Promise<Order>;
  /**
   * One idempotent step with an order that is due: buy, resume, check, or nothing. For engines of your own; may be called as often as you like.
   *
   * @returns ms until the order is due again; undefined where nothing is left to do, or there is no such order.
   * @throws what a hook or the store threw: call it again later.
   */
  run(id: string): Promise<number | undefined>;
  /**
   * Starts a worker in this process: buys what was placed, resumes what is unknown, checks what stayed silent.
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
   * Continues now with an order that waits. One in review is checked again where it has a reference, else bought again under its id: where it
   * had been charged, that brings its reference and charges nothing.
   *
   * @throws `OrderNotFoundError`; `OrderStateError` for one that is final or being bought.
   */
  retry(id: string): Promise<Order>;
  /**
   * Ends an order in review by the decision of a person. Where the reference is unknown, `retry` is better: it brings the reference and the
   * amounts, which the books need.
   *
   * @param decision - `as` and `note`; `reference`, `amountCharged` (NGN) and `token` as the console of the service shows them.
   * @throws `DuplicateReferenceError` where another order has the reference; `OrderNotFoundError`; `OrderStateError` for an order that is not in review.
   */
  resolve(id: string, decision: ResolveOrder): Promise<Order>;
  /**
   * Ends an order that was certainly never charged, as `refused`, with its hook.
   *
   * @throws `OrderNotFoundError`; `OrderStateError` for an order that is being bought, may have been charged, or has ended.
   */
  cancel(id: string, options?: CancelOrder): Promise<Order>;
  /**
   * Lets the orders continue that the circuit breaker holds back, after the wallet was funded or the key was replaced: one is tried at once, in any
   * process that works on them. May be called in any process.
   */
  resumeHeld(): Promise<void>;
  /**
   * Counts by state, the oldest of each, what was spent today.
   *
   * @param query - `timeZone`: where today begins, such as `Africa/Lagos`; or `since` and `until`.
   */
  stats(query?: StatsQuery): Promise<OrderStats>;
  /**
   * Compares the orders that were placed in a time range with the service, and with the wallet's statement where one is given: the books at the
   * end of the day. It changes nothing. Every order gets a status check, 30 a minute by default: 10,000 orders take hours.
   *
   * @throws `ConfigurationError` for a wrong option. While the findings are read: `ValidationError` for a row of the statement that cannot be read;
   * what the store threw; the error of the client where the account is at fault (401, 403), or after ten failed status checks in a row.
   *
   * @example
   * ```ts
   * const books = orders.reconcile({ from: new Date('2026-11-21'), to: new Date('2026-11-22') });
   * for await (const { kind, id, stored, found, whatToDo } of books) console.log(kind, id, stored, found, whatToDo);
   * const { orders: compared, total } = books.summary();
   * console.log(compared, total.charged, total.commission);
   * ```
   */
  reconcile(options: ReconcileOptions): Reconciliation;
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
 * Orders on your own database: placed in your transaction, bought once under their id, resumed while unknown, settled by webhook or
 * status check; the hook of each end runs once, in the transaction that stores it.
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
  const runtime = createRuntime(options);
  const { store, billpay } = runtime;
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
      if (laneOf(order.state) !== 'purchase') return order;
      const bought = await buyOrder(runtime, order, false);
      await requestStep(runtime, bought);
      return bought;
    },
    async run(id) {
      const order = await step(runtime, id);
      return order && laneOf(order.state) ? order.dueInMs : undefined;
    },
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
              event: order.reference === undefined ? 'retry' : 'checkAgain',
              change: { dueInMs: 0, tries: 0 },
            })
          : await store.update({ id, state, attempt }, { dueInMs: 0 }, note);
      const now = moved ?? (await existing(id));
      await requestStep(runtime, now);
      return now;
    },
    async cancel(id, options) {
      const { note } = checkedCall.cancel(options);
      const order = await existing(id);
      const detail = note === undefined ? {} : { note };
      const moved = await moveOrder(runtime, order, { event: 'cancel', detail });
      if (moved) return moved;
      const { state, mayHaveCharged } = await existing(id);
      const why =
        mayHaveCharged && !isFinal(state) ? 'It may have been charged: wait for its outcome.' : undefined;
      throw new OrderStateError(id, state, 'cancelled', why);
    },
    async resumeHeld() {
      runtime.breaker.resume();
      await resumeHeld(runtime);
    },
    async resolve(id, decision) {
      const { as, note, reference, amountCharged, token } = checkedCall.resolve(decision);
      const order = await existing(id);
      if (order.state !== 'review') throw new OrderStateError(id, order.state, 'resolved');
      if (as !== 'refused' && order.reference === undefined && reference === undefined)
        loggerOf(billpay)?.warn(unknownReference, { order: id, as });
      const moved = await moveOrder(runtime, order, {
        event: endings[as],
        token,
        change: {
          ...(as !== 'refused' && { settled: true as const, refunded: as === 'failed' }),
          ...(reference !== undefined && { reference }),
          ...(amountCharged !== undefined && { amountCharged: nairaOf(amountCharged) ?? amountCharged }),
          ...(token !== undefined && { token: await storedToken(token, runtime) }),
        },
        detail: { note, ...(reference !== undefined && { reference }) },
      });
      if (!moved) throw new OrderStateError(id, (await existing(id)).state, 'resolved');
      return moved;
    },
    stats: async (query) => ({
      ...(await store.stats(checkedCall.stats(query))),
      breaker: runtime.breaker.state(),
      pacer: runtime.pacer?.stats(),
    }),
    reconcile: (options) => reconcile({ billpay: runtime.billpay, store }, options),
  };
}

const unknownReference =
  'billpay orders: an order was resolved without its reference, so the books cannot compare it. orders.retry would have brought the reference and the amounts';
