import { Queue, Worker } from 'bullmq';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { type Contender, paramsOf, type Surroundings } from './contender.js';

/** The order table of a careful shop, and one attempt to buy: guarded, under the id of the order, stored before and after. */
async function ownTable({ databaseUrl, run, billpay, onBuy, onAccepted }: Surroundings, engine: string) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  const table = `own_${engine}_${run}`;
  await pool.query(`CREATE TABLE ${table} (
  id text PRIMARY KEY, params jsonb NOT NULL, state text NOT NULL, attempt integer NOT NULL DEFAULT 0,
  reference text UNIQUE, amount numeric, last_error text,
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON ${table} (state, created_at)`);
  return {
    pool,
    insert: (client: Pick<pg.Pool, 'query'>, id: string) =>
      client.query(
        `INSERT INTO ${table} (id, params, state) VALUES ($1, $2, 'placed') ON CONFLICT DO NOTHING`,
        [id, JSON.stringify(paramsOf())],
      ),
    async buy(id: string): Promise<void> {
      const found = await pool.query(`SELECT * FROM ${table} WHERE id = $1`, [id]);
      const [order] = found.rows;
      if (order?.state !== 'placed' && order?.state !== 'unknown') return;
      const begun = await pool.query(
        `UPDATE ${table} SET state = 'buying', attempt = attempt + 1, updated_at = now() WHERE id = $1 AND state = $2`,
        [id, order.state],
      );
      if (begun.rowCount === 0) return;
      onBuy(id);
      const { reference, amount } = await billpay.airtime.purchase({ ...order.params, idempotency_key: id });
      await pool.query(
        `UPDATE ${table} SET state = 'accepted', reference = $2, amount = $3, updated_at = now() WHERE id = $1 AND state = 'buying'`,
        [id, reference, amount],
      );
      onAccepted(id);
    },
    async close() {
      await pool.query(`DROP TABLE ${table}`);
      await pool.end();
    },
  };
}

/** The same job on bare pg-boss: order and job in one transaction. Its pollers, too, ask again at once after a job. */
export async function pgBossByHand(surroundings: Surroundings): Promise<Contender> {
  const { databaseUrl, run, concurrency } = surroundings;
  const own = await ownTable(surroundings, 'pgboss');
  const boss = new PgBoss({ connectionString: databaseUrl, schema: `hand_boss_${run}` });
  await boss.start();
  await boss.createQueue('orders');
  return {
    name: 'pg-boss, by hand',
    async place(id) {
      const client = await own.pool.connect();
      try {
        await client.query('BEGIN');
        await own.insert(client, id);
        const db = { executeSql: (text: string, values: unknown[]) => client.query(text, values) };
        await boss.send('orders', { id }, { singletonKey: id, db });
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    },
    async start() {
      for (let lane = 0; lane < concurrency; lane++) {
        const polling = { batchSize: 1, pollingIntervalSeconds: 1 };
        const poller = await boss.work<{ id: string }>('orders', polling, async (jobs) => {
          await Promise.all(jobs.map(({ data }) => own.buy(data.id)));
          boss.notifyWorker(poller);
        });
      }
    },
    async stop() {
      await boss.stop({ graceful: false });
      await own.close();
    },
  };
}

/** The same job on bare BullMQ. */
export async function bullmqByHand(surroundings: Surroundings): Promise<Contender> {
  const { redisUrl, run, concurrency } = surroundings;
  const own = await ownTable(surroundings, 'bullmq');
  const connection = { url: redisUrl, maxRetriesPerRequest: null };
  const queue = new Queue(`hand-${run}`, { connection });
  let worker: Worker | undefined;
  return {
    name: 'bullmq, by hand',
    async place(id) {
      await own.insert(own.pool, id);
      await queue.add('order', { id }, { jobId: id, removeOnComplete: true, removeOnFail: true });
    },
    async start() {
      worker = new Worker(queue.name, ({ data }) => own.buy(data.id), { connection, concurrency });
    },
    async stop() {
      await worker?.close();
      await queue.close();
      await own.close();
    },
  };
}
