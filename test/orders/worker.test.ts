import { describe, expect, it, vi } from 'vitest';
import { inProcessQueue, type OrderJob } from '../../src/orders/index.js';
import { useFakeClock } from '../support/clock.js';
import { openShop, purchaseOf, transactionOf } from './support/shop.js';
import { airtimeOrder } from './support/store-contract.js';

useFakeClock();

describe('the queue in this process', () => {
  it('sweeps at start and again after each interval', async () => {
    const queue = inProcessQueue();
    const jobs: string[] = [];
    const run = async (job: OrderJob) => void jobs.push(job.type);
    await queue.work(run, { concurrency: 2, sweepAfter: 60_000 });
    await vi.advanceTimersByTimeAsync(120_000);
    expect(jobs).toEqual(['sweep', 'sweep', 'sweep']);
    await queue.stop();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(jobs).toHaveLength(3);
  });

  it('runs no more jobs at a time than it may, and each waiting job once', async () => {
    const queue = inProcessQueue();
    const running = new Set<string>();
    let most = 0;
    const done: string[] = [];
    const run = async (job: OrderJob) => {
      const name = job.type === 'order' ? job.id : job.type;
      running.add(name);
      most = Math.max(most, running.size);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running.delete(name);
      done.push(name);
    };
    await queue.work(run, { concurrency: 2, sweepAfter: 60_000 });
    for (const id of ['a', 'b', 'c', 'c', 'a']) await queue.enqueue({ type: 'order', id });
    await vi.advanceTimersByTimeAsync(1000);
    expect(most).toBe(2);
    expect(done.filter((name) => name === 'c')).toHaveLength(1);
    await queue.stop();
  });

  it('runs a delayed job when its time has come, and the last delay counts', async () => {
    const queue = inProcessQueue();
    const ran: string[] = [];
    const run = async (job: OrderJob) => void (job.type === 'order' && ran.push(job.id));
    await queue.work(run, { concurrency: 1, sweepAfter: 3_600_000 });
    await queue.enqueue({ type: 'order', id: 'a' }, { delayMs: 5000 });
    await queue.enqueue({ type: 'order', id: 'a' }, { delayMs: 9000 });
    await vi.advanceTimersByTimeAsync(8000);
    expect(ran).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ran).toEqual(['a']);
    await queue.stop();
  });

  it('runs steps of orders that were begun before those of new ones', async () => {
    const queue = inProcessQueue();
    const ran: string[] = [];
    const run = async (job: OrderJob) => void (job.type === 'order' && ran.push(job.id));
    await queue.work(run, { concurrency: 1, sweepAfter: 3_600_000 });
    for (const id of ['new-1', 'new-2']) await queue.enqueue({ type: 'order', id, placed: true });
    await queue.enqueue({ type: 'order', id: 'in doubt' });
    await vi.advanceTimersByTimeAsync(0);
    // The first one was taken before there was another.
    expect(ran).toEqual(['new-1', 'in doubt', 'new-2']);
    await queue.stop();
  });

  it('stops when the steps under way have ended', async () => {
    const queue = inProcessQueue();
    let ended = false;
    const run = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      ended = true;
    };
    await queue.work(run, { concurrency: 1, sweepAfter: 60_000 });
    const stopped = queue.stop();
    await vi.advanceTimersByTimeAsync(500);
    await stopped;
    expect(ended).toBe(true);
  });
});

