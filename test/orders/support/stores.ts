import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { memoryOrderStore, postgresOrderStore, sqliteOrderStore } from '../../../src/orders/index.js';
import type { OrderStore } from '../../../src/orders/store.js';
import { sqliteLibraries } from './sqlite.js';

/** A store for one test file. */
export interface OpenStore {
  readonly store: OrderStore<unknown>;
  /** Removes the row of an order; undefined where there are no rows. */
  readonly remove?: (id: string) => Promise<unknown>;
  close(): Promise<void>;
}

/** Every store that can be had here, with what opens it on tables of its own. */
export function storesHere(): readonly (readonly [string, () => Promise<OpenStore>])[] {
  const url = process.env['BILLPAY_TEST_POSTGRES_URL'];
  const memory = async () => ({ store: memoryOrderStore() as OrderStore<unknown>, close: async () => {} });
  const sqlite = sqliteLibraries().map(([library, open]) => {
    const openStore = async () => {
      const database = open(':memory:');
      return {
        store: sqliteOrderStore(database) as OrderStore<unknown>,
        remove: async (id: string) => database.prepare('DELETE FROM billpay_orders WHERE id = ?').run(id),
        close: async () => database.close(),
      };
    };
    return [`SQLite, ${library}`, openStore] as const;
  });
  const postgres = async () => {
    const pool = new pg.Pool({ connectionString: url });
    const table = `orders_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    const store = postgresOrderStore(pool, { table });
    await store.createTables();
    return {
      store: store as OrderStore<unknown>,
      remove: (id: string) => pool.query(`DELETE FROM ${table} WHERE id = $1`, [id]),
      close: () => pool.end(),
    };
  };
  return [['memory', memory], ...sqlite, ...(url === undefined ? [] : [['PostgreSQL', postgres] as const])];
}
