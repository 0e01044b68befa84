import { atMost } from '../../utils/wait.js';
import {
  instance,
  type OptionShape,
  optionsOf,
  parseOptions,
  wholeNumber,
  withDefault,
  withMethods,
} from '../../validation/options.js';
import { type Lane, laneNames } from '../states.js';
import type { OrderQueue } from './queue.js';

/** What is used of a BullMQ `Queue`. */
export interface BullmqQueueLike {
  readonly name: string;
  readonly opts?: object;
  add(name: string, data: object, options: object): Promise<unknown>;
  getJobScheduler(id: string): Promise<unknown>;
  upsertJobScheduler(id: string, repeat: { every: number }, job: { opts: object }): Promise<unknown>;
}

/** The class `Worker` of BullMQ: what is used of it. */
export type BullmqWorkerClass<Connection> = new (
  name: string,
  process: (job: { readonly name: string; readonly data: unknown }) => Promise<void>,
  options: { readonly connection: Connection; readonly concurrency: number; readonly lockDuration: number },
) => {
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
  disconnect(): Promise<void>;
};

/** Options for `bullmqQueue`. */
export interface BullmqQueueOptions<Connection> {
  /** A `Queue` of BullMQ; you close it yourself. That of the status checks is named after it. */
  readonly queue: BullmqQueueLike;
  /** The class `Worker` of the same BullMQ. */
  readonly Worker: BullmqWorkerClass<Connection>;
  /** The connection for workers, as BullMQ takes it: with `maxRetriesPerRequest: null`. */
  readonly connection: Connection;
  /** ms after which the job of a process that was killed, or is too busy to renew its lock, is given to another one. Default 10,000. */
  readonly lockDuration?: number | undefined;
}

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
    lockDuration: withDefault(wholeNumber(100), 10_000),
  } satisfies OptionShape<BullmqQueueOptions<Connection>>);

/** How long Redis may take, in ms. A connection that retries without end would otherwise block every caller. */
const patienceMs = 2000;
/** How long the transaction that stores an order may take before its job runs, in ms: Redis takes no part in it. */
const commitMs = 1000;
const removed = { removeOnComplete: true, removeOnFail: true };

/**
 * Runs the jobs on BullMQ 5 or 6, with orders in PostgreSQL or MySQL: a queue for each lane. An order whose job was not written, because the
 * process ended between the two, is found by the next sweep.
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
  const given = parseOptions(schemaOf<Connection>(), options, { owner: 'bullmqQueue' });
  const { queue, Worker, connection, lockDuration } = given;
  const names = { purchase: queue.name, check: `${queue.name}-check` };
  /** The queue of the status checks, where a worker runs. Elsewhere their jobs go to the other one, whose worker sends them on. */
  let checks: BullmqQueueLike | undefined;
  let stop = async (): Promise<void> => {};

  return {
    sweepInterval: 60_000,
    async send(lane, id, { delayMs = 0, client } = {}) {
      const target = lane === 'check' ? (checks ?? queue) : queue;
      // A job for later has no id of its own: under one it could not be added by the very job that came due. No colons are allowed there.
      const jobId = delayMs > 0 ? {} : { jobId: `${encodeURIComponent(id)}-now` };
      const job = { ...removed, ...jobId, delay: Math.ceil(client ? commitMs : delayMs) };
      const adding = withPatience(target.add('order', { id }, job));
      if (client) void adding.catch(() => {});
      else await adding;
    },
    async work({ concurrency, sweepInterval, run, sweep }) {
      let isStopping = false;
      const running = new Set<Promise<void>>();
      const open = (lane: Lane) => {
        const process = async ({ name, data }: { readonly name: string; readonly data: unknown }) => {
          // Fetched while the worker was stopping: the order stays due, and the sweep of another process finds it.
          if (isStopping) return;
          const step = name === 'sweep' ? sweep() : run(lane, String(Reflect.get(Object(data), 'id')));
          running.add(step);
          await step.finally(() => running.delete(step));
        };
        // While the job of a killed process is locked, no job of the same id can be added: so such jobs are looked for often.
        const locks = { lockDuration, stalledInterval: Math.ceil(lockDuration / 2) };
        const shared = { ...queue.opts, connection, concurrency: concurrency[lane], ...locks };
        return withoutEnd(new Worker(names[lane], process, shared));
      };
      const Queue = queue.constructor;
      const opened = withoutEnd(Reflect.construct(Queue, [names.check, { ...queue.opts, connection }]));
      checks = opened;
      const workers = laneNames.map(open);
      const schedule = () => queue.upsertJobScheduler('sweep', { every: sweepInterval }, { opts: removed });
      // A Redis that lost its data has lost the schedule too.
      const scheduling = setInterval(async () => {
        const found = await queue.getJobScheduler('sweep').catch(() => true);
        if (!found) await schedule().catch(() => {});
      }, sweepInterval);
      stop = async () => {
        isStopping = true;
        clearInterval(scheduling);
        const closing = workers.map((worker) => worker.close());
        while (running.size > 0) await Promise.all(running);
        checks = undefined;
        // Without Redis a worker waits for it, and so does its process. A second `close` would only wait with the first one.
        const all = [...workers, opened];
        await withPatience(Promise.all([...closing, opened.close()])).catch(() =>
          withPatience(Promise.all(all.map((one) => one.disconnect()))).catch(() => {}),
        );
      };
      await withPatience(schedule());
      await withPatience(queue.add('sweep', {}, { ...removed, jobId: 'sweep-now' }));
    },
    async stop() {
      const stopping = stop;
      stop = async () => {};
      await stopping();
    },
  };
}

const withPatience = <T>(work: PromiseLike<T>): Promise<T> =>
  atMost(patienceMs, work, 'Redis did not take a job within 2 s; the sweep finds what is due');

/** BullMQ reconnects by itself, and without a listener errors of the connection would end the process. */
function withoutEnd<T extends { on(event: 'error', listener: (error: Error) => void): unknown }>(one: T): T {
  one.on('error', () => {});
  return one;
}
