import type { PostgresClient } from '../../postgres.js';
import { hasCode } from '../../utils/unknown.js';
import {
  ms,
  type OptionShape,
  optionsOf,
  parseOptions,
  text,
  withDefault,
  withMethods,
} from '../../validation/options.js';
import { laneNames } from '../states.js';
import type { OrderQueue } from './queue.js';

/** What is used of pg-boss 12, 11 and 10. */
export interface PgBossLike {
  createQueue(name: string, options: { name: string; policy: 'short' }): Promise<void>;
  send(name: string, data: object, options: PgBossSendOptions): Promise<string | null>;
  work(
    name: string,
    options: { batchSize: number; pollingIntervalSeconds: number },
    handler: (jobs: { readonly data: object }[]) => Promise<void>,
  ): Promise<string>;
  schedule(name: string, cron: string, data: object): Promise<void>;
  notifyWorker(id: string): unknown;
  offWork(name: string): Promise<void>;
}

/** Options of `send` that are used. Jobs of one key are one job while it waits. */
export interface PgBossSendOptions {
  readonly singletonKey: string;
  readonly startAfter?: number;
  readonly db?: { executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }> };
}

/** Options for `pgBossQueue`. */
export interface PgBossQueueOptions {
  /** What the names of the queues in pg-boss begin with. Default `billpay-orders`. */
  readonly name?: string | undefined;
  /** How often a worker asks for jobs, in ms, at least 500. Default 1,000. */
  readonly pollingInterval?: number | undefined;
}

const schema = optionsOf({
  name: withDefault(text(), 'billpay-orders'),
  pollingInterval: withDefault(ms(), 1000),
} satisfies OptionShape<PgBossQueueOptions>);

const bossSchema = optionsOf({
  boss: withMethods<PgBossLike>(['send', 'schedule'], 'must be a started PgBoss'),
});

/**
 * Runs the jobs on pg-boss 12, 11 or 10, for any number of machines: a queue for each lane, and one for the sweep, to the minute. A job is
 * stored in the transaction that stores its order where that is given.
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
  const { name, pollingInterval } = parseOptions(schema, options, { owner: 'pgBossQueue' });
  parseOptions(bossSchema, { boss }, { owner: 'pgBossQueue' });
  const queues = ['purchase', 'check', 'sweep'].map((queue) => `${name}-${queue}`);
  let creating: Promise<void> | undefined;
  const created = () => {
    creating ??= createQueues(boss, queues).catch((error) => {
      creating = undefined;
      throw error;
    });
    return creating;
  };
  const running = new Set<Promise<unknown>>();
  let isWorking = false;

  return {
    sweepInterval: 60_000,
    async send(lane, id, { delayMs = 0, client } = {}) {
      await created();
      await boss.send(
        `${name}-${lane}`,
        { id },
        {
          // A job for now must not be taken for one that waits.
          singletonKey: delayMs > 0 ? `${id} later` : id,
          ...(delayMs > 0 && { startAfter: Math.ceil(delayMs / 1000) }),
          ...(client && { db: { executeSql: (text, values) => client.query(text, values) } }),
        },
      );
    },
    async work({ concurrency, sweepInterval, run, sweep }) {
      await created();
      // Set first, so that `stop` also ends a start that failed half-way.
      isWorking = true;
      const poll = async (queue: string, work: (id: string) => Promise<void>) => {
        const polling = { batchSize: 1, pollingIntervalSeconds: Math.max(500, pollingInterval) / 1000 };
        const poller = await boss.work(queue, polling, async (jobs) => {
          // Fetched while the worker was stopping: the order stays due, and the sweep finds it.
          if (!isWorking) return;
          const steps = Promise.all(jobs.map(({ data }) => work(String(Reflect.get(data, 'id')))));
          running.add(steps);
          await steps.finally(() => running.delete(steps));
          // Where there was a job there may be another: only a poller that found none waits.
          boss.notifyWorker(poller);
        });
      };
      for (const lane of laneNames) {
        // pg-boss hands a poller its next job when the one before has ended.
        for (let n = 0; n < concurrency[lane]; n++) await poll(`${name}-${lane}`, (id) => run(lane, id));
      }
      await poll(`${name}-sweep`, sweep);
      // To the minute: the finest that pg-boss has.
      const minutes = Math.min(59, Math.max(1, Math.round(sweepInterval / 60_000)));
      await boss.schedule(`${name}-sweep`, minutes === 1 ? '* * * * *' : `*/${minutes} * * * *`, {});
      await boss.send(`${name}-sweep`, {}, { singletonKey: 'sweep' });
    },
    async stop() {
      if (isWorking) await Promise.all(queues.map((queue) => boss.offWork(queue)));
      isWorking = false;
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** PostgreSQL's code of a deadlock: processes that create queues at the same moment may meet one. */
const deadlock = '40P01';

/** Creates the queues unless they exist, one after the other. The policy `short` keeps at most one waiting job of a key. */
async function createQueues(boss: PgBossLike, names: readonly string[]): Promise<void> {
  for (const name of names) {
    for (let attempt = 1; ; attempt++) {
      try {
        await boss.createQueue(name, { name, policy: 'short' });
        break;
      } catch (error) {
        if (!hasCode(error, deadlock) || attempt === 10) throw error;
      }
    }
  }
}
