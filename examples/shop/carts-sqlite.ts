import type { SqliteOrderDatabase } from 'billpay/orders';
import type { Cart, Carts } from './carts.js';

const table = `CREATE TABLE IF NOT EXISTS carts (
  id TEXT PRIMARY KEY,
  product TEXT NOT NULL,
  title TEXT NOT NULL,
  recipient TEXT NOT NULL,
  customer_name TEXT,
  price REAL NOT NULL,
  state TEXT NOT NULL DEFAULT 'paid',
  token TEXT,
  created_at INTEGER NOT NULL
)`;

/** Carts in the SQLite file of the orders. */
export function sqliteCarts(database: SqliteOrderDatabase): Carts<SqliteOrderDatabase> {
  database.exec(table);
  return {
    async add({ id, product, title, recipient, customerName, price }, client) {
      client
        .prepare(
          'INSERT INTO carts (id, product, title, recipient, customer_name, price, created_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
        )
        .run(id, product, title, recipient, customerName, price, Date.now());
    },
    async end(id, state, token, client) {
      client.prepare('UPDATE carts SET state = ?, token = ? WHERE id = ?').run(state, token ?? null, id);
    },
    find: async (id) => {
      const row = database.prepare('SELECT * FROM carts WHERE id = ?').get(id);
      return row === undefined ? undefined : cartOf(row);
    },
    latest: async (limit) =>
      database.prepare('SELECT * FROM carts ORDER BY created_at DESC, id LIMIT ?').all(limit).map(cartOf),
  };
}

function cartOf(row: unknown): Cart {
  const { customer_name, created_at, ...cart } = row as Cart & { customer_name: string; created_at: number };
  return { ...cart, customerName: customer_name, createdAt: new Date(created_at) };
}