describe('a worker', () => {
  it('buys what was placed, resumes it, and looks up what stayed silent', async () => {
    const shop = openShop({ queue: inProcessQueue(), lookUpAfter: 10_000, sweepAfter: 1000 });
    const { orders, place, purchases, looks, hooked, pass } = shop;
    await place();
    const { ServerError } = await import('../../src/index.js');
    purchases.push(new ServerError('500', { mayHaveCharged: true }), purchaseOf('TXN-1'));
    looks.push(transactionOf('TXN-1'), transactionOf('TXN-1', { transaction_status: 'success' }));
    const worker = orders.start();
    for (let n = 0; n < 300 && hooked().length === 0; n++) {
      pass(1000);
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(hooked()).toEqual(['delivered order-7']);
    await worker.stop();
  });

  it('finds an order whose transaction commits after its job was queued', async () => {
    const { orders, store, purchases, jobs } = openShop();
    await orders.run({ type: 'order', id: 'order-9' });
    expect(jobs).toEqual([{ job: { type: 'order', id: 'order-9', missed: 1 }, delayMs: 50 }]);
    await orders.run({ type: 'order', id: 'order-9', missed: 5 });
    expect(jobs).toHaveLength(1);
    purchases.push(purchaseOf('TXN-1'));
    await store.insert({
      id: 'order-9',
      product: 'airtime',
      params: { biller: 'MTN', recipient: '0803', amount: 5 },
    });
    await orders.run({ type: 'order', id: 'order-9', missed: 1 });
    expect(await orders.find('order-9')).toMatchObject({ state: 'accepted' });
  });

  it('tells errors, and continues with the next order', async () => {
    const shop = openShop({ queue: inProcessQueue(), sweepAfter: 1000 });
    const { orders, store, place, errors, purchases, pass } = shop;
    await place();
    purchases.push(purchaseOf('TXN-1'));
    vi.spyOn(store, 'due').mockRejectedValueOnce(new Error('the database restarts'));
    const worker = orders.start();
    for (let n = 0; n < 5; n++) {
      pass(1000);
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(errors).toMatchObject([{ message: 'the database restarts' }]);
    expect(await orders.find('order-7')).toMatchObject({ state: 'accepted' });
    await worker.stop();
  });
});

describe('a queue that fails', () => {
  const broken = () => ({
    enqueue: async () => {
      throw new Error('Redis is gone');
    },
    work: async () => {},
    stop: async () => {},
  });

  it('costs no order and no purchase: the sweep finds what it could not take', async () => {
    const { orders, place, purchases, errors } = openShop({ queue: broken() });
    expect(await place()).toMatchObject({ state: 'placed' });
    const { ServerError } = await import('../../src/index.js');
    purchases.push(new ServerError('500', { mayHaveCharged: true }), purchaseOf('TXN-1'));
    expect(await orders.buy('order-7')).toMatchObject({ state: 'unknown' });
    expect(await orders.retry('order-7')).toMatchObject({ state: 'unknown' });
    expect(await orders.buy('order-7')).toMatchObject({ state: 'accepted', reference: 'TXN-1' });
    await orders.run({ type: 'order', id: 'order-9' });
    expect(errors).toHaveLength(4);
    expect(errors[0]).toMatchObject({ message: 'Redis is gone' });
  });

  it('is reported to a caller whose transaction it may have ended', async () => {
    const { orders, store } = openShop({ queue: broken() });
    await expect(
      store.transaction((client) => orders.place(airtimeOrder('order-7'), { client })),
    ).rejects.toThrow('Redis is gone');
    expect(await orders.find('order-7')).toBeUndefined();
  });

  it('is reported when a worker starts on it, which can be stopped all the same', async () => {
    const work = async () => {
      throw new Error('Redis is gone');
    };
    const { orders, errors } = openShop({ queue: { ...broken(), work } });
    const worker = orders.start();
    await vi.advanceTimersByTimeAsync(0);
    await worker.stop();
    expect(errors).toMatchObject([{ message: 'Redis is gone' }]);
  });

  it('is started again until it works, and what had begun to work ends before that', async () => {
    const calls: string[] = [];
    const queue = {
      enqueue: async () => {},
      work: async () => {
        calls.push('work');
        if (calls.length < 4) throw new Error('connect ECONNREFUSED');
      },
      stop: async () => void calls.push('stop'),
    };
    const { orders, errors } = openShop({ queue });
    const worker = orders.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls).toEqual(['work', 'stop', 'work', 'stop', 'work']);
    expect(errors).toHaveLength(2);
    await worker.stop();
    expect(calls.at(-1)).toBe('stop');
  });
});

it('a worker that is started while another one stops begins when that has stopped', async () => {
  const calls: string[] = [];
  const queue = {
    enqueue: async () => {},
    work: async () => void calls.push('work'),
    stop: async () => {
      calls.push('stopping');
      await new Promise((resolve) => setTimeout(resolve, 1000));
      calls.push('stopped');
    },
  };
  const { orders } = openShop({ queue });
  const controller = new AbortController();
  orders.start({ signal: controller.signal });
  await vi.advanceTimersByTimeAsync(0);
  controller.abort();
  const second = orders.start();
  await vi.advanceTimersByTimeAsync(2000);
  expect(calls).toEqual(['work', 'stopping', 'stopped', 'work']);
  const stopped = second.stop();
  await vi.advanceTimersByTimeAsync(2000);
  await stopped;
});

describe('two workers of one createOrders', () => {
  it.each(['first', 'second'])('do not depend on each other: the %s one stops', async (stopped) => {
    const { orders, place, purchases, pass } = openShop({ queue: inProcessQueue(), sweepAfter: 1000 });
    purchases.push(purchaseOf('TXN-1'), purchaseOf('TXN-2'));
    const workers = [orders.start(), orders.start()];
    if (stopped === 'second') workers.reverse();
    await vi.advanceTimersByTimeAsync(10);
    await workers[0]?.stop();
    await place('order-1');
    pass(1);
    await vi.advanceTimersByTimeAsync(1100);
    expect(await orders.find('order-1')).toMatchObject({ state: 'accepted' });
    await Promise.all(workers.map((worker) => worker.stop()));
    await place('order-2');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await orders.find('order-2')).toMatchObject({ state: 'placed' });
  });
});

