import { BillPay } from '../index.js';
import { createOrders } from '../orders/index.js';
import type { Order } from '../orders/order.js';
import type { ShopBooks } from './books.js';
import { type OpenDatabase, openMemory, openPostgres, openSqlite, type ProofDatabase } from './database.js';
import type { PlannedOrder } from './plan.js';

/** How the shop reaches the service. */
export interface ShopSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly webhookSecret: string;
}

/** The backend of a shop: a worker and a receiver of webhooks over one database. */
export interface Shop {
  /** Receives a webhook; resolves to the status of the response. */
  receive(webhook: { readonly headers: Record<string, string>; readonly body: string }): Promise<number>;
  /** Places every order that is not placed yet, and starts the worker. */
  sell(plan: readonly PlannedOrder[]): Promise<void>;
  /** How many orders have ended. */
  ended(): Promise<number>;
  /**
   * Decides about the orders in review as a person does who can see the service's transactions: an order without one was never charged,
   * one with a transaction is bought again under its key. Resolves to the number of decisions.
   */
  review(chargedKeys: readonly string[]): Promise<number>;
  /** Everything that is stored about the orders of the plan. */
  books(plan: readonly PlannedOrder[]): Promise<ShopBooks>;
  /** Stops the worker, removes the tables of the proof and closes the database. */
  remove(): Promise<void>;
}

/** Opens the database and starts nothing yet. */
export async function openShop(database: ProofDatabase, settings: ShopSettings): Promise<Shop> {
  switch (database.kind) {
    case 'memory':
      return createShop(openMemory(), settings);
    case 'sqlite':
      return createShop(openSqlite(database.path), settings);
    case 'postgres':
      return createShop(await openPostgres(database), settings);
  }
}

/**
 * Times are short, so that the proof takes seconds where a shop would wait for minutes. `reviewAfter` leaves room for two leases: what a
 * killed process was buying is bought again, on a busy machine too, before a person decides about it.
 */
const times = { buyTimeout: 3000, lease: 3500, lookUpAfter: 2000, sweepAfter: 500, reviewAfter: 10_000 };

function createShop<Client>(database: OpenDatabase<Client>, settings: ShopSettings): Shop {
  const { baseUrl, apiKey, clientId, webhookSecret } = settings;
  const record = async (order: Order, { client }: { client: Client }) => {
    await database.recordEnd(client, { id: order.id, state: order.state });
  };
  const orders = createOrders<Client>({
    billpay: new BillPay({ baseUrl, apiKey, clientId, timeout: 1500, maxRetries: 1, logLevel: 'off' }),
    store: database.store,
    on: { delivered: record, failed: record, refused: record },
    retryDelay: () => 300,
    // What fails is repeated; the books show what was not.
    onError: () => {},
    ...times,
  });
  const logger = { info() {}, warn() {}, error() {} };
  const handle = orders.webhookHandler({ secret: webhookSecret, logger });
  let stop = async () => {};
  return {
    receive: async ({ headers, body }) =>
      (await handle(new Request('http://127.0.0.1/', { method: 'POST', headers, body }))).status,
    async sell(plan) {
      for (const { input } of plan) await orders.place(input);
      const worker = orders.start();
      stop = () => worker.stop();
    },
    async ended() {
      const { count } = await orders.stats();
      return count.delivered + count.failed + count.refused;
    },
    async review(chargedKeys) {
      const waiting = await orders.list({ state: 'review', limit: 1000 });
      for (const { id } of waiting) {
        if (chargedKeys.includes(id)) await orders.retry(id);
        else
          await orders.resolve(id, { as: 'refused', note: 'The service has no transaction of this order.' });
      }
      return waiting.length;
    },
    async books(plan) {
      const found = await Promise.all(plan.map(({ input }) => orders.find(input.id)));
      return {
        orders: found
          .filter((order) => order !== undefined)
          .map(({ id, state, reference, amount }) => ({ id, state, reference, amount })),
        ends: await database.ends(),
      };
    },
    async remove() {
      await stop();
      await database.remove();
    },
  };
}
