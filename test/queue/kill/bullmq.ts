/** A worker or the receiver of the BullMQ example, meant to be killed. What it settles is also noted, for the test to count. */
import { createServer } from 'node:http';
import { BillPay } from 'billpay';
import { toNodeHandler } from 'billpay/webhooks';
import { Redis } from 'ioredis';
import { createOrders } from '../../../examples/queue/bullmq/orders.js';
import { receiver, sweep } from '../../../examples/queue/bullmq/settle.js';
import { sharedPacing, work } from '../../../examples/queue/bullmq/worker.js';
import { limits, sweepAfterMs, sweepEveryMs, times } from './settings.js';

const redis = new Redis(String(process.env['ENGINE_URL']), { maxRetriesPerRequest: null });
const orders = createOrders(redis);
const billpay = new BillPay({
  pacing: sharedPacing(redis, limits.purchases, limits.requests),
  logLevel: 'off',
  ...times,
});

const counting: typeof orders = {
  ...orders,
  async settle(settlement) {
    const moved = await orders.settle(settlement);
    if (moved) await redis.rpush('settled', settlement.reference);
    return moved;
  },
};

if (process.env['ROLE'] === 'receiver') {
  const handler = receiver(redis, counting, String(process.env['BILLPAY_WEBHOOK_SECRET']));
  createServer(toNodeHandler(handler)).listen(Number(process.env['PORT']), '127.0.0.1', () =>
    process.send?.('ready'),
  );
  setInterval(() => sweep(counting, billpay, sweepAfterMs).catch(() => undefined), sweepEveryMs);
} else {
  const worker = work(redis, orders, billpay, { lockDuration: 2000, stalledInterval: 1000 });
  worker.on('error', (error) => console.error(error));
  await worker.waitUntilReady();
  process.send?.('ready');
}
process.on('disconnect', () => process.exit());