describe('what a worker is buying', () => {
  it('is waited for by buy, which resolves to its result', async () => {
    const shop = openShop({ queue: inProcessQueue(), sweepAfter: 1000 });
    const { orders, place, purchases, asked } = shop;
    await place();
    purchases.push(() => new Promise((resolve) => setTimeout(() => resolve(purchaseOf('TXN-1')), 500)));
    const worker = orders.start();
    await vi.advanceTimersByTimeAsync(100);
    expect(asked).toHaveLength(1);
    const all = Promise.all(Array.from({ length: 20 }, () => orders.buy('order-7')));
    await vi.advanceTimersByTimeAsync(500);
    expect((await all).map(({ state }) => state)).toEqual(Array(20).fill('accepted'));
    expect(asked).toHaveLength(1);
    await worker.stop();
  });
});

describe('webhooks that came before their reference was stored', () => {
  const early = (reference: string) => ({
    reference,
    event: JSON.stringify({ event: 'transaction.completed', data: { reference, status: 'success' } }),
  });

  async function boughtWithEarlyWebhooks() {
    const shop = openShop({ queue: inProcessQueue() });
    const worker = shop.orders.start();
    await vi.advanceTimersByTimeAsync(0);
    const asked = vi.spyOn(shop.store, 'settleableEvents');
    for (const reference of ['TXN-1', 'TXN-2', 'TXN-3']) {
      shop.purchases.push(async () => {
        await shop.store.keepEvent(early(reference));
        return purchaseOf(reference);
      });
      await shop.place(`order of ${reference}`);
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(shop.hooked()).toEqual([]);
    return { ...shop, worker, asked };
  }
  const all = ['delivered order of TXN-1', 'delivered order of TXN-2', 'delivered order of TXN-3'];

  it('are found at once for all orders that a worker has bought meanwhile, long before the next sweep', async () => {
    const { hooked, asked, worker } = await boughtWithEarlyWebhooks();
    await vi.advanceTimersByTimeAsync(100);
    expect(hooked()).toEqual(all);
    expect(asked).toHaveBeenCalledTimes(1);
    await worker.stop();
  });

  it('are applied by a worker that stops before it has looked', async () => {
    const { hooked, worker } = await boughtWithEarlyWebhooks();
    await worker.stop();
    expect(hooked()).toEqual(all);
  });
});

describe('lookups', () => {
  it('of one order are one in a process: who asks for it meanwhile waits for its result', async () => {
    const shop = openShop({ queue: inProcessQueue(), sweepAfter: 1000, lookUpAfter: 1000 });
    const { orders, place, purchases, looks, pass } = shop;
    await place();
    purchases.push(purchaseOf('TXN-1'));
    let looked = 0;
    looks.push(async () => {
      looked++;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return transactionOf('TXN-1', { transaction_status: 'success' });
    });
    const worker = orders.start();
    await vi.advanceTimersByTimeAsync(100);
    pass(1000);
    await vi.advanceTimersByTimeAsync(1000);
    expect(looked).toBe(1);
    const asking = orders.run({ type: 'order', id: 'order-7' }).then(() => orders.find('order-7'));
    await vi.advanceTimersByTimeAsync(600);
    expect(await asking).toMatchObject({ state: 'delivered' });
    expect(looked).toBe(1);
    await worker.stop();
  });

  it('take no lane from purchases, and come after them', async () => {
    const shop = openShop({ queue: inProcessQueue(), sweepAfter: 1000, concurrency: 2, lookUpAfter: 1000 });
    const { orders, place, purchases, looks, asked, pass } = shop;
    for (let n = 0; n < 40; n++) {
      await place(`old-${n}`);
      purchases.push(purchaseOf(`TXN-${n}`));
      await orders.buy(`old-${n}`);
      // A service that does not respond.
      looks.push(() => new Promise(() => {}));
    }
    pass(60_000);
    asked.length = 0;
    const worker = orders.start();
    await vi.advanceTimersByTimeAsync(100);
    expect(looks).toHaveLength(39);
    purchases.push(purchaseOf('TXN-new-1'), purchaseOf('TXN-new-2'));
    await place('new-1');
    await place('new-2');
    await vi.advanceTimersByTimeAsync(100);
    expect(asked.map(({ item }) => item.idempotency_key)).toEqual(['new-1', 'new-2']);
    void worker.stop();
  });
});

describe('stopping', () => {
  const counted = () => {
    let stops = 0;
    const queue = {
      enqueue: async () => {},
      work: async () => {},
      stop: async () => {
        stops++;
      },
    };
    return { queue, stops: () => stops };
  };

  it('happens once, by the call and by the signal', async () => {
    const { queue, stops } = counted();
    const controller = new AbortController();
    const worker = openShop({ queue }).orders.start({ signal: controller.signal });
    controller.abort();
    await Promise.all([worker.stop(), worker.stop()]);
    expect(stops()).toBe(1);
  });

  it('happens at once where the signal is aborted already', async () => {
    const { queue, stops } = counted();
    openShop({ queue }).orders.start({ signal: AbortSignal.abort() });
    await vi.advanceTimersByTimeAsync(0);
    expect(stops()).toBe(1);
  });
});
