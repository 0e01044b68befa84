import type { OrderTables } from './tables.js';

/** What is used of a prepared statement. */
export interface SqliteStatement {
  /** The first row. */
  get(...values: SqliteValue[]): unknown;
  /** Every row. */
  all(...values: SqliteValue[]): unknown[];
  /** Runs a statement that returns no rows. */
  run(...values: SqliteValue[]): unknown;
}

/** A value as SQLite stores it. */
export type SqliteValue = string | number | null;

/** What is used of a database: `better-sqlite3` and the `DatabaseSync` of node:sqlite have it. */
export interface SqliteOrderDatabase {
  /** Prepares one statement. */
  prepare(sql: string): SqliteStatement;
  /** Runs statements that return no rows. */
  exec(sql: string): unknown;
}

/** As in PostgreSQL: a step that was released is never changed, what is new is a step of its own. Times are ms since the epoch. */
export const sqliteMigrations = ({ orders, history, events, index }: OrderTables): readonly string[] => [
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
  `ALTER TABLE ${orders} ADD COLUMN customer TEXT;
ALTER TABLE ${orders} ADD COLUMN run TEXT;
ALTER TABLE ${orders} ADD COLUMN accepted_at INTEGER;
ALTER TABLE ${orders} ADD COLUMN expires_at INTEGER;
ALTER TABLE ${orders} ADD COLUMN settled_at INTEGER;
ALTER TABLE ${orders} ADD COLUMN amount_charged REAL;
ALTER TABLE ${orders} ADD COLUMN commission REAL;
ALTER TABLE ${orders} ADD COLUMN refunded INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ${orders} ADD COLUMN contradicted INTEGER NOT NULL DEFAULT 0;
UPDATE ${orders} SET accepted_at = updated_at WHERE state = 'accepted';
UPDATE ${orders} SET settled_at = updated_at, refunded = state = 'failed' WHERE state IN ('delivered', 'failed');
CREATE INDEX ${index('recipient')} ON ${orders} (json_extract(params, '$.recipient'), created_at DESC, id DESC);
CREATE INDEX ${index('settled')} ON ${orders} (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX ${index('run')} ON ${orders} (run, state, due_at) WHERE run IS NOT NULL;
CREATE INDEX ${index('contradicted')} ON ${orders} (id) WHERE contradicted = 1;`,
  // A line of history is written with the row that it is about. The line `place` is the row itself.
  `ALTER TABLE ${orders} ADD COLUMN history TEXT;
UPDATE ${orders} AS this SET history = (
  SELECT group_concat(json_object('at', at, 'event', event, 'from_state', from_state, 'to_state', to_state, 'attempt', attempt, 'detail', json(detail)), ',')
  FROM (SELECT * FROM ${history} WHERE order_id = this.id AND event <> 'place' ORDER BY seq)
);
DROP TABLE ${history};`,
];

/** Creates the tables, or brings them up to date, in one transaction. Tables that are current are not written to: the file may be read-only. */
export function createSqliteTables(database: SqliteOrderDatabase, tables: OrderTables): void {
  if (isCurrent(database, tables)) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(`CREATE TABLE IF NOT EXISTS ${tables.version} (version INTEGER NOT NULL)`);
    const row = database.prepare(`SELECT max(version) AS version FROM ${tables.version}`).get();
    const version = Number(Reflect.get(Object(row), 'version') ?? 0);
    for (const [at, statements] of sqliteMigrations(tables).entries()) {
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

function isCurrent(database: SqliteOrderDatabase, tables: OrderTables): boolean {
  try {
    const row = database.prepare(`SELECT max(version) AS version FROM ${tables.version}`).get();
    return Number(Reflect.get(Object(row), 'version')) >= sqliteMigrations(tables).length;
  } catch {
    return false;
  }
}
