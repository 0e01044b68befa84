import { mysqlOrderStore, type OrderStore, postgresOrderStore } from 'billpay/orders';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import type { StoredEnd } from './workload.js';

/** The database of a kill test: the store, and a table beside it in which the hooks write what they did. */
export interface KillDatabase<Client> {
  readonly store: OrderStore<Client>;
  /** Creates the tables. */
  create(): Promise<void>;
  /** Writes a line in the transaction of a hook. */
  writeEnd(client: Client, id: string, kind: string): Promise<unknown>;
  ends(): Promise<{ id: string; kind: string }[]>;
  orders(): Promise<StoredEnd[]>;
  /** Removes the tables and closes the connections. */
  remove(): Promise<void>;
}

const tablesOf = (table: string) =>
  ['_ends', '_events', '', '_version'].map((suffix) => table + suffix).join(', ');

export function postgresDatabase(url: string, table: string): KillDatabase<pg.PoolClient> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  // A killed server of the pool's must not end this process.
  pool.on('error', () => {});
  const store = postgresOrderStore<pg.PoolClient>(pool, { table });
  return {
    store,
    create: async () => {
      await store.createTables();
      await pool.query(`CREATE TABLE ${table}_ends (id text NOT NULL, kind text NOT NULL)`);
    },
    writeEnd: (client, id, kind) => client.query(`INSERT INTO ${table}_ends VALUES ($1, $2)`, [id, kind]),
    ends: async () => (await pool.query(`SELECT id, kind FROM ${table}_ends`)).rows,
    orders: async () => (await pool.query(`SELECT id, state, reference FROM ${table}`)).rows,
    remove: async () => {
      await pool.query(`DROP TABLE ${tablesOf(table)}`);
      await pool.query(`DROP SCHEMA IF EXISTS ${table}_boss CASCADE`);
      await pool.end();
    },
  };
}

type MysqlClient = Parameters<Parameters<ReturnType<typeof mysqlOrderStore>['transaction']>[0]>[0];

export function mysqlDatabase(url: string, table: string): KillDatabase<MysqlClient> {
  const pool = createPool({ uri: url, connectionLimit: 10 });
  const store = mysqlOrderStore(pool, { table });
  const rows = async <Row>(sql: string) => (await pool.query(sql))[0] as Row[];
  return {
    store,
    create: async () => {
      await store.createTables();
      await pool.query(`CREATE TABLE ${table}_ends (id VARCHAR(255) NOT NULL, kind VARCHAR(16) NOT NULL)`);
    },
    writeEnd: (client, id, kind) => client.execute(`INSERT INTO ${table}_ends VALUES (?, ?)`, [id, kind]),
    ends: () => rows(`SELECT id, kind FROM ${table}_ends`),
    orders: () =>
      rows(
        `SELECT CONVERT(id USING utf8mb4) AS id, state, CONVERT(reference USING utf8mb4) AS reference FROM ${table}`,
      ),
    remove: async () => {
      await pool.query(`DROP TABLE ${tablesOf(table)}, ${table}_history, ${table}_locks`);
      await pool.end();
    },
  };
}

/** The database of a URL. */
export const databaseOf = (url: string, table: string): KillDatabase<unknown> =>
  (url.startsWith('mysql')
    ? mysqlDatabase(url, table)
    : postgresDatabase(url, table)) as KillDatabase<unknown>;
