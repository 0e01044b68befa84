/**
 * Orders sold through a queue in Redis, by any number of workers that share one rate limit:
 *
 *   npx billpay-sandbox --rate-limits --webhook-url http://127.0.0.1:3000/     # in a terminal; paste its .env block into the others
 *   npx tsx examples/queue/bullmq.ts receiver                                  # with BILLPAY_WEBHOOK_SECRET
 *   npx tsx examples/queue/bullmq.ts worker                                    # any number of them; kill them as you like
 *   npx tsx examples/queue/bullmq.ts order MTN 08031234567 500
 *
 * REDIS_URL says where Redis is. It holds your orders: let it persist them (appendonly yes) and throw none away (maxmemory-policy noeviction).
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { BillPay } from 'billpay';
import { toNodeHandler } from 'billpay/webhooks';
import { Redis } from 'ioredis';
import { createOrders } from './bullmq/orders.js';
import { receiver, sweep } from './bullmq/settle.js';
import { sharedPacing, work } from './bullmq/worker.js';

const [role = '', biller, recipient, amount] = process.argv.slice(2);
if (!['worker', 'receiver', 'order'].includes(role) || (role === 'order' && !amount)) {
  console.error('usage: bullmq.ts worker | receiver | order BILLER RECIPIENT AMOUNT');
  process.exit(2);
}

const { REDIS_URL = 'redis://127.0.0.1:6379', BILLPAY_WEBHOOK_SECRET: secret, PORT = '3000' } = process.env;
// A worker waits for Redis however long it is away, as BullMQ wants it.
const redis = new Redis(REDIS_URL, { maxRetriesPerRequest: null });
const orders = createOrders(redis);

if (role === 'order' && biller && recipient) {
  const id = randomUUID();
  await orders.place({ id, biller, recipient, amount: Number(amount) });
  console.log(`order ${id} is placed`);
  await orders.queue.close();
  redis.disconnect();
} else if (role === 'worker') {
  work(redis, orders, new BillPay({ pacing: sharedPacing(redis) })).on('error', console.error);
} else if (role === 'receiver') {
  createServer(toNodeHandler(receiver(redis, orders, secret))).listen(Number(PORT));
  const billpay = new BillPay({ pacing: sharedPacing(redis) });
  setInterval(() => sweep(orders, billpay).catch(console.error), 300_000);
}
