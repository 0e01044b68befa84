import type { Purchase, PurchaseItem, PurchaseOptions, Transaction } from '../../../src/index.js';
import {
  createOrders,
  type HookContext,
  type Lane,
  memoryOrderStore,
  type Order,
  type OrderQueue,
  type OrdersOptions,
} from '../../../src/orders/index.js';
import { airtimeOrder } from './store-contract.js';

export const purchaseOf = (reference: string, amount = 500): Purchase => ({
  reference,
  status: 'pending',
  idempotency_key: 'k',
  recipient: '08031234567',
  biller: 'MTN',
  amount,
  channel: 'API_GATEWAY',
  currency: 'NGN',
  created_at: '2026-01-31 12:00:00',
});

export const transactionOf = (reference: string, fields: Partial<Transaction> = {}): Transaction => ({
  reference,
  transaction_status: 'pending',
  amount: 500,
  amount_charged: 500,
  service_amount: 500,
  commission: 10,
  commission_received: 10,
  service_type: 'VTU_AIRTIME',
  biller: 'MTN',
  token: null,
  created_at: '2026-01-31 12:00:00',
  updated_at: '2026-01-31 12:00:00',
  refunded: false,
  ...fields,
});

/** What a scripted client does with a call: gives it, or throws it. */
export type Scripted<T> = T | Error | (() => Promise<T>);

/** A client that does what the test says, and remembers what it was asked. */
export function scriptedClient() {
  const purchases: Scripted<Purchase>[] = [];
  const looks: Scripted<Transaction>[] = [];
  const asked: { item: PurchaseItem; options: PurchaseOptions | undefined }[] = [];
  const play = async <T>(steps: Scripted<T>[], what: string): Promise<T> => {
    const step = steps.shift();
    if (step === undefined) throw new Error(`the test has no answer for this ${what}`);
    if (step instanceof Error) throw step;
    return typeof step === 'function' ? (step as () => Promise<T>)() : step;
  };
  return {
    purchases,
    looks,
    asked,
    client: {
      purchase: (item: PurchaseItem, options?: PurchaseOptions) => {
        asked.push({ item, options });
        return play(purchases, 'purchase');
      },
      transactions: { status: () => play(looks, 'lookup') },
    },
  };
}

/** A queue that only remembers: tests run the steps themselves. */
export function idleQueue() {
  const jobs: { lane: Lane; id: string; delayMs: number }[] = [];
  const queue: OrderQueue = {
    sweepInterval: 60_000,
    send: async (lane, id, { delayMs = 0 } = {}) => void jobs.push({ lane, id, delayMs }),
    work: async () => {},
    stop: async () => {},
  };
  return { queue, jobs };
}

/** Orders in memory under a clock that the test moves, with every hook recorded. */
export function openShop(options: Partial<OrdersOptions<unknown>> = {}) {
  let at = Date.UTC(2026, 0, 31, 12);
  const store = memoryOrderStore({ now: () => at });
  const script = scriptedClient();
  const { queue, jobs } = idleQueue();
  const hooks: { name: string; order: Order; context: HookContext<unknown> }[] = [];
  const errors: unknown[] = [];
  const record = (name: string) => (order: Order, context: HookContext<unknown>) =>
    void hooks.push({ name, order, context });
  const unmatched: unknown[] = [];
  const open = (more: Partial<OrdersOptions<unknown>> = {}) =>
    createOrders<unknown>({
      billpay: script.client,
      store,
      queue,
      on: {
        delivered: record('delivered'),
        failed: record('failed'),
        refused: record('refused'),
        unmatched: (event) => void unmatched.push(event),
      },
      onError: (error) => void errors.push(error),
      ...options,
      ...more,
    });
  const orders = open();
  return {
    ...script,
    orders,
    store,
    jobs,
    hooks,
    errors,
    unmatched,
    /** Another process on the same store. */
    open,
    pass: (ms: number) => {
      at += ms;
    },
    place: (id = 'order-7', amount = 500) => orders.place(airtimeOrder(id, amount)),
    hooked: () => hooks.map(({ name, order }) => `${name} ${order.id}`),
  };
}
