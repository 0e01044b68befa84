import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished, vi } from 'vitest';
import { bullmqQueue, type OrderJob } from '../../../src/orders/index.js';

const redisUrl = process.env['BILLPAY_TEST_REDIS_URL'];

/** A queue on a database of its own, which can be emptied. */
function openQueue(db: number, options: { prefix?: string } = {}) {
  const connection = { url: `${redisUrl}/${db}`, maxRetriesPerRequest: null };
  const queue = new Queue(`orders-${randomUUID()}`, { connection, ...options });
  const engine = bullmqQueue({ queue, Worker, connection });
  const ran: OrderJob[] = [];
  onTestFinished(async () => {
    await engine.stop();
    await queue.close();
  });
  return {
    engine,
    ran,
    work: () => engine.work(async (job) => void ran.push(job), { concurrency: 2, sweepAfter: 300 }),
  };
}

it.skipIf(!redisUrl)('sweeps go on after Redis has lost all of its data', async () => {
  const { ran, work } = openQueue(5);
  await work();
  await vi.waitFor(() => expect(ran.length).toBeGreaterThan(1), 10_000);
  const redis = new Redis(`${redisUrl}/5`);
  await redis.flushdb();
  await redis.quit();
  const before = ran.length;
  await vi.waitFor(() => expect(ran.length).toBeGreaterThan(before + 2), 10_000);
});

it.skipIf(!redisUrl)('a worker that was stopped can be started again', async () => {
  const { engine, ran, work } = openQueue(6);
  await work();
  await engine.stop();
  const before = ran.length;
  await work();
  await vi.waitFor(() => expect(ran.length).toBeGreaterThan(before), 10_000);
});

it.skipIf(!redisUrl)('jobs of a queue with a prefix reach its workers', async () => {
  const { engine, ran, work } = openQueue(7, { prefix: 'shop-live' });
  await work();
  await engine.enqueue({ type: 'order', id: 'order-7', placed: true });
  await vi.waitFor(() => expect(ran).toContainEqual({ type: 'order', id: 'order-7', placed: true }), 10_000);
});
