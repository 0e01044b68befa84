import * as z from 'zod/mini';
import { atMost } from '../../utils/at-most.js';
import { instance, wholeNumber, withMethods } from '../../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import { type OrderJob, type OrderQueue, turnOf } from './queue.js';

/** What is used of a BullMQ `Queue`. */
export interface BullmqQueueLike {
  /** Its name: workers take it over. */
  readonly name: string;
  /** Its options: workers take over the prefix of its keys. */
  readonly opts?: { readonly prefix?: string };
  /** Adds a job. */
  add(name: string, data: object, options: BullmqJobOptions): Promise<unknown>;
}

/** Options of `add` that are used. */
export interface BullmqJobOptions {
  /** Jobs of one id are one job while it waits or runs. */
  readonly jobId: string;
  /** ms until the job may be taken. */
  readonly delay: number;
  /** Jobs with a priority are taken after those without one. */
  readonly priority?: number;
  /** Of jobs at one time, only the first is added. */
  readonly deduplication?: { readonly id: string; readonly ttl: number };
  /** Jobs that have ended are removed. */
  readonly removeOnComplete: true;
  /** Jobs that have failed are removed. */
  readonly removeOnFail: true;
}

/** What is used of a BullMQ `Worker`. */
export interface BullmqWorkerLike {
  /** Listens to errors of the connection. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Takes no more jobs, and resolves when those under way have ended. */
  close(): Promise<void>;
  /** Ends the connection, and what waits for it. */
  disconnect(): Promise<void>;
}

/** Options of a BullMQ `Worker` that are used. */
export interface BullmqWorkerOptions<Connection> {
  readonly connection: Connection;
  readonly prefix?: string;
  readonly concurrency: number;
  readonly lockDuration: number;
  readonly stalledInterval: number;
}

/** The class `Worker` of BullMQ. */
export type BullmqWorkerClass<Connection> = new (
  name: string,
  process: (job: { readonly data: unknown }) => Promise<void>,
  options: BullmqWorkerOptions<Connection>,
) => BullmqWorkerLike;

/** Options for `bullmqQueue`. */
export interface BullmqQueueOptions<Connection> {
  /** A `Queue` of BullMQ; you close it yourself. */
  readonly queue: BullmqQueueLike;
  /** The class `Worker` of the same BullMQ. */
  readonly Worker: BullmqWorkerClass<Connection>;
  /** The connection for workers, as BullMQ takes it: with `maxRetriesPerRequest: null`. */
  readonly connection: Connection;
  /**
   * ms after which the job of a process that was killed, or that is too busy to renew its lock, is given to another process. Running
   * a step twice is harmless. Default 10,000.
   */
  readonly lockDuration?: number | undefined;
}

/** How long Redis may take for a job, in ms. A connection that retries without end would otherwise block every caller. */
const patienceMs = 2000;

const removeWhenEnded = { removeOnComplete: true, removeOnFail: true } as const;

const schemaOf = <Connection>() =>
  optionsOf({
    queue: withMethods<BullmqQueueLike>(['add'], 'must be a Queue of bullmq'),
    Worker: instance<BullmqWorkerClass<Connection>>(
      (value) => typeof value === 'function',
      "must be the class Worker of bullmq: import { Queue, Worker } from 'bullmq'",
    ),
    connection: instance<Connection>(
      (value) => typeof value === 'object' && value !== null,
      "must be a connection of bullmq's, such as { host, port, maxRetriesPerRequest: null }",
    ),
    lockDuration: z._default(wholeNumber(100), 10_000),
  } satisfies OptionShape<BullmqQueueOptions<Connection>>);

/**
 * Runs jobs on BullMQ 5 or 6, with orders in PostgreSQL or MySQL. Redis cannot take part in the transaction that stores an order: an order whose job was
 * not written, because the process ended between the two, is found by the next sweep.
 *
 * @example
 * ```ts
 * import { Queue, Worker } from 'bullmq';
 *
 * const connection = { url: String(process.env.REDIS_URL), maxRetriesPerRequest: null };
 * const queue = new Queue('orders', { connection });
 * const orders = createOrders({ billpay, store: postgresOrderStore(pool), queue: bullmqQueue({ queue, Worker, connection }) });
 * ```
 */
