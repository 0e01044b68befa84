// Orders in Redis. An order is its job: one write stores both. What becomes of it stands beside it.
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Order, Settlement } from '../order.js';

export const queueName = 'purchases';

/** Moves an order from placed on, once. Redis runs a script as one transaction. */
const decideScript = `
  if redis.call('HEXISTS', KEYS[1], 'state') == 1 then return 0 end
  redis.call('HSET', KEYS[1], 'state', ARGV[2], 'reference', ARGV[3], 'problem', ARGV[4])
  if ARGV[2] == 'accepted' then
    redis.call('HSET', KEYS[2], ARGV[3], ARGV[1])
    redis.call('ZADD', KEYS[3], ARGV[5], ARGV[3])
  end
  return 1`;

/** Moves an accepted order to its end, once, and off the list of open ones. */
const settleScript = `
  if redis.call('HGET', KEYS[1], 'state') ~= 'accepted' then return 0 end
  redis.call('HSET', KEYS[1], 'state', ARGV[2], 'token', ARGV[3])
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 1`;

/** An order as its job holds it. `doubt` is stored before each attempt, because the worker may be killed during it. */
export type OrderData = Omit<Order, 'id'> & { readonly doubt?: boolean };

export function createOrders(redis: Redis, prefix = 'orders') {
  const keyOf = (id: string) => `${prefix}:${id}`;
  const byReference = `${prefix}-by-reference`;
  const open = `${prefix}-open`;
  const queue = new Queue<OrderData>(queueName, {
    connection: redis,
    prefix: `${prefix}-queue`,
    defaultJobOptions: {
      // It is tried until it has an end: giving up would lose sight of money.
      attempts: 1_000_000,
      backoff: { type: 'fixed', delay: 1000 },
      removeOnComplete: { age: 7 * 86_400 },
    },
  });

  return {
    queue,

    /** Placing the same order twice is placing it once: its id is the job's. */
    async place({ id, ...order }: Order): Promise<void> {
      await queue.add('airtime', order, { jobId: id });
    },

    /** `placed`, `accepted`, `refused`, `delivered` or `failed`. */
    async stateOf(id: string): Promise<string> {
      return (await redis.hget(keyOf(id), 'state')) ?? 'placed';
    },

    /** True for the one worker that moves the order on. */
    async decide(
      id: string,
      state: 'accepted' | 'refused',
      { reference = '', problem = '' },
    ): Promise<boolean> {
      const keys = [keyOf(id), byReference, open];
      return (await redis.eval(decideScript, 3, ...keys, id, state, reference, problem, Date.now())) === 1;
    },

    /** True where this call settled the order, false where it was settled before; undefined for an unknown reference. */
    async settle({ reference, state, token }: Settlement): Promise<boolean | undefined> {
      const id = await redis.hget(byReference, reference);
      if (id === null) return undefined;
      return (await redis.eval(settleScript, 2, keyOf(id), open, reference, state, token ?? '')) === 1;
    },

    /** References of accepted orders that nothing has been heard of since then, oldest first. */
    openSince: (time: number): Promise<string[]> => redis.zrangebyscore(open, '-inf', time, 'LIMIT', 0, 100),

    /** Puts an open order at the end of that list. */
    async looked(reference: string): Promise<void> {
      await redis.zadd(open, 'XX', Date.now(), reference);
    },
  };
}

export type Orders = ReturnType<typeof createOrders>;
