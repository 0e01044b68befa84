import { randomUUID } from 'node:crypto';
import { createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { Queue as Queue5, Worker as Worker5 } from 'bullmq5';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { bullmqQueue, type QueueWork } from '../../../src/orders/index.js';

const redisUrl = process.env['BILLPAY_TEST_REDIS_URL'];

/** What a worker is given, remembering what it ran. */
const workOf = (ran: string[], sweepInterval: number): QueueWork => ({
  concurrency: { purchase: 2, check: 1 },
  sweepInterval,
  run: async (lane, id) => void ran.push(`${lane} ${id}`),
  sweep: async () => void ran.push('sweep'),
  idle: async () => {},
  due: async () => [],
  nextDue: async () => undefined,
});

/** A queue on a database of its own, which can be emptied. */
function openQueue(db: number, options: { prefix?: string } = {}) {
  const connection = connectionTo(db);
  const queue = new Queue(`orders-${randomUUID()}`, { connection, ...options });
  const engine = bullmqQueue({ queue, Worker, connection });
  const ran: string[] = [];
  onTestFinished(async () => {
    await engine.stop();
    await queue.close();
  });
  return {
    engine,
    ran,
    work: () => engine.work(workOf(ran, 300)),
  };
}

it.skipIf(!redisUrl)('jobs run again after Redis has lost all of its data', async () => {
  const { engine, ran, work } = openQueue(5);
  await work();
  const redis = new Redis(`${redisUrl}/5`);
  await redis.flushdb();
  await redis.quit();
  await engine.send('purchase', 'order-7');
  await vi.waitFor(() => expect(ran).toContain('purchase order-7'), 10_000);
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
  await engine.send('purchase', 'order-7');
  await engine.send('check', 'order-8');
  await vi.waitFor(
    () => expect(ran).toEqual(expect.arrayContaining(['purchase order-7', 'check order-8'])),
    10_000,
  );
});

/** A way to Redis that can be cut, or can fall silent, and that knows who uses it. */
async function wayTo(redis: URL) {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    const far = createConnection(Number(redis.port), redis.hostname);
    const end = () => {
      sockets.delete(socket);
      far.destroy();
      socket.destroy();
    };
    for (const side of [socket, far]) side.on('error', end).on('close', end).on('end', end);
    socket.on('data', (data) => void (isSilent || far.write(data)));
    far.on('data', (data) => void (isSilent || socket.write(data)));
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const address = server.address();
  const port = typeof address === 'object' ? Number(address?.port) : 0;
  const cut = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    cut,
    mend: () => listen(port),
    fallSilent: async () => {
      isSilent = true;
    },
    users: () => sockets.size,
  };
}

const connectionTo = (db: number) => ({ url: `${redisUrl}/${db}`, maxRetriesPerRequest: null });
const versions = [
  ['6', (name: string, db: number) => new Queue(name, { connection: connectionTo(db) }), Worker],
  ['5', (name: string, db: number) => new Queue5(name, { connection: connectionTo(db) }), Worker5],
] as const;

describe.skipIf(!redisUrl).each(versions)(
  'a worker of BullMQ %s ends with stop',
  (_, openQueueOf, WorkerOf) => {
    async function work(more: Partial<QueueWork> = {}) {
      const way = await wayTo(new URL(String(redisUrl)));
      const db = 8;
      const queue = openQueueOf(`orders-${randomUUID()}`, db);
      const connection = { host: '127.0.0.1', port: way.port, db, maxRetriesPerRequest: null };
      const engine = bullmqQueue({ queue, Worker: WorkerOf, connection });
      onTestFinished(async () => {
        await way.cut();
        await queue.close();
      });
      const ran: string[] = [];
      await engine.work({ ...workOf(ran, 3_600_000), ...more });
      await vi.waitFor(() => expect(ran).toContain('sweep'), 10_000);
      const before = ran.length;
      return { way, engine, ran, before };
    }

    it('that Redis answers', async () => {
      const { way, engine } = await work();
      await vi.waitFor(() => expect(way.users()).toBeGreaterThan(0), 10_000);
      await engine.stop();
      await vi.waitFor(() => expect(way.users()).toBe(0), 10_000);
    });

    it('although Redis does not answer', async () => {
      const { way, engine } = await work();
      await way.fallSilent();
      await engine.stop();
      await vi.waitFor(() => expect(way.users()).toBe(0), 10_000);
    });

    it('although Redis falls silent while a job is under way', async () => {
      let finish = () => {};
      const step = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const run = vi.fn(() => step);
      const { way, engine } = await work({ run, idle: () => step });
      await engine.send('purchase', 'order-7');
      await vi.waitFor(() => expect(run).toHaveBeenCalled(), 10_000);
      await way.fallSilent();
      const stopped = engine.stop();
      finish();
      await stopped;
      await vi.waitFor(() => expect(way.users()).toBe(0), 10_000);
    });

    it('without Redis, and does not come back with it', async () => {
      const { way, engine, ran, before } = await work();
      await way.cut();
      // BullMQ has noticed it, and tries again once a second.
      await delay(1500);
      await engine.stop();
      await way.mend();
      await engine.send('purchase', 'order-7');
      await delay(2500);
      expect(way.users()).toBe(0);
      expect(ran).toHaveLength(before);
    });
  },
);
