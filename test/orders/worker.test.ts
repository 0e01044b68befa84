import { describe, expect, it, vi } from 'vitest';
import { inProcessQueue, type Lane, type OrderQueue, type QueueWork } from '../../src/orders/index.js';
import { useFakeClock } from '../support/clock.js';
import { idleQueue, openShop, purchaseOf, transactionOf } from './support/shop.js';
import { airtimeOrder } from './support/store-contract.js';

useFakeClock();

describe('the queue in this process', () => {
  /** What the loops are given, on orders that are due at a time: `due` is in ms of the faked clock. */
  function loops(options: Partial<QueueWork> = {}) {
    const due = new Map<string, number>();
    const ran: string[] = [];
    let asked = 0;
    const next = () => [...due].toSorted(([, a], [, b]) => a - b);
    const work: QueueWork = {
      concurrency: { purchase: 2, check: 1 },
      sweepInterval: 60_000,
      run: async (_, id) => {
        due.delete(id);
        ran.push(id);
      },
      sweep: async () => {},
      idle: async () => {},
      due: async (lane, limit) => {
        asked++;
        const ids = next()
          .filter(([, at]) => at <= Date.now())
          .map(([id]) => id);
        return lane === 'purchase' ? ids.slice(0, limit) : [];
      },
      nextDue: async (lane) => {
        const at = next()[0]?.[1];
        return lane === 'check' || at === undefined ? undefined : at - Date.now();
      },
      ...options,
    };
    return { queue: inProcessQueue(), due, ran, work, asked: () => asked };
  }

  it('asks the store again after each interval, and no more when it has stopped', async () => {
    const { queue, work, asked } = loops();
    await queue.work(work);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked()).toBe(6);
    await queue.stop();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked()).toBe(6);
  });

  it('runs no more steps of a lane at a time than it may, and each order once', async () => {
    const running = new Set<string>();
    let most = 0;
    const { queue, due, ran, work } = loops({
      run: async (_, id) => {
        running.add(id);
        most = Math.max(most, running.size);
        await new Promise((resolve) => setTimeout(resolve, 10));
        running.delete(id);
        due.delete(id);
        ran.push(id);
      },
    });
    for (const id of ['a', 'b', 'c', 'd', 'e']) due.set(id, Date.now());
    await queue.work(work);
    await vi.advanceTimersByTimeAsync(1000);
    expect(most).toBe(2);
    expect(ran).toEqual(['a', 'b', 'c', 'd', 'e']);
    await queue.stop();
  });

  it('runs what is due when its time has come, and is woken for what is due sooner', async () => {
    const { queue, due, ran, work } = loops();
    due.set('later', Date.now() + 9000);
    await queue.work(work);
    await vi.advanceTimersByTimeAsync(1000);
    due.set('sooner', Date.now() + 3000);
    await queue.send('purchase', 'sooner');
    await vi.advanceTimersByTimeAsync(2900);
    expect(ran).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(ran).toEqual(['sooner']);
    await vi.advanceTimersByTimeAsync(4900);
    expect(ran).toEqual(['sooner', 'later']);
    await queue.stop();
  });

  it('hears what is sent while it asks the store', async () => {
    let release = () => {};
    const { queue, due, ran, work } = loops();
    const { due: ask } = work;
    let isSlow = true;
    const slow = async (lane: Lane, limit: number) => {
      const ids = await ask(lane, limit);
      if (isSlow && lane === 'purchase') await new Promise<void>((resolve) => (release = resolve));
      isSlow = false;
      return ids;
    };
    await queue.work({ ...work, due: slow });
    await vi.advanceTimersByTimeAsync(0);
    due.set('a', Date.now());
    await queue.send('purchase', 'a');
    release();
    await vi.advanceTimersByTimeAsync(10);
    expect(ran).toEqual(['a']);
    await queue.stop();
  });

  it('stops when the steps under way have ended', async () => {
    let ended = false;
    const { queue, due, work } = loops({
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 500));
        ended = true;
      },
    });
    due.set('a', Date.now());
    await queue.work(work);
    await vi.advanceTimersByTimeAsync(0);
    const stopped = queue.stop();
    await vi.advanceTimersByTimeAsync(500);
    await stopped;
    expect(ended).toBe(true);
  });
});

