import { assertOption, refuseUnknownOptions } from '../validation/options.js';
import type { OrderJob, OrderQueue } from './queue.js';

/** What is used of a BullMQ `Queue`. */
export interface BullmqQueueLike {
  /** Its name: workers take it over. */
  readonly name: string;
  add(
    name: string,
    data: object,
    options: { jobId: string; delay: number; removeOnComplete: true; removeOnFail: true },
  ): Promise<unknown>;
  upsertJobScheduler(
    id: string,
    repeat: { every: number },
    job: { name: string; data: object; opts: { removeOnComplete: true; removeOnFail: true } },
  ): Promise<unknown>;
}

/** What is used of a BullMQ `Worker`. */
interface BullmqWorker {
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** What is used of the package `bullmq`, which is loaded when a worker starts. */
interface Bullmq {
  readonly Worker: new (
    name: string,
    process: (job: { data: OrderJob }) => Promise<void>,
    options: { connection: object; concurrency: number },
  ) => BullmqWorker;
}

/** Options for `bullmqQueue`. */
export interface BullmqQueueOptions {
  /** A `Queue` of BullMQ; you close it yourself. */
  readonly queue: BullmqQueueLike;
  /** The connection for workers, as BullMQ takes it: with `maxRetriesPerRequest: null`. */
  readonly connection: object;
}

const gone = { removeOnComplete: true, removeOnFail: true } as const;

/**
 * Runs jobs on BullMQ, with orders in PostgreSQL. Redis cannot take part in the transaction that stores an order: an order whose job was
 * not written, because the process ended between the two, is found by the next sweep.
 *
 * @example
 * ```ts
 * const connection = { url: process.env.REDIS_URL, maxRetriesPerRequest: null };
 * const queue = new Queue('orders', { connection });
 * const orders = createOrders({ billpay, store: postgresOrderStore(pool), queue: bullmqQueue({ queue, connection }) });
 * ```
 */
export function bullmqQueue(options: BullmqQueueOptions): OrderQueue {
  refuseUnknownOptions(options, ['queue', 'connection'], 'bullmqQueue');
  const { queue, connection } = options;
  assertOption(typeof queue?.add === 'function', 'queue', 'must be a Queue of bullmq');
  assertOption(
    typeof connection === 'object' && connection !== null,
    'connection',
    "must be a connection of bullmq's, such as { host, port, maxRetriesPerRequest: null }",
  );
  let worker: BullmqWorker | undefined;
  return {
    async enqueue(job, { delayMs = 0 } = {}) {
      await queue.add(job.type, job, { jobId: jobIdOf(job, delayMs), delay: Math.ceil(delayMs), ...gone });
    },
    async work(run, { concurrency, sweepAfter }) {
      const sweep: OrderJob = { type: 'sweep' };
      const { Worker } = (await import('bullmq')) as unknown as Bullmq;
      worker = new Worker(queue.name, ({ data }) => run(data), { connection, concurrency });
      // Connection errors: BullMQ reconnects by itself, and without a listener they would end the process.
      worker.on('error', () => {});
      await queue.upsertJobScheduler(
        'billpay-orders-sweep',
        { every: sweepAfter },
        {
          name: 'sweep',
          data: sweep,
          opts: gone,
        },
      );
      await queue.add('sweep', sweep, { jobId: 'sweep-at-start', delay: 0, ...gone });
    },
    async stop() {
      await worker?.close();
      worker = undefined;
    },
  };
}

/** One waiting job of an order for now, and one for later. BullMQ allows no colons in the id of a job. */
function jobIdOf(job: OrderJob, delayMs: number): string {
  if (job.type === 'sweep') return 'sweep-now';
  return `${encodeURIComponent(job.id)}-${delayMs > 0 ? 'later' : 'now'}`;
}