export function bullmqQueue<Connection>(options: BullmqQueueOptions<Connection>): OrderQueue {
  const { queue, Worker, connection, lockDuration } = parseOptions(schemaOf<Connection>(), options, {
    owner: 'bullmqQueue',
  });
  let worker: { close(): Promise<void> } | undefined;
  let sweeping: ReturnType<typeof setInterval> | undefined;
  const running = new Set<Promise<void>>();

  const add = async (job: OrderJob, options: Omit<BullmqJobOptions, keyof typeof removeWhenEnded>) => {
    const adding = queue.add(job.type, job, { ...options, ...removeWhenEnded });
    await atMost(patienceMs, adding, 'Redis did not take a job within 2 s; the sweep finds what is due');
  };
  const sweepNow = { jobId: 'sweep-now', delay: 0 };
  /** Asked for by every worker and added once: a schedule that lay in Redis would be lost together with its data. */
  const requestSweep = (sweepAfter: number) =>
    add({ type: 'sweep' }, { ...sweepNow, deduplication: { id: 'sweep', ttl: Math.ceil(sweepAfter * 0.9) } });

  return {
    outsideTransactions: true,
    async enqueue(job, { delayMs = 0 } = {}) {
      await add(job, {
        jobId: jobIdOf(job, delayMs),
        delay: Math.ceil(delayMs),
        // Jobs without a priority are taken first, then those of the lowest number.
        ...(turnOf(job) > 0 && { priority: turnOf(job) }),
      });
    },
    async work(run, { concurrency, sweepAfter }) {
      let isStopping = false;
      const process = async ({ data }: { readonly data: unknown }) => {
        // Fetched while the worker was stopping: the order stays due, and the sweep of another process finds it.
        if (isStopping) return;
        // Only this queue adds jobs to it.
        const step = run(data as OrderJob);
        running.add(step);
        await step.finally(() => running.delete(step));
      };
      const { prefix } = queue.opts ?? {};
      const opened = new Worker(queue.name, process, {
        connection,
        ...(prefix !== undefined && { prefix }),
        concurrency,
        lockDuration,
        // While the job of a killed process is locked, no job of the same id can be added: so look for such jobs often.
        stalledInterval: Math.ceil(lockDuration / 2),
      });
      // Connection errors: BullMQ reconnects by itself, and without a listener they would end the process.
      opened.on('error', () => {});
      worker = {
        async close() {
          isStopping = true;
          const closing = opened.close();
          while (running.size > 0) await Promise.all(running);
          // Without Redis a worker waits for it, and so does its process. A second `close` would only wait with the first one.
          await atMost(patienceMs, closing, '').catch(() =>
            atMost(patienceMs, Promise.all([opened.disconnect(), closing]), '').catch(() => {}),
          );
        },
      };
      // While Redis is away no sweep is added, and none could run.
      sweeping = setInterval(() => requestSweep(sweepAfter).catch(() => {}), sweepAfter);
      await add({ type: 'sweep' }, sweepNow);
    },
    async stop() {
      clearInterval(sweeping);
      const stopping = worker;
      worker = undefined;
      await stopping?.close();
    },
  };
}

/**
 * One job of an order for now. A job for later is named after its time: under one name it could not be added by the very job that came
 * due, because BullMQ keeps the name until that has ended. BullMQ allows no colons in the id of a job.
 */
function jobIdOf(job: OrderJob, delayMs: number): string {
  if (job.type === 'sweep') return job.resume ? 'resume-now' : 'sweep-now';
  return `${encodeURIComponent(job.id)}-${delayMs > 0 ? Date.now() + Math.ceil(delayMs) : 'now'}`;
}
