import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  bullmqQueue,
  createOrders,
  memoryOrderStore,
  type Orders,
  type OrdersOptions,
  type PgBossLike,
  pgBossQueue,
  type QueueWork,
} from '../../src/orders/index.js';
import { scriptedClient } from './support/shop.js';
import { airtimeOrder } from './support/store-contract.js';

/** The class of workers, where none is started. */
class Worker {
  on() {}
  async pause() {}
  async close() {}
}

type Handler = Parameters<PgBossLike['work']>[2];

/** What is used of pg-boss, remembering its calls. `failures` are thrown by the first calls of `createQueue`. */
function fakeBoss(failures: unknown[] = []) {
  const created: string[] = [];
  const sent: { queue: string; options: Parameters<PgBossLike['send']>[2] }[] = [];
  const handlers = new Map<string, Handler[]>();
  const notified: string[] = [];
  const boss: PgBossLike = {
    async createQueue(name) {
      const failure = failures.shift();
      if (failure) throw failure;
      created.push(name);
    },
    async send(queue, _, options) {
      sent.push({ queue, options });
      return 'id';
    },
    async work(name, _, handler) {
      const others = handlers.get(name) ?? [];
      handlers.set(name, [...others, handler]);
      return `${name} ${others.length + 1}`;
    },
    notifyWorker: (id) => void notified.push(id),
    async offWork(name) {
      handlers.delete(name);
    },
  };
  return { boss, created, sent, handlers, notified };
}

const deadlock = () => Object.assign(new Error('deadlock detected'), { code: '40P01' });

/** What a worker is given, remembering what it ran. */
function fakeWork() {
  const ran: string[] = [];
  const work: QueueWork = {
    concurrency: { purchase: 3, check: 2 },
    sweepInterval: 60_000,
    run: async (lane, id) => void ran.push(`${lane} ${id}`),
    sweep: async () => void ran.push('sweep'),
    idle: async () => {},
    due: async () => [],
    nextDue: async () => undefined,
  };
  return { work, ran };
}

describe('the queue on pg-boss', () => {
  it('has a queue for each lane, and keeps one waiting job of an order for now, and one for later', async () => {
    const { boss, sent } = fakeBoss();
    const queue = pgBossQueue(boss);
    await queue.send('purchase', 'a');
    await queue.send('purchase', 'a', { delayMs: 1200 });
    await queue.send('check', 'a');
    expect(sent).toEqual([
      { queue: 'billpay-orders-purchase', options: { singletonKey: 'a' } },
      { queue: 'billpay-orders-purchase', options: { singletonKey: 'a later', startAfter: 2 } },
      { queue: 'billpay-orders-check', options: { singletonKey: 'a' } },
    ]);
  });

  it("stores a job in the caller's transaction", async () => {
    const { boss, sent } = fakeBoss();
    const queries: unknown[] = [];
    const client = {
      query: async (text: string, values?: unknown[]) => {
        queries.push([text, values]);
        return { rows: [] };
      },
    };
    await pgBossQueue(boss).send('purchase', 'a', { client });
    await sent[0]?.options.db?.executeSql('INSERT', [1]);
    expect(queries).toEqual([['INSERT', [1]]]);
  });

  it('creates its queues once, again after a deadlock, and again when that failed', async () => {
    const { boss, created } = fakeBoss([deadlock(), deadlock(), new Error('the database is gone')]);
    const queue = pgBossQueue(boss, { name: 'shop' });
    await expect(queue.send('purchase', 'a')).rejects.toThrow('the database is gone');
    await queue.send('purchase', 'a');
    await queue.send('purchase', 'a');
    expect(created).toEqual(['shop-purchase', 'shop-check']);
  });

  it('gives up after ten deadlocks', async () => {
    const { boss } = fakeBoss(Array.from({ length: 10 }, deadlock));
    await expect(pgBossQueue(boss).send('purchase', 'a')).rejects.toThrow('deadlock detected');
  });

  it('works on each lane by its own concurrency, and sweeps at the start and after each interval', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { boss, handlers, notified } = fakeBoss();
    const queue = pgBossQueue(boss);
    const { work, ran } = fakeWork();
    await queue.work(work);
    expect([...handlers].map(([name, { length }]) => [name, length])).toEqual([
      ['billpay-orders-purchase', 3],
      ['billpay-orders-check', 2],
    ]);
    await handlers.get('billpay-orders-purchase')?.[1]?.([{ data: { id: 'a' } }]);
    await handlers.get('billpay-orders-check')?.[0]?.([{ data: { id: 'b' } }]);
    expect(ran).toEqual(['sweep', 'purchase a', 'check b']);
    // A poller that had a job asks for the next one at once.
    expect(notified[0]).toBe('billpay-orders-purchase 2');
    await vi.advanceTimersByTimeAsync(120_000);
    expect(ran.slice(3)).toEqual(['sweep', 'sweep']);
    await queue.stop();
    expect(handlers.size).toBe(0);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(ran).toHaveLength(5);
  });
});

