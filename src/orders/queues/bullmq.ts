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
import { laneNames } from '../states.js';
import type { OrderQueue } from './queue.js';

/** What is used of a BullMQ `Queue`. */
export interface BullmqQueueLike {
  readonly name: string;
  readonly opts?: object;
  add(name: string, data: object, options: object): Promise<unknown>;
}

/** The class `Worker` of BullMQ: what is used of it. */
export type BullmqWorkerClass<Connection> = new (
  name: string,
  process: (job: { readonly data: unknown }) => Promise<void>,
  options: { readonly connection: Connection; readonly concurrency: number; readonly lockDuration: number },
) => {
  on(event: 'error', listener: (error: Error) => void): unknown;
  pause(doNotWaitActive: boolean): Promise<void>;
  close(force: boolean): Promise<void>;
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
      const job = {
        removeOnComplete: true,
        removeOnFail: true,
        ...jobId,
        delay: Math.ceil(client ? commitMs : delayMs),
      };
      const adding = withPatience(target.add('order', { id }, job));
      if (client) void adding.catch(() => {});
      else await adding;
    },
    async work({ concurrency, sweepInterval, run, sweep, idle }) {
      const shared = { ...queue.opts, connection };
      const opened = withoutEnd(Reflect.construct(queue.constructor, [names.check, shared]));
      checks = opened;
      // While the job of a killed process is locked, no job of the same id can be added: so such jobs are looked for often.
      const locks = { lockDuration, stalledInterval: Math.ceil(lockDuration / 2) };
      const workers = laneNames.map((lane) => {
        const process = (job: { readonly data: unknown }) =>
          run(lane, String(Reflect.get(Object(job.data), 'id')));
        return withoutEnd(
          new Worker(names[lane], process, { ...shared, ...locks, concurrency: concurrency[lane] }),
        );
      });
      const sweeping = setInterval(sweep, sweepInterval);
      stop = async () => {
        clearInterval(sweeping);
        // They take no more jobs. `close` would do that too, but wait for Redis, and a second `close` only waits with the first one. A worker
        // that is disconnected while it completes a job would repeat that without a pause and without end.
        await Promise.all(workers.map((worker) => worker.pause(true)));
        await idle();
        checks = undefined;
        const isReachable = await withPatience(opened.count()).then(
          () => true,
          () => false,
        );
        const closing = [...workers.map((worker) => worker.close(!isReachable)), opened.close()];
        if (!isReachable) closing.push(opened.disconnect());
        await withPatience(Promise.all(closing)).catch(() => {});
      };
      await sweep();
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
