import { assertOption, refuseUnknownOptions, wholeNumber } from '../validation/options.js';
import type { OrderJob, OrderQueue } from './queue.js';

/** What is used of a BullMQ `Queue`. */
export interface BullmqQueueLike {
  /** Its name: workers take it over. */
  readonly name: string;
  /** Adds a job. */
  add(
    name: string,
    data: object,
    options: { jobId: string; delay: number; removeOnComplete: true; removeOnFail: true },
  ): Promise<unknown>;
  /** Schedules the sweep. */
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
    options: { connection: object; concurrency: number; lockDuration: number; stalledInterval: number },
  ) => BullmqWorker;
}

/** Options for `bullmqQueue`. */
export interface BullmqQueueOptions {
  /** A `Queue` of BullMQ; you close it yourself. */
  readonly queue: BullmqQueueLike;
  /** The connection for workers, as BullMQ takes it: with `maxRetriesPerRequest: null`. */
  readonly connection: object;
  /**
   * ms after which the job of a process that was killed, or that is too busy to renew its lock, is given to another process. A step that
   * thereby runs twice changes nothing the second time. Default 10,000.
   */
  readonly lockDuration?: number | undefined;
}

const removeWhenEnded = { removeOnComplete: true, removeOnFail: true } as const;

/**
 * Runs jobs on BullMQ, with orders in PostgreSQL. Redis cannot take part in the transaction that stores an order: an order whose job was
 * not written, because the process ended between the two, is found by the next sweep.
 *
 * @example
 * ```ts
 * import { Queue } from 'bullmq';
 *
 * const connection = { url: String(process.env.REDIS_URL), maxRetriesPerRequest: null };
 * const queue = new Queue('orders', { connection });
 * const orders = createOrders({ billpay, store: postgresOrderStore(pool), queue: bullmqQueue({ queue, connection }) });
 * ```
 */
export function bullmqQueue(options: BullmqQueueOptions): OrderQueue {
  refuseUnknownOptions(options, ['queue', 'connection', 'lockDuration'], 'bullmqQueue');
  const { queue, connection } = options;
  const lockDuration = wholeNumber('lockDuration', options.lockDuration ?? 10_000, 100);
  assertOption(typeof queue?.add === 'function', 'queue', 'must be a Queue of bullmq');
  assertOption(
    typeof connection === 'object' && connection !== null,
    'connection',
    "must be a connection of bullmq's, such as { host, port, maxRetriesPerRequest: null }",
  );
  let worker: BullmqWorker | undefined;
  return {
    async enqueue(job, { delayMs = 0 } = {}) {
      await queue.add(job.type, job, {
        jobId: jobIdOf(job, delayMs),
        delay: Math.ceil(delayMs),
        ...removeWhenEnded,
      });
    },
    async work(run, { concurrency, sweepAfter }) {
      const sweep: OrderJob = { type: 'sweep' };
      const { Worker } = (await import('bullmq')) as unknown as Bullmq;
      worker = new Worker(queue.name, ({ data }) => run(data), {
        connection,
        concurrency,
        lockDuration,
        // While the job of a killed process is locked, no job of the same id can be added: so look for such jobs often.
        stalledInterval: Math.ceil(lockDuration / 2),
      });
      // Connection errors: BullMQ reconnects by itself, and without a listener they would end the process.
      worker.on('error', () => {});
      await queue.upsertJobScheduler(
        'billpay-orders-sweep',
        { every: sweepAfter },
        {
          name: 'sweep',
          data: sweep,
          opts: removeWhenEnded,
        },
      );
      await queue.add('sweep', sweep, { jobId: 'sweep-at-start', delay: 0, ...removeWhenEnded });
    },
    async stop() {
      await worker?.close();
      worker = undefined;
    },
  };
}

/**
 * One job of an order for now. A job for later is named after its time: under one name it could not be added by the very job that came
 * due, because BullMQ keeps the name until that has ended. BullMQ allows no colons in the id of a job.
 */
function jobIdOf(job: OrderJob, delayMs: number): string {
  if (job.type === 'sweep') return 'sweep-now';
  return `${encodeURIComponent(job.id)}-${delayMs > 0 ? Date.now() + Math.ceil(delayMs) : 'now'}`;
}
