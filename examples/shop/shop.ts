import type { BillPay } from 'billpay';
import {
  createOrders,
  type OrderInput,
  type Orders,
  type OrdersOptions,
  type ReconcileFinding,
  type ReconcileSummary,
} from 'billpay/orders';
import type { Cart, Carts, NewCart } from './carts.js';

/** What is bought, without the id that it gets as an order. */
export type Item = Pick<OrderInput, 'product' | 'params'>;

/** How far the last comparison with the service is, and what it found. */
export interface Books {
  readonly findings: ReconcileFinding[];
  /** What has been compared so far. */
  readonly summary: () => ReconcileSummary;
  error?: string;
}

/** What the routes work with, whatever the database. */
export interface Shop {
  readonly billpay: BillPay;
  readonly orders: Orders<unknown>;
  /**
   * Stores cart and order together, then buys. The same id again is the same order.
   *
   * @throws `DuplicateOrderError` where the customer ordered the same a moment ago, unless it is wanted twice.
   */
  sell(cart: NewCart, item: Item, customer: string, options?: { wantedTwice?: boolean }): Promise<void>;
  cart(id: string): Promise<Cart | undefined>;
  latestCarts(limit: number): Promise<Cart[]>;
  /** Calls back after each change of an order, until the returned function is called. */
  watch(id: string, changed: () => void): () => void;
  /** Begins to compare the orders of the last 24 hours with the service, unless that is being done. Nothing is changed. */
  closeBooks(): void;
  /** The last comparison; undefined before the first. */
  books(): Books | undefined;
}

/** The shop on any store: cart and order change together, in one transaction. */
export function createShop<Client>(
  billpay: BillPay,
  store: OrdersOptions<Client>['store'],
  carts: Carts<Client>,
): Shop {
  const watchers = new Map<string, Set<() => void>>();
  let books: Books | undefined;
  const orders = createOrders<Client>({
    billpay,
    store,
    // Two taps are one order, and what cannot be bought within a quarter of an hour is refunded.
    duplicateWithin: 60_000,
    expireAfter: 15 * 60_000,
    // A customer is waiting: give up sooner than a batch would, and look soon at what stayed silent.
    buyTimeout: 15_000,
    lease: 20_000,
    checkAfter: 20_000,
    sweepInterval: 10_000,
    on: {
      delivered: (order, { client, token }) => carts.end(order.id, 'delivered', token, client),
      // A real shop gives the customer's money back here.
      failed: (order, { client }) => carts.end(order.id, 'refunded', undefined, client),
      refused: (order, { client }) => carts.end(order.id, 'refunded', undefined, client),
    },
    onTransition: (order) => {
      for (const changed of watchers.get(order.id) ?? []) changed();
    },
  });
  return {
    billpay,
    // Which client the hooks get is nothing to the routes.
    orders: orders as Orders<unknown>,
    async sell(cart, item, customer, { wantedTwice = false } = {}) {
      await store.transaction(async (client) => {
        // A real shop takes the customer's money here: where the order is a duplicate, nothing of this happens.
        await carts.add(cart, client);
        const order = { ...item, id: cart.id } as OrderInput;
        await orders.place(order, { client, customer, allowDuplicate: wantedTwice });
      });
      // The page shows what becomes of it; the worker continues where this process ends.
      orders.buy(cart.id).catch(console.error);
    },
    cart: (id) => carts.find(id),
    latestCarts: (limit) => carts.latest(limit),
    watch(id, changed) {
      const all = watchers.get(id) ?? new Set();
      watchers.set(id, all.add(changed));
      return () => {
        all.delete(changed);
        if (all.size === 0) watchers.delete(id);
      };
    },
    closeBooks() {
      if (books && !books.summary().complete && !books.error) return;
      const [from, to] = [new Date(Date.now() - 24 * 3_600_000), new Date()];
      // 30 status checks a minute: a busy shop runs `npx billpay reconcile` each night instead.
      const reconciliation = orders.reconcile({ from, to });
      const now: Books = { findings: [], summary: () => reconciliation.summary() };
      books = now;
      const read = async () => {
        for await (const finding of reconciliation) now.findings.push(finding);
      };
      read().catch((error: unknown) => {
        now.error = String(error);
      });
    },
    books: () => books,
  };
}
