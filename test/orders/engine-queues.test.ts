import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  bullmqQueue,
  createOrders,
  memoryOrderStore,
  type OrderJob,
  type Orders,
  type OrdersOptions,
  type PgBossLike,
  pgBossQueue,
} from '../../src/orders/index.js';
import { scriptedClient } from './support/shop.js';
import { airtimeOrder } from './support/store-contract.js';

/** The class of workers, where none is started. */
class Worker {
  on() {}
  async close() {}
  async disconnect() {}
}

type Handler = Parameters<PgBossLike['work']>[2];

/** What is used of pg-boss, remembering its calls. `failures` are thrown by the first calls of `createQueue`. */
function fakeBoss(failures: unknown[] = []) {
  const created: string[] = [];
  const sent: { queue: string; options: Parameters<PgBossLike['send']>[2] }[] = [];
  const handlers = new Map<string, Handler[]>();
  const schedules: [string, string][] = [];
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
    async schedule(name, cron) {
      schedules.push([name, cron]);
    },
    async offWork(name) {
      handlers.delete(name);
    },
  };
  return { boss, created, sent, handlers, schedules, notified };
}

const deadlock = () => Object.assign(new Error('deadlock detected'), { code: '40P01' });

describe('the queue on pg-boss', () => {
  it('takes orders in doubt before new ones, and those before lookups', async () => {
    const { boss, sent } = fakeBoss();
    const queue = pgBossQueue(boss);
    await queue.enqueue({ type: 'order', id: 'a', placed: true });
    await queue.enqueue({ type: 'order', id: 'b' });
    await queue.enqueue({ type: 'order', id: 'c', rank: 'lookUp' });
    expect(sent.map(({ options }) => options.priority)).toEqual([1, 2, 0]);
  });

  it('runs nothing that was fetched while it stopped', async () => {
    const { boss, handlers } = fakeBoss();
    const queue = pgBossQueue(boss);
    const ran: OrderJob[] = [];
    await queue.work(async (job) => void ran.push(job), { concurrency: 1, sweepAfter: 60_000 });
    const [handler] = handlers.get('billpay-orders') ?? [];
    await queue.stop();
    await handler?.([{ data: { type: 'order', id: 'a' } }]);
    expect(ran).toEqual([]);
  });

  it('keeps one waiting job of an order for now, and one for later', async () => {
    const { boss, sent } = fakeBoss();
    const queue = pgBossQueue(boss);
    await queue.enqueue({ type: 'order', id: 'a' });
    await queue.enqueue({ type: 'order', id: 'a' }, { delayMs: 1200 });
    await queue.enqueue({ type: 'sweep' });
    await queue.enqueue({ type: 'sweep', resume: true });
    expect(sent).toEqual([
      { queue: 'billpay-orders', options: { singletonKey: 'a', priority: 2 } },
      { queue: 'billpay-orders', options: { singletonKey: 'a later', priority: 2, startAfter: 2 } },
      { queue: 'billpay-orders-sweep', options: { singletonKey: 'sweep' } },
      // Taken for a sweep that waits already, it would be lost.
      { queue: 'billpay-orders-sweep', options: { singletonKey: 'resume' } },
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
    await pgBossQueue(boss).enqueue({ type: 'order', id: 'a' }, { client });
    await sent[0]?.options.db?.executeSql('INSERT', [1]);
    expect(queries).toEqual([['INSERT', [1]]]);
  });

  it('creates its queues once, again after a deadlock, and again when that failed', async () => {
    const { boss, created } = fakeBoss([deadlock(), deadlock(), new Error('the database is gone')]);
    const queue = pgBossQueue(boss, { name: 'shop' });
    await expect(queue.enqueue({ type: 'sweep' })).rejects.toThrow('the database is gone');
    await queue.enqueue({ type: 'sweep' });
    await queue.enqueue({ type: 'sweep' });
    expect(created).toEqual(['shop', 'shop-sweep']);
  });

  it('gives up after ten deadlocks', async () => {
    const { boss } = fakeBoss(Array.from({ length: 10 }, deadlock));
    await expect(pgBossQueue(boss).enqueue({ type: 'sweep' })).rejects.toThrow('deadlock detected');
  });

  it.each([
    [60_000, '* * * * *'],
    [1000, '* * * * *'],
    [300_000, '*/5 * * * *'],
    [86_400_000, '*/59 * * * *'],
  ])('works with one poller a lane, and sweeps every %d ms as %s', async (sweepAfter, cron) => {
    const { boss, handlers, schedules, notified } = fakeBoss();
    const queue = pgBossQueue(boss, { pollingInterval: 1 });
    const ran: OrderJob[] = [];
    await queue.work(async (job) => void ran.push(job), { concurrency: 3, sweepAfter });
    expect(handlers.get('billpay-orders')).toHaveLength(3);
    expect(schedules).toEqual([['billpay-orders-sweep', cron]]);
    await handlers.get('billpay-orders')?.[1]?.([{ data: { type: 'order', id: 'a' } }]);
    expect(ran).toEqual([{ type: 'order', id: 'a' }]);
    // A poller that had a job asks for the next one at once.
    expect(notified).toEqual(['billpay-orders 2']);
    await queue.stop();
    expect(handlers.size).toBe(0);
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
    ['sweepAfter', { sweepAfter: 0 }],
    ['lookUpAfter', { lookUpAfter: 1.5 }],
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
    const queue = { name: 'q', add: async () => {} };
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

it('the queue on BullMQ has one job of an order for now, and one for each later time', async () => {
  vi.useFakeTimers({ now: 1000 });
  onTestFinished(() => void vi.useRealTimers());
  const added: unknown[] = [];
  const queue = {
    name: 'q',
    add: async (name: string, _: object, { jobId, delay }: { jobId: string; delay: number }) =>
      void added.push([name, jobId, delay]),
  };
  const orders = bullmqQueue({ queue, Worker, connection: {} });
  await orders.enqueue({ type: 'order', id: 'a:1' });
  await orders.enqueue({ type: 'order', id: 'a:1' }, { delayMs: 1.5 });
  await orders.enqueue({ type: 'order', id: 'a:1' }, { delayMs: 500 });
  await orders.enqueue({ type: 'sweep' });
  await orders.enqueue({ type: 'sweep', resume: true });
  await orders.stop();
  expect(added).toEqual([
    ['order', 'a%3A1-now', 0],
    ['order', 'a%3A1-1002', 2],
    ['order', 'a%3A1-1500', 500],
    ['sweep', 'sweep-now', 0],
    ['sweep', 'resume-now', 0],
  ]);
});

describe('with a Redis that does not respond', () => {
  const silent = { name: 'q', add: () => new Promise<never>(() => {}) };

  it('the queue on BullMQ rejects a job after 2 s', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const queued = bullmqQueue({ queue: silent, Worker, connection: {} }).enqueue({ type: 'order', id: 'a' });
    const ended = expect(queued).rejects.toThrow('Redis did not take a job within 2 s');
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
    expect(errors).toHaveLength(2);
  });
});
