import { Redis } from 'ioredis';
import { describe, it } from 'vitest';
import { createOrders } from '../../examples/queue/bullmq/orders.js';
import { limitMs, runFleet, seed } from './fleet.js';

const server = process.env['BILLPAY_TEST_REDIS_URL'];
const title = server
  ? `the BullMQ example (BILLPAY_TEST_SEED=${seed} repeats it)`
  : 'the BullMQ example (skipped: BILLPAY_TEST_REDIS_URL is not set; eval "$(test/services/start.sh $$)" starts one)';

describe.skipIf(!server)(title, () => {
  it(
    'charges and settles each of 300 orders once, its processes killed 12 times',
    async () => {
      // A numbered database of its own: other tests use the first.
      const url = Object.assign(new URL(server!), { pathname: `/${1 + (process.pid % 15)}` }).href;
      const redis = new Redis(url, { maxRetriesPerRequest: null });
      await redis.flushdb();
      const orders = createOrders(redis);
      const placed: string[] = [];
      try {
        await runFleet({
          program: 'bullmq',
          url,
          async place(order) {
            if (!placed.includes(order.id)) placed.push(order.id);
            await orders.place(order);
          },
          async states() {
            const reading = redis.pipeline();
            for (const id of placed) reading.hmget(`orders:${id}`, 'state', 'reference');
            const rows = (await reading.exec()) ?? [];
            const entries = rows.map(([, fields], at) => {
              const [state, reference] = fields as [string | null, string | null];
              return [placed[at] ?? '', { state: state ?? 'placed', reference }] as const;
            });
            return new Map(entries);
          },
          endings: () => redis.lrange('settled', 0, -1),
        });
      } finally {
        await orders.queue.close();
        await redis.flushdb();
        redis.disconnect();
      }
    },
    limitMs,
  );
});