describe('options that are wrong', () => {
  const bad = (options: object) => () =>
    createOrders({
      billpay: scriptedClient().client,
      store: memoryOrderStore(),
      ...options,
    } as OrdersOptions<unknown>);

  it.each([
    ['billpay', { billpay: {} }],
    ['store', { store: {} }],
    ['queue', { queue: {} }],
    ['on.delivered', { on: { delivered: 'x' } }],
    ['on.delivred', { on: { delivred: () => {} } }],
    ['storeTokens', { storeTokens: true, encryptToken: (token: string) => token }],
    ['encryptToken', { encryptToken: 'x' }],
    ['sweepInterval', { sweepInterval: 0 }],
    ['checkAfter', { checkAfter: 1.5 }],
    ['reviewAfter', { reviewAfter: 3e9 }],
    ['maxAttempts', { maxAttempts: 0 }],
    ['concurrency', { concurrency: 'x' }],
    ['lease', { buyTimeout: 1000, lease: 999 }],
    ['retryDelay', { retryDelay: 5 }],
    ['onTransition', { onTransition: 5 }],
    ['tokens', { tokens: true }],
  ])('%s', (option, options) => {
    expect(bad(options)).toThrow(expect.objectContaining({ name: 'ConfigurationError', option }));
  });

  it.each<[string, (orders: Orders<unknown>) => unknown]>([
    ['clinet', (orders) => orders.place(airtimeOrder('a'), Object({ clinet: {} }))],
    ['client', (orders) => orders.place(airtimeOrder('a'), { client: 'x' })],
    ['duplicateWithin', (orders) => orders.place(airtimeOrder('a'), { duplicateWithin: 0 })],
    ['customer', (orders) => orders.place(airtimeOrder('a'), { customer: '' })],
    ['state', (orders) => orders.list(Object({ state: 'lost' }))],
    ['limit', (orders) => orders.list({ limit: 0 })],
    ['settled.since', (orders) => orders.list(Object({ settled: { since: 'today' } }))],
    ['timezone', (orders) => orders.stats(Object({ timezone: 'UTC' }))],
    ['timeZone', (orders) => orders.stats({ timeZone: 'Lagos' })],
    ['reason', (orders) => orders.cancel('a', Object({ reason: 'x' }))],
    ['as', (orders) => orders.resolve('a', Object({ as: 'done', note: '' }))],
    ['signl', async (orders) => orders.start(Object({ signl: undefined }))],
  ])('of a call: %s', async (option, call) => {
    const orders = createOrders<unknown>({ billpay: scriptedClient().client, store: memoryOrderStore() });
    await expect(call(orders)).rejects.toMatchObject({ name: 'ConfigurationError', option });
    expect(await orders.list()).toEqual([]);
  });

  it('of the engines', () => {
    expect(() => pgBossQueue({} as PgBossLike)).toThrow('must be a started PgBoss');
    expect(() => bullmqQueue({ queue: {}, Worker, connection: {} } as never)).toThrow(
      'must be a Queue of bullmq',
    );
    const queue = fakeQueue(async () => {});
    expect(() => bullmqQueue({ queue, connection: {} } as never)).toThrow(
      'must be the class Worker of bullmq',
    );
    expect(() => bullmqQueue({ queue, Worker, connection: undefined } as never)).toThrow(
      'must be a connection',
    );
    expect(() => bullmqQueue({ queue, Worker, connection: {}, lockDuration: 5 })).toThrow(
      'lockDuration: must be',
    );
  });
});

/** A BullMQ queue whose `add` does as given. */
const fakeQueue = (add: (name: string, data: object, options: object) => Promise<void>) => ({
  name: 'q',
  add,
});

it('the queue on BullMQ has one job of an order for now, and leaves time for the transaction of an order', async () => {
  const added: unknown[] = [];
  const queue = fakeQueue(async (name, data, options) => void added.push([name, data, options]));
  const orders = bullmqQueue({ queue, Worker, connection: {} });
  const ended = { removeOnComplete: true, removeOnFail: true };
  await orders.send('purchase', 'a:1');
  await orders.send('purchase', 'a:1', { delayMs: 1.5 });
  await orders.send('purchase', 'a:1', { client: {} });
  // Without a worker here, the one of the other queue sends it on.
  await orders.send('check', 'a:1');
  await orders.stop();
  expect(added).toEqual([
    ['order', { id: 'a:1' }, { ...ended, jobId: 'a%3A1-now', delay: 0 }],
    ['order', { id: 'a:1' }, { ...ended, delay: 2 }],
    ['order', { id: 'a:1' }, { ...ended, jobId: 'a%3A1-now', delay: 1000 }],
    ['order', { id: 'a:1' }, { ...ended, jobId: 'a%3A1-now', delay: 0 }],
  ]);
});

describe('with a Redis that does not respond', () => {
  const silent = fakeQueue(() => new Promise<never>(() => {}));

  it('the queue on BullMQ rejects a job after 2 s', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sent = bullmqQueue({ queue: silent, Worker, connection: {} }).send('purchase', 'a');
    const ended = expect(sent).rejects.toThrow('Redis did not take a job within 2 s');
    await vi.advanceTimersByTimeAsync(2000);
    await ended;
  });

  it('an order is placed all the same, and a transaction of the shop does not wait', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const errors: unknown[] = [];
    const store = memoryOrderStore();
    const orders = createOrders<unknown>({
      billpay: scriptedClient().client,
      store,
      queue: bullmqQueue({ queue: silent, Worker, connection: {} }),
      onError: (error) => void errors.push(error),
    });
    await store.transaction((client) => orders.place(airtimeOrder('order-7'), { client }));
    expect(await orders.find('order-7')).toMatchObject({ state: 'placed' });
    const placing = orders.place(airtimeOrder('order-8'));
    await vi.advanceTimersByTimeAsync(2000);
    expect(await placing).toMatchObject({ state: 'placed' });
    expect(errors).toHaveLength(1);
  });
});
