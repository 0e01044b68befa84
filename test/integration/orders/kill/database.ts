import { rmSync } from 'node:fs';
import { mysqlOrderStore, postgresOrderStore, sqliteOrderStore } from 'billpay/orders';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import type { OrderStore } from '../../../../src/orders/store.js';
import { openSqlite } from '../../../orders/support/sqlite.js';
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

const tablesOf = (table: string) => ['_ends', '', '_locks'].map((suffix) => table + suffix).join(', ');

function postgresDatabase(url: string, table: string): KillDatabase<pg.PoolClient> {
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

function mysqlDatabase(url: string, table: string): KillDatabase<MysqlClient> {
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
      await pool.query(`DROP TABLE ${tablesOf(table)}`);
      await pool.end();
    },
  };
}

/** A file for one process at a time, which is open from now on. */
function sqliteDatabase(file: string, table: string): KillDatabase<ReturnType<typeof openSqlite>> {
  // This build of SQLite locks by a folder, which a killed process leaves behind.
  rmSync(`${file}.lock`, { recursive: true, force: true });
  const database = openSqlite(file);
  // node-sqlite3-wasm never rolls a journal back after a crash, because it takes its own lock for that of a living writer: a
  // write-ahead log needs no rollback. The process is killed, not the machine, so that what the operating system has is not lost.
  database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  database.exec(`CREATE TABLE IF NOT EXISTS ${table}_ends (id TEXT NOT NULL, kind TEXT NOT NULL)`);
  const rows = async <Row>(sql: string) => database.prepare(sql).all() as Row[];
  return {
    store: sqliteOrderStore(database, { table }),
    create: async () => {},
    writeEnd: async (client, id, kind) =>
      client.prepare(`INSERT INTO ${table}_ends (id, kind) VALUES (?, ?)`).run(id, kind),
    ends: () => rows(`SELECT id, kind FROM ${table}_ends`),
    orders: () => rows(`SELECT id, state, reference FROM ${table}`),
    remove: async () => database.close(),
  };
}

/** The database of a URL, or of a file. */
export function databaseOf(url: string, table: string): KillDatabase<unknown> {
  const open = url.startsWith('mysql')
    ? mysqlDatabase
    : url.startsWith('postgres')
      ? postgresDatabase
      : sqliteDatabase;
  return open(url, table) as KillDatabase<unknown>;
}
