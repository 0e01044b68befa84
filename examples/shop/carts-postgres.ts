import type { Pool, PoolClient } from 'pg';
import type { Cart, Carts } from './carts.js';

/** The lock lasts for both statements: processes that create a table at the same time would fail, despite IF NOT EXISTS. */
const table = `SELECT pg_advisory_xact_lock(hashtext('carts'));
CREATE TABLE IF NOT EXISTS carts (
  id text PRIMARY KEY,
  product text NOT NULL,
  title text NOT NULL,
  recipient text NOT NULL,
  "customerName" text,
  price float8 NOT NULL,
  state text NOT NULL DEFAULT 'paid',
  token text,
  "createdAt" timestamptz NOT NULL DEFAULT now()
)`;

/** Carts in the PostgreSQL database of the orders. */
export async function postgresCarts(pool: Pool): Promise<Carts<PoolClient>> {
  await pool.query(table);
  return {
    async add({ id, product, title, recipient, customerName, price }, client) {
      await client.query(
        'INSERT INTO carts (id, product, title, recipient, "customerName", price) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING',
        [id, product, title, recipient, customerName, price],
      );
    },
    async end(id, state, token, client) {
      await client.query('UPDATE carts SET state = $2, token = $3 WHERE id = $1', [id, state, token ?? null]);
    },
    find: async (id) => (await pool.query<Cart>('SELECT * FROM carts WHERE id = $1', [id])).rows[0],
    latest: async (limit) =>
      (await pool.query<Cart>('SELECT * FROM carts ORDER BY "createdAt" DESC, id LIMIT $1', [limit])).rows,
  };
}
