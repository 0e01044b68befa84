import { expect, it, vi } from 'vitest';
import { RateLimitError } from '../../src/index.js';
import { createOrders, inProcessQueue, type OrderQueue, sqliteOrderStore } from '../../src/orders/index.js';
import { useFakeClock } from '../support/clock.js';
import { purchaseOf, transactionOf } from './support/shop.js';
import { openSqlite } from './support/sqlite.js';
import { airtimeOrder } from './support/store-contract.js';

useFakeClock();

const minute = 60_000;

/** A service that takes 20 purchases and 60 requests a minute, settles after hours and sends no webhook. */
function slowService(settleAfter: number) {
  const boughtAt = new Map<string, number>();
  const requests: number[] = [];
  const purchases: number[] = [];
  const count = (times: number[], most: number) => {
    const now = Date.now();
    while (times.length > 0 && Number(times[0]) <= now - minute) times.shift();
    if (times.length >= most)
      throw new RateLimitError('429', {
        status: 429,
        code: 'RATE_LIMITED',
        retryAfterSeconds: 5,
        attempts: 1,
      });
    times.push(now);
  };
  return {
    boughtAt,
    client: {
      purchase: async ({ idempotency_key: id }: { idempotency_key: string }) => {
        count(requests, 60);
        count(purchases, 20);
        await new Promise((resolve) => setTimeout(resolve, 800));
        boughtAt.set(id, Date.now());
        return purchaseOf(`TXN-${id}`);
      },
      transactions: {
        status: async (reference: string) => {
          count(requests, 60);
          await new Promise((resolve) => setTimeout(resolve, 300));
          const isSettled = Date.now() - Number(boughtAt.get(reference.slice(4))) > settleAfter;
          return transactionOf(reference, isSettled ? { transaction_status: 'success' } : {});
        },
      },
    },
  };
}

/** An engine as pg-boss and BullMQ are: first in, first out, a queue for each lane, delays, and a sweep. Jobs are kept in memory. */
function engine(): OrderQueue {
  const jobs = { purchase: [] as string[], check: [] as string[] };
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const busy = { purchase: 0, check: 0 };
  let serve = (_: 'purchase' | 'check') => {};
  return {
    sweepInterval: minute,
    async send(lane, id, { delayMs = 0 } = {}) {
      const add = () => {
        if (!jobs[lane].includes(id)) jobs[lane].push(id);
        serve(lane);
      };
      if (delayMs === 0) add();
      else timers.add(setTimeout(add, delayMs));
    },
    async work({ concurrency, sweepInterval, run, sweep }) {
      serve = (lane) => {
        while (busy[lane] < concurrency[lane] && jobs[lane].length > 0) {
          busy[lane]++;
          void run(lane, jobs[lane].shift() ?? '').finally(() => {
            busy[lane]--;
            serve(lane);
          });
        }
      };
      timers.add(setInterval(() => void sweep(), sweepInterval));
      await sweep();
    },
    async stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

// A day by `HOURS=24`: it takes minutes.
const hours = Number(process.env['HOURS'] ?? 0.5);

it.each([
  ['in process', inProcessQueue],
  ['on an engine', engine],
])(
  'at 19 orders a minute and slow settlement, each order is bought within two minutes: %s',
  async (_, makeQueue) => {
    const { client, boughtAt } = slowService(90 * minute);
    const errors: unknown[] = [];
    const store = sqliteOrderStore(openSqlite(':memory:'));
    const orders = createOrders({
      billpay: client,
      store,
      queue: makeQueue(),
      sweepInterval: minute,
      onError: (error) => void errors.push(error),
    });
    const worker = orders.start();
    let slowest = 0;
    const placedAt = new Map<string, number>();
    for (let n = 0; n < 19 * 60 * hours; n++) {
      const id = `order-${n}`;
      await orders.place(airtimeOrder(id, 100 + n));
      placedAt.set(id, Date.now());
      await vi.advanceTimersByTimeAsync(minute / 19);
      for (const [waiting, at] of placedAt) {
        slowest = Math.max(slowest, (boughtAt.get(waiting) ?? Date.now()) - at);
        if (boughtAt.has(waiting)) placedAt.delete(waiting);
      }
    }
    expect(slowest).toBeLessThan(2 * minute);
    expect((await orders.stats()).count.review).toBe(0);
    const stopping = worker.stop();
    await vi.advanceTimersByTimeAsync(minute);
    await stopping;
  },
  600_000,
);
