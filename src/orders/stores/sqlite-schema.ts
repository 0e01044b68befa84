import type { OrderTables } from './tables.js';

/** What is used of a prepared statement. */
export interface SqliteStatement {
  /** The first row. */
  get(...values: SqliteValue[]): unknown;
  /** Every row. */
  all(...values: SqliteValue[]): unknown[];
  /** Runs a statement that gives no rows. */
  run(...values: SqliteValue[]): unknown;
}

/** A value as SQLite stores it. */
export type SqliteValue = string | number | null;

/** What is used of a database: `better-sqlite3` and the `DatabaseSync` of node:sqlite have it. */
export interface SqliteOrderDatabase {
  /** Prepares one statement. */
  prepare(sql: string): SqliteStatement;
  /** Runs statements that give no rows. */
  exec(sql: string): unknown;
}

/** As in PostgreSQL: a step that was released is never changed, what is new is a step of its own. Times are ms since the epoch. */
const migrations = ({ orders, history, events, index }: OrderTables): readonly string[] => [
  `CREATE TABLE ${orders} (
  id TEXT PRIMARY KEY,
  product TEXT NOT NULL,
  params TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  doubted_at INTEGER,
  reference TEXT,
  amount REAL,
  awaiting_refund INTEGER NOT NULL DEFAULT 0,
  token TEXT,
  last_error TEXT,
  tries INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  due_at INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX ${index('reference')} ON ${orders} (reference) WHERE reference IS NOT NULL;
CREATE INDEX ${index('due')} ON ${orders} (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ${index('created')} ON ${orders} (created_at DESC, id DESC);
CREATE INDEX ${index('state')} ON ${orders} (state, created_at DESC, id DESC);
CREATE INDEX ${index('refund')} ON ${orders} (id) WHERE awaiting_refund = 1;
CREATE INDEX ${index('claims')} ON ${orders} (created_at)
  WHERE reference IS NULL AND state IN ('buying', 'unknown', 'review');
CREATE TABLE ${history} (
  seq INTEGER PRIMARY KEY,
  order_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  from_state TEXT,
  to_state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  detail TEXT
);
CREATE INDEX ${index('history_order')} ON ${history} (order_id, seq);
CREATE TABLE ${events} (reference TEXT PRIMARY KEY, event TEXT NOT NULL, received_at INTEGER NOT NULL);`,
];

/** Creates the tables, or brings them up to date, in one transaction. */
export function createSqliteTables(database: SqliteOrderDatabase, tables: OrderTables): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(`CREATE TABLE IF NOT EXISTS ${tables.version} (version INTEGER NOT NULL)`);
    const row = database.prepare(`SELECT max(version) AS version FROM ${tables.version}`).get();
    const version = Number(Reflect.get(Object(row), 'version') ?? 0);
    for (const [at, statements] of migrations(tables).entries()) {
      if (at < version) continue;
      database.exec(statements);
      database.prepare(`INSERT INTO ${tables.version} (version) VALUES (?)`).run(at + 1);
    }
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