describe('a worker', () => {
  it('buys what was placed, resumes it, and looks up what stayed silent', async () => {
    const shop = openShop({ queue: inProcessQueue(), checkAfter: 10_000, sweepInterval: 1000 });
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

  it('buys an order that was never tried without reading it first', async () => {
    const { orders, store, place, purchases } = openShop({ queue: inProcessQueue(), sweepInterval: 1000 });
    await place();
    purchases.push(purchaseOf('TXN-1'));
    const find = vi.spyOn(store, 'find');
    const worker = orders.start();
    await vi.advanceTimersByTimeAsync(1000);
    expect(find).not.toHaveBeenCalled();
    expect(await orders.find('order-7')).toMatchObject({ state: 'accepted', attempt: 1 });
    await worker.stop();
  });

  it('leaves an order alone for a while whose step threw before it could store when it is due next', async () => {
    const refused = vi.fn(() => {
      throw new Error('the carts are locked');
    });
    const shop = openShop({
      queue: inProcessQueue(),
      sweepInterval: 1000,
      expireAfter: 5000,
      on: { refused },
    });
    const { orders, place, pass, errors } = shop;
    await place();
    pass(5001);
    const worker = orders.start();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(refused).toHaveBeenCalledTimes(1);
    expect(errors).toMatchObject([{ message: 'the carts are locked' }]);
    refused.mockImplementation(() => undefined as never);
    pass(30_000);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await orders.find('order-7')).toMatchObject({ state: 'refused' });
    await worker.stop();
  });

  it('waits a while where the store cannot be reached', async () => {
    const { orders, store, place, errors } = openShop({ queue: inProcessQueue(), sweepInterval: 1000 });
    await place();
    for (const method of ['find', 'update'] as const)
      vi.spyOn(store, method).mockRejectedValue(new Error('the database is gone'));
    const worker = orders.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(errors.length).toBeGreaterThan(5);
    expect(errors.length).toBeLessThan(15);
    const stopped = worker.stop();
    await vi.advanceTimersByTimeAsync(1000);
    await stopped;
  });

  it('tells errors, and continues with the next order', async () => {
    const shop = openShop({ queue: inProcessQueue(), sweepInterval: 1000 });
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
    sweepInterval: 60_000,
    send: async () => {
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
    expect(errors).toHaveLength(3);
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
      sweepInterval: 60_000,
      send: async () => {},
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
    sweepInterval: 60_000,
    send: async () => {},
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

it('a worker that stops runs no job that was fetched meanwhile, and waits for those under way', async () => {
  let work: QueueWork | undefined;
  const queue: OrderQueue = {
    ...idleQueue().queue,
    work: async (given) => {
      work = given;
    },
  };
  const { orders, place, purchases, asked } = openShop({ queue });
  await place('order-1');
  await place('order-2');
  purchases.push(() => new Promise((resolve) => setTimeout(() => resolve(purchaseOf('TXN-1')), 500)));
  const worker = orders.start();
  await vi.advanceTimersByTimeAsync(0);
  void work?.run('purchase', 'order-1');
  await vi.advanceTimersByTimeAsync(100);
  let hasStopped = false;
  const stopped = worker.stop().then(() => (hasStopped = true));
  await work?.run('purchase', 'order-2');
  await work?.sweep();
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(300);
  expect(hasStopped).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  await stopped;
  expect(await orders.find('order-1')).toMatchObject({ state: 'accepted' });
  expect(await orders.find('order-2')).toMatchObject({ state: 'placed' });
});

describe('two workers of one createOrders', () => {
  it.each(['first', 'second'])('do not depend on each other: the %s one stops', async (stopped) => {
    const { orders, place, purchases, pass } = openShop({ queue: inProcessQueue(), sweepInterval: 1000 });
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
    const shop = openShop({ queue: inProcessQueue(), sweepInterval: 1000 });
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

describe('status checks', () => {
  it('of one order are one in a process: who asks for it meanwhile waits for its result', async () => {
    const shop = openShop({ queue: inProcessQueue(), sweepInterval: 1000, checkAfter: 1000 });
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
    const asking = orders.run('order-7').then(() => orders.find('order-7'));
    await vi.advanceTimersByTimeAsync(600);
    expect(await asking).toMatchObject({ state: 'delivered' });
    expect(looked).toBe(1);
    await worker.stop();
  });

  it('take no lane from purchases, and come after them', async () => {
    const shop = openShop({
      queue: inProcessQueue(),
      sweepInterval: 1000,
      concurrency: 2,
      checkAfter: 1000,
    });
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
      sweepInterval: 60_000,
      send: async () => {},
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
