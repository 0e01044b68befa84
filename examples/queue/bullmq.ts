/**
 * Orders on PostgreSQL with BullMQ on Redis, for any number of machines that share one rate limit:
 *
 *   npx billpay sandbox --rate-limits --webhook-url http://127.0.0.1:3000/     # in a terminal; paste its .env block into the others
 *   npx tsx examples/queue/bullmq.ts receiver                                  # with BILLPAY_WEBHOOK_SECRET
 *   npx tsx examples/queue/bullmq.ts worker                                    # any number of them; kill them as you like
 *   npx tsx examples/queue/bullmq.ts order MTN 08031234567 500
 *
 * DATABASE_URL says where PostgreSQL is, REDIS_URL where Redis is. Redis may lose its jobs: the sweep finds every order again.
 */
import { BillPay } from 'billpay';
import { bullmqQueue, createOrders, postgresOrderStore } from 'billpay/orders';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { play } from './roles.js';

const { DATABASE_URL: connectionString = '', REDIS_URL = 'redis://127.0.0.1:6379' } = process.env;
const pool = new Pool({ connectionString });
// Workers wait for Redis however long it is away, as BullMQ wants it.
const connection = new Redis(REDIS_URL, { maxRetriesPerRequest: null });
const queue = new Queue('orders', { connection });
const store = postgresOrderStore(pool);
await store.createTables();

/** Points in a minute, counted in Redis for all machines together. */
const limiter = (keyPrefix: string, points: number) =>
  new RateLimiterRedis({ storeClient: connection, keyPrefix, points, duration: 60 });

const orders = createOrders({
  billpay: new BillPay({
    pacing: { purchases: limiter('purchases', 20), requests: limiter('requests', 60) },
  }),
  store,
  queue: bullmqQueue({ queue, Worker, connection }),
  on: {
    delivered: ({ id }) => console.log(`order ${id} is delivered`),
    failed: ({ id }) => console.log(`order ${id} failed and was refunded`),
    refused: ({ id, lastError }) => console.log(`order ${id} was refused: ${lastError?.message}`),
  },
});
await play(orders, async () => {
  await queue.close();
  connection.disconnect();
  await pool.end();
});
