// Tables, the queue, and how an order gets into both at once.
import type { Pool, PoolClient } from 'pg';
import type PgBoss from 'pg-boss';
import type { Order } from '../order.js';

export const queue = 'purchases';

export const tables = `
  CREATE TABLE IF NOT EXISTS orders (
    id uuid PRIMARY KEY,
    biller text NOT NULL,
    recipient text NOT NULL,
    amount numeric(12, 2) NOT NULL,
    state text NOT NULL DEFAULT 'placed', -- then accepted or refused; then delivered or failed
    reference text UNIQUE,
    token text,
    problem text,
    doubt boolean NOT NULL DEFAULT false, -- an attempt was begun, and may have been charged
    touched timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX IF NOT EXISTS orders_open ON orders (touched) WHERE state IN ('placed', 'accepted');
  -- The workers' common rate limit, as rate-limiter-flexible keeps it.
  CREATE TABLE IF NOT EXISTS rate_limits (key text PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint);
`;

/** What a worker may take for a job before another one gets it: well above the client's deadline. */
const expireInSeconds = 300;

export async function prepare(pool: Pool, boss: PgBoss, expireIn = expireInSeconds): Promise<void> {
  await transaction(pool, async (client) => {
    // One after the other: processes that start together would make the same table.
    await client.query("SELECT pg_advisory_xact_lock(hashtext('orders'))");
    await client.query(tables);
  });
  // It is tried until it has an end: giving up would lose sight of money.
  const retries = { retryLimit: 1_000_000, retryDelay: 1, expireInSeconds: expireIn };
  await boss.createQueue(queue, { name: queue, ...retries });
}

export async function transaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

/** Makes pg-boss write within a transaction of ours. */
const within = (client: PoolClient): PgBoss.Db => ({
  executeSql: (text, values) => client.query(text, values),
});

/** The order and its job, both or neither. Placing the same order twice is placing it once. */
export async function place(pool: Pool, boss: PgBoss, order: Order): Promise<void> {
  await transaction(pool, async (client) => {
    const { id, biller, recipient, amount } = order;
    await client.query(
      'INSERT INTO orders (id, biller, recipient, amount) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      [id, biller, recipient, amount],
    );
    await boss.send(queue, {}, { id, db: within(client) });
  });
}

/** The same job once more, later. Without `doubt`, the order keeps the one that it has. */
export async function putOff(
  pool: Pool,
  boss: PgBoss,
  id: string,
  { afterMs, doubt }: { readonly afterMs: number; readonly doubt?: boolean },
): Promise<void> {
  await transaction(pool, async (client) => {
    const db = within(client);
    if (doubt !== undefined) await client.query('UPDATE orders SET doubt = $2 WHERE id = $1', [id, doubt]);
    await boss.deleteJob(queue, id, { db });
    await boss.send(queue, {}, { id, db, startAfter: Math.max(1, Math.ceil(afterMs / 1000)) });
  });
}
