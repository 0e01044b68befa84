// Buys what stands in the queue. Run as many as you like, on as many machines: they share one rate limit.
import type { BillPay, SharedPacing } from 'billpay';
import { DelayedError, Worker, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { attempt } from '../order.js';
import { type OrderData, type Orders, queueName } from './orders.js';

/** Limiters that live in Redis, for `new BillPay({ pacing })`: points in so many seconds. */
export function sharedPacing(
  storeClient: Redis,
  purchases = { points: 20, duration: 60 },
  requests = { points: 60, duration: 60 },
): SharedPacing {
  return {
    purchases: new RateLimiterRedis({ storeClient, keyPrefix: 'limit:purchases', ...purchases }),
    requests: new RateLimiterRedis({ storeClient, keyPrefix: 'limit:requests', ...requests }),
  };
}

export function work(
  redis: Redis,
  orders: Orders,
  billpay: BillPay,
  options?: Partial<WorkerOptions>,
): Worker {
  return new Worker<OrderData>(
    queueName,
    async (job, token) => {
      const { id } = job;
      if (!id || (await orders.stateOf(id)) !== 'placed') return;
      const { doubt = false, ...order } = job.data;
      await job.updateData({ ...order, doubt: true });
      const attempted = await attempt(billpay, { id, ...order }, doubt);
      if (attempted.end !== 'later') {
        await orders.decide(id, attempted.end, attempted);
        return;
      }
      if (attempted.alarm) console.error(`nothing can be sold: ${attempted.alarm}`);
      await job.updateData({ ...order, doubt: attempted.doubt });
      await job.moveToDelayed(Date.now() + attempted.afterMs, token);
      throw new DelayedError();
    },
    {
      connection: redis,
      prefix: orders.queue.opts.prefix ?? 'bull',
      concurrency: 8,
      // A job whose worker died stalls, and is given to another one, however often that happens.
      maxStalledCount: 1_000_000,
      ...options,
    },
  );
}
