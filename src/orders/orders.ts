import { contentOf, purchaseItemErrors } from '../contract/purchase-item.js';
import { textOfErrors } from '../contract/read-params.js';
import { OrderConflictError, OrderNotFoundError, OrderStateError } from '../errors/order-errors.js';
import { ValidationError } from '../errors/request-errors.js';
import type { PacerStats } from '../pacing/pacer.js';
import { type NodeWebhookHandler, toNodeHandler } from '../webhooks/receiver/node-handler.js';
import { createWebhookHandler, type WebhookHandler } from '../webhooks/receiver/receiver.js';
import type { WebhookHandlerOptions } from '../webhooks/receiver/receiver-options.js';
import { buyOrder } from './buy.js';
import { ordersRuntime } from './check-options.js';
import { actionFor } from './decide.js';
import type { OrdersOptions } from './options.js';
import type { Order, OrderHistoryEntry, OrderInput } from './order.js';
import type { OrderJob } from './queues/queue.js';
import { moveOrder, requestStep } from './runtime.js';
import { applyEvent } from './settle.js';
import { type FinalOrderState, isFinal } from './states.js';
import { runJob } from './steps.js';
import type { OrderQuery, StoredOrderStats } from './store.js';
import { createStart, type OrderWorker, type StartOrders } from './worker.js';

/** Counts of orders, and of calls that wait. */
export interface OrderStats extends StoredOrderStats {
  /** How the pacer stands, where `createOrders` was given it. */
  readonly pacer: PacerStats | undefined;
}

/** Options for `orders.list`. */
export interface ListOrders extends Omit<OrderQuery, 'limit'> {
  /** At most so many. Default 50. */
  readonly limit?: number | undefined;
}

/** The decision of a person about an order in review. */
export interface ResolveOrder {
  /** How the order ends: its hook runs as usual. */
  readonly as: FinalOrderState;
  /** Why: written into the history. */
  readonly note: string;
}

/** Options for the webhook handlers of orders: those of `createWebhookHandler` that are left to choose. */
export type OrderWebhookOptions = Omit<WebhookHandlerOptions, 'on' | 'dedupe'>;

/** What `createOrders` gives. */
export interface Orders<Client> {
  /**
   * Stores an order, to be bought by `buy` or by a worker. The same id with the same content is the same order.
   *
   * @param options - `client`: store it in your transaction, together with what belongs to it.
   * @throws `ValidationError` for parameters that would be refused; `OrderConflictError` for an id that has another content.
   */
  place(input: OrderInput, options?: { client?: Client | undefined }): Promise<Order>;
  /**
   * Buys an order now. Resolves to the order in its new state, `unknown`, `refused` and `held` included, with `lastError`. An order that
   * is accepted or final is returned unchanged; so is one that another process is buying at this moment.
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
   * Continues now with an order that waits, and sends one in review on its way again.
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
  /** Counts by state, the oldest of each, what was spent today. */
  stats(): Promise<OrderStats>;
}

const endings = { delivered: 'deliver', failed: 'fail', refused: 'refuse' } as const;

/**
 * Orders on your own database: placed in your transaction, bought once under their id, resumed while in doubt, settled by webhook or
 * lookup, each end told once in the transaction that stores it.
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

  const existing = async (id: string): Promise<Order> => {
    const order = await store.find(id);
    if (!order) throw new OrderNotFoundError(id);
    return order;
  };

  const webhookHandler = (given: OrderWebhookOptions): WebhookHandler =>
    createWebhookHandler({
      ...given,
      // The state of the order is what tells a repeated delivery.
      dedupe: false,
      on: {
        'transaction.completed': (event) => applyEvent(runtime, event),
        'transaction.failed': (event) => applyEvent(runtime, event),
      },
    });

  return {
    async place(input, { client } = {}) {
      checkInput(input);
      const { order, inserted } = await store.insert(input, client);
      if (contentOf(order) !== contentOf(input)) throw new OrderConflictError(input.id);
      const job = { type: 'order', id: order.id, placed: true } as const;
      if (!inserted) return order;
      if (client === undefined) await requestStep(runtime, job);
      // A transaction does not wait for an engine that takes no part in it.
      else if (queue.outsideTransactions) void requestStep(runtime, job);
      // In the caller's transaction a job that failed may have ended the transaction, so the caller must know.
      else await queue.enqueue(job, { client });
      return order;
    },
    async buy(id) {
      const order = await existing(id);
      return actionFor(order) === 'buy' ? buyOrder(runtime, order, false) : order;
    },
    run: (job) => runJob(runtime, job),
    start: createStart(runtime),
    webhookHandler,
    nodeWebhookHandler: (given) => toNodeHandler(webhookHandler(given)),
    find: (id) => store.find(id),
    list: (query = {}) => store.list({ limit: 50, ...withoutUndefined(query) }),
    history: (id) => store.history(id),
    async retry(id) {
      const order = await existing(id);
      const { state, attempt } = order;
      if (isFinal(state) || state === 'buying') throw new OrderStateError(id, state, 'retried');
      const moved =
        state === 'review'
          ? await moveOrder(runtime, order, { event: 'retry', change: { dueInMs: 0, tries: 0 } })
          : await store.update(
              { id, state, attempt },
              { dueInMs: 0 },
              { event: 'note', detail: { note: 'retried' } },
            );
      await requestStep(runtime, { type: 'order', id });
      return moved ?? existing(id);
    },
    async resolve(id, { as, note }) {
      const order = await existing(id);
      if (order.state !== 'review') throw new OrderStateError(id, order.state, 'resolved');
      const moved = await moveOrder(runtime, order, { event: endings[as], detail: { note } });
      if (!moved) throw new OrderStateError(id, (await existing(id)).state, 'resolved');
      return moved;
    },
    stats: async () => ({ ...(await store.stats()), pacer: options.pacer?.stats() }),
  };
}

/** The same checks as the client's, before anything is stored. */
function checkInput(input: OrderInput): void {
  const { id, product, params } = input;
  const { idempotency_key: idProblem, ...errors } =
    purchaseItemErrors({ product, params, idempotency_key: id }) ?? {};
  const all = idProblem === undefined ? errors : { id: idProblem, ...errors };
  if (Object.keys(all).length === 0) return;
  throw new ValidationError(`The order was not placed: ${textOfErrors(all)}.`, {
    operation: 'orders.place',
    errors: all,
  });
}

const withoutUndefined = (query: ListOrders) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
