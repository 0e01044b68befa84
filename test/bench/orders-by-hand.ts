import { Queue, Worker } from 'bullmq';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { BillPay } from '../../src/index.js';

/** One way to keep orders and to buy them, at work. */
export interface Contender {
  /** Stores an order and its job. */
  place(id: string): Promise<void>;
  stop(): Promise<void>;
}

export interface Surroundings {
  readonly billpay: BillPay;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly concurrency: number;
  /** Distinguishes tables and queues of runs. */
  readonly run: string;
  /** Called when the acceptance of an order is stored. */
  onAccepted(): void;
}

/** The order table of a careful shop, and one attempt to buy: guarded, under the id of the order, stored before and after. */
async function ownTable({ databaseUrl, run, billpay, onAccepted }: Surroundings) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  const table = `own_${run}`;
  await pool.query(`CREATE TABLE ${table} (
  id text PRIMARY KEY, params jsonb NOT NULL, state text NOT NULL, attempt integer NOT NULL DEFAULT 0,
  reference text UNIQUE, amount numeric, last_error text,
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON ${table} (state, created_at)`);
  const params = JSON.stringify({ biller: 'MTN', recipient: '08031234567', amount: 100 });
  return {
    pool,
    insert: (client: Pick<pg.Pool, 'query'>, id: string) =>
      client.query(`INSERT INTO ${table} (id, params, state) VALUES ($1, $2, 'placed')`, [id, params]),
    async buy(id: string): Promise<void> {
      const { rows } = await pool.query(`SELECT * FROM ${table} WHERE id = $1`, [id]);
      const [order] = rows;
      const begun = await pool.query(
        `UPDATE ${table} SET state = 'buying', attempt = attempt + 1, updated_at = now() WHERE id = $1 AND state = $2`,
        [id, order?.state],
      );
      if (begun.rowCount === 0) return;
      const { reference, amount } = await billpay.airtime.purchase({ ...order.params, idempotency_key: id });
      await pool.query(
        `UPDATE ${table} SET state = 'accepted', reference = $2, amount = $3, updated_at = now() WHERE id = $1 AND state = 'buying'`,
        [id, reference, amount],
      );
      onAccepted();
    },
  };
}

/** The same job on bare pg-boss: order and job in one transaction. */
export async function onPgBoss(surroundings: Surroundings): Promise<Contender> {
  const { databaseUrl, run, concurrency } = surroundings;
  const own = await ownTable(surroundings);
  const boss = new PgBoss({ connectionString: databaseUrl, schema: `hand_boss_${run}` });
  await boss.start();
  await boss.createQueue('orders');
  for (let lane = 0; lane < concurrency; lane++) {
    const polling = { batchSize: 1, pollingIntervalSeconds: 1 };
    const poller = await boss.work<{ id: string }>('orders', polling, async (jobs) => {
      await Promise.all(jobs.map(({ data }) => own.buy(data.id)));
      boss.notifyWorker(poller);
    });
  }
  return {
    async place(id) {
      const client = await own.pool.connect();
      try {
        await client.query('BEGIN');
        await own.insert(client, id);
        const db = { executeSql: (text: string, values: unknown[]) => client.query(text, values) };
        await boss.send('orders', { id }, { singletonKey: id, db });
        await client.query('COMMIT');
      } finally {
        client.release();
      }
    },
    async stop() {
      await boss.stop({ graceful: false });
      await own.pool.end();
    },
  };
}

/** The same job on bare BullMQ. */
export async function onBullmq(surroundings: Surroundings): Promise<Contender> {
  const { redisUrl, run, concurrency } = surroundings;
  const own = await ownTable(surroundings);
  const connection = { url: redisUrl, maxRetriesPerRequest: null };
  const queue = new Queue(`hand-${run}`, { connection });
  const worker = new Worker(queue.name, ({ data }) => own.buy(data.id), { connection, concurrency });
  return {
    async place(id) {
      await own.insert(own.pool, id);
      await queue.add('order', { id }, { jobId: id, removeOnComplete: true, removeOnFail: true });
    },
    async stop() {
      await worker.close();
      await queue.close();
      await own.pool.end();
    },
  };
}
