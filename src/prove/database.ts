import { nodeSqlite, openPool } from '../cli/installed.js';
import { memoryOrderStore, postgresOrderStore, sqliteOrderStore } from '../orders/index.js';
import type { OrderStore } from '../orders/store.js';
import type { SqliteOrderDatabase } from '../orders/stores/sqlite-schema.js';
import type { PostgresClient } from '../postgres/pool.js';
import type { RecordedEnd } from './books.js';

/** Where the orders of the proof are stored. */
export type ProofDatabase =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  /** `folder`: where `pg` is installed. `table`: every table of the proof is named after it. */
  | { readonly kind: 'postgres'; readonly url: string; readonly table: string; readonly folder: string };

/** An order store, and a table beside it into which the hooks write. */
export interface OpenDatabase<Client> {
  readonly store: OrderStore<Client>;
  /** Writes within the transaction of the hook. */
  recordEnd(client: Client, end: RecordedEnd): unknown;
  /** Every hook that was committed. */
  ends(): Promise<RecordedEnd[]>;
  /** Removes every table of the proof from a server, and closes the database. */
  remove(): Promise<void>;
}

/** Orders that end with their process. */
export function openMemory(): OpenDatabase<unknown> {
  const ends: RecordedEnd[] = [];
  return {
    store: memoryOrderStore(),
    recordEnd: (_client, end) => ends.push(end),
    ends: async () => [...ends],
    remove: async () => {},
  };
}

/** Whether this Node has node:sqlite (22.13 and later). */
export const hasSqlite = (): boolean => nodeSqlite() !== undefined;

/** Orders in an SQLite file, by node:sqlite. */
export function openSqlite(path: string): OpenDatabase<SqliteOrderDatabase> {
  const sqlite = nodeSqlite<SqliteOrderDatabase & { close(): void }>();
  if (!sqlite) throw new Error('node:sqlite needs Node 22.13 or later');
  const database = new sqlite.DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS ends (id TEXT, state TEXT)');
  return {
    store: sqliteOrderStore(database),
    recordEnd: (client, { id, state }) => client.prepare('INSERT INTO ends VALUES (?, ?)').run(id, state),
    ends: async () => database.prepare('SELECT id, state FROM ends').all() as RecordedEnd[],
    remove: async () => database.close(),
  };
}

/** Orders in PostgreSQL, by the `pg` that is installed in the folder. */
export async function openPostgres({
  url,
  table,
  folder,
}: Extract<ProofDatabase, { kind: 'postgres' }>): Promise<OpenDatabase<PostgresClient>> {
  const pool = await openPool(folder, url);
  if (!pool) throw new Error(`pg is not installed in ${folder}: run npm install pg there`);
  const store = postgresOrderStore(pool, { table });
  await store.createTables();
  await pool.query(`CREATE TABLE IF NOT EXISTS ${table}_ends (id text, state text)`);
  return {
    store,
    recordEnd: (client, { id, state }) =>
      client.query(`INSERT INTO ${table}_ends VALUES ($1, $2)`, [id, state]),
    ends: async () => (await pool.query(`SELECT id, state FROM ${table}_ends`)).rows as RecordedEnd[],
    remove: async () => {
      const tables = ['_ends', '_events', '_history', '_version', ''].map((suffix) => table + suffix);
      await pool.query(`DROP TABLE IF EXISTS ${tables.join(', ')}`);
      await pool.end();
    },
  };
}
