import type { PostgresClient } from '../../postgres.js';
import { repeatOn } from '../../utils/transactions.js';
import {
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
  notifyWorker(id: string): unknown;
  offWork(name: string): Promise<void>;
}

/** Options of `send` that are used. Jobs of one key are one job while it waits. */
export interface PgBossSendOptions {
  readonly singletonKey: string;
  /** Seconds until the job may run. Default 0. */
  readonly startAfter?: number;
  /** The transaction to store the job in. Default: one of pg-boss's own. */
  readonly db?: { executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }> };
}

/** Options for `pgBossQueue`. */
export interface PgBossQueueOptions {
  /** What the names of the queues in pg-boss begin with. Default `billpay-orders`. */
  readonly name?: string | undefined;
}

const schema = optionsOf({
  name: withDefault(text(), 'billpay-orders'),
} satisfies OptionShape<PgBossQueueOptions>);

const bossSchema = optionsOf({
  boss: withMethods<PgBossLike>(['send', 'work'], 'must be a started PgBoss'),
});

/** PostgreSQL's code of a deadlock: processes that create queues at the same moment may meet one. */
const deadlock = '40P01';

/**
 * Runs the jobs on pg-boss 12, 11 or 10, for any number of machines: a queue for each lane. A job is stored in the transaction that stores its
 * order where that is given.
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
  const { name } = parseOptions(schema, options, { owner: 'pgBossQueue' });
  parseOptions(bossSchema, { boss }, { owner: 'pgBossQueue' });
  const queues = { purchase: `${name}-purchase`, check: `${name}-check` };
  let isCreated = false;
  /** Creates the queues unless they exist. The policy `short` keeps at most one waiting job of a key. */
  const create = async () => {
    for (const queue of Object.values(queues))
      await repeatOn([deadlock], () => boss.createQueue(queue, { name: queue, policy: 'short' }));
    isCreated = true;
  };
  let sweeping: NodeJS.Timeout | undefined;

  return {
    sweepInterval: 60_000,
    async send(lane, id, { delayMs = 0, client } = {}) {
      if (!isCreated) await create();
      await boss.send(
        queues[lane],
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
      await create();
      // Set first, so that `stop` also ends a start that failed half-way.
      sweeping = setInterval(sweep, sweepInterval);
      for (const lane of laneNames) {
        // pg-boss hands a poller its next job when the one before has ended.
        for (let n = 0; n < concurrency[lane]; n++) {
          const polling = { batchSize: 1, pollingIntervalSeconds: 1 };
          const poller = await boss.work(queues[lane], polling, async (jobs) => {
            await Promise.all(jobs.map(({ data }) => run(lane, String(Reflect.get(data, 'id')))));
            // Where there was a job there may be another: only a poller that found none waits.
            boss.notifyWorker(poller);
          });
        }
      }
      await sweep();
    },
    async stop() {
      if (sweeping) await Promise.all(Object.values(queues).map((queue) => boss.offWork(queue)));
      clearInterval(sweeping);
      sweeping = undefined;
    },
  };
}
