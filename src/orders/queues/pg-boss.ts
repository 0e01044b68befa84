import * as z from 'zod/mini';
import type { PostgresClient } from '../../postgres/pool.js';
import { hasCode } from '../../utils/has-code.js';
import { ms, text } from '../../validation/option-kinds.js';
import { assertOption } from '../../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import { type OrderJob, type OrderQueue, turnOf } from './queue.js';

/** A job as pg-boss hands it over. */
interface BossJob {
  readonly data: OrderJob;
}

/** What is used of pg-boss 12, 11 and 10. */
export interface PgBossLike {
  /** Creates a queue. */
  createQueue(name: string, options: { name: string; policy: 'short' }): Promise<void>;
  /** Adds a job. */
  send(name: string, data: object, options: PgBossSendOptions): Promise<string | null>;
  /** Takes jobs. */
  work(
    name: string,
    options: { batchSize: number; pollingIntervalSeconds: number },
    handler: (jobs: BossJob[]) => Promise<void>,
  ): Promise<string>;
  /** Adds a job by a cron expression. */
  schedule(name: string, cron: string, data: object): Promise<void>;
  /** Wakes a worker. */
  notifyWorker(id: string): unknown;
  /** Stops the workers of a queue. */
  offWork(name: string): Promise<void>;
}

/** Options of `send` that are used. */
export interface PgBossSendOptions {
  /** Jobs of one key are one job while it waits. */
  readonly singletonKey: string;
  /** Jobs with a higher one are taken first. */
  readonly priority?: number;
  /** Seconds until the job may be taken. */
  readonly startAfter?: number;
  /** Runs the statement in a transaction of the caller's. */
  readonly db?: { executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }> };
}

/** Options for `pgBossQueue`. */
export interface PgBossQueueOptions {
  /** The name of the queue in pg-boss. Default `billpay-orders`. */
  readonly name?: string | undefined;
  /** How often a worker asks for jobs, in ms, at least 500. Default 1,000. */
  readonly pollingInterval?: number | undefined;
}

const optionsSchema = optionsOf({
  name: z._default(text(), 'billpay-orders'),
  pollingInterval: z._default(ms(), 1000),
} satisfies OptionShape<PgBossQueueOptions>);

/**
 * Runs jobs on pg-boss 12, 11 or 10, for any number of machines. A job is stored in the transaction that stores its order where that is given.
 * The sweep is scheduled by pg-boss, to the minute.
 *
 * @param boss - a started `PgBoss`; you stop it yourself.
 * @example
 * ```ts
 * import { PgBoss } from 'pg-boss';
 *
 * const boss = new PgBoss(String(process.env.DATABASE_URL));
 * await boss.start();
 * const orders = createOrders({ billpay, store: postgresOrderStore(pool), queue: pgBossQueue(boss) });
 * ```
 */
export function pgBossQueue(boss: PgBossLike, options: PgBossQueueOptions = {}): OrderQueue<PostgresClient> {
  const { name, pollingInterval } = parseOptions(optionsSchema, options, { owner: 'pgBossQueue' });
  assertOption(
    typeof boss?.send === 'function' && typeof boss.schedule === 'function',
    'boss',
    'must be a started PgBoss',
  );
  const sweepName = `${name}-sweep`;
  let created: Promise<void> | undefined;
  const queues = () => {
    created ??= createQueues(boss, [name, sweepName]).catch((error) => {
      created = undefined;
      throw error;
    });
    return created;
  };
  const working: string[] = [];
  const running = new Set<Promise<void>>();
  let isWorking = false;

  return {
    async enqueue(job, { delayMs = 0, client } = {}) {
      await queues();
      if (job.type === 'sweep') {
        await boss.send(sweepName, job, { singletonKey: job.resume ? 'resume' : 'sweep' });
        return;
      }
      await boss.send(name, job, {
        // A job for now must not be taken for one that waits.
        singletonKey: delayMs > 0 ? `${job.id} later` : job.id,
        // pg-boss takes what has the highest priority first.
        priority: 2 - turnOf(job),
        ...(delayMs > 0 && { startAfter: Math.ceil(delayMs / 1000) }),
        ...(client && { db: { executeSql: (text, values) => client.query(text, values) } }),
      });
    },
    async work(run, { concurrency, sweepAfter }) {
      await queues();
      const polling = { batchSize: 1, pollingIntervalSeconds: Math.max(500, pollingInterval) / 1000 };
      const poll = async (queue: string): Promise<void> => {
        const poller = await boss.work(queue, polling, async (jobs) => {
          // Fetched while the worker was stopping: the order stays due, and the sweep of another process finds it.
          if (!isWorking) return;
          const work = Promise.all(jobs.map(({ data }) => run(data))).then(() => {});
          running.add(work);
          await work.finally(() => running.delete(work));
          // Where there was a job there may be another: only a poller that found none waits.
          boss.notifyWorker(poller);
        });
      };
      // Noted first, so that `stop` also ends a start that failed half-way.
      working.push(name, sweepName);
      isWorking = true;
      // One poller for each lane: pg-boss hands a poller its next job when the one before has ended.
      for (let lane = 0; lane < concurrency; lane++) await poll(name);
      await poll(sweepName);
      const sweep: OrderJob = { type: 'sweep' };
      await boss.schedule(sweepName, cronOf(sweepAfter), sweep);
      await boss.send(sweepName, sweep, { singletonKey: 'sweep' });
    },
    async stop() {
      await Promise.all(working.splice(0).map((queue) => boss.offWork(queue)));
      isWorking = false;
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** A schedule of whole minutes: the finest that pg-boss has. */
function cronOf(sweepAfter: number): string {
  const minutes = Math.min(59, Math.max(1, Math.round(sweepAfter / 60_000)));
  return minutes === 1 ? '* * * * *' : `*/${minutes} * * * *`;
}

/** PostgreSQL's code of a deadlock: processes that create queues at the same moment may meet one. */
const deadlock = '40P01';
const mostAttempts = 10;

/** Creates the queues unless they exist. The policy `short` keeps at most one waiting job of a key. */
async function createQueues(boss: PgBossLike, names: readonly string[]): Promise<void> {
  // One after the other: two at a time could deadlock within one process.
  for (const name of names) {
    for (let attempt = 1; ; attempt++) {
      try {
        await boss.createQueue(name, { name, policy: 'short' });
        break;
      } catch (error) {
        if (!hasCode(error, deadlock) || attempt === mostAttempts) throw error;
      }
    }
  }
}
