import { callSafely } from '../../utils/functions.js';
import { TransactionEndedError } from '../../utils/transactions.js';
import { readProperty } from '../../utils/unknown.js';
import { wait } from '../../utils/wait.js';
import {
  assertOption,
  fn,
  type OptionShape,
  optional,
  optionsOf,
  parseOptions,
  sqlName,
  withDefault,
} from '../../validation/options.js';
import type { OrderStore } from '../store.js';
import { oneAtATime } from './one-at-a-time.js';
import { ddlOf, orderTables, type SqlRow } from './schema.js';
import { type Dialect, keyBytes, type SqlValue, standardSql } from './sql.js';
import { sqlOrderStore } from './sql-store.js';

/** What is used of a prepared statement. */
export interface SqliteStatement {
  /** The first row. */
  get(...values: SqlValue[]): unknown;
  /** Every row. */
  all(...values: SqlValue[]): unknown[];
  /** Runs a statement that returns no rows. */
  run(...values: SqlValue[]): unknown;
}

/** What is used of a database: `better-sqlite3` and the `DatabaseSync` of node:sqlite have it. */
export interface SqliteOrderDatabase {
  /** Prepares one statement. */
  prepare(sql: string): SqliteStatement;
  /** Runs statements that return no rows. */
  exec(sql: string): unknown;
}

/** Options for `sqliteOrderStore`. */
export interface SqliteOrderStoreOptions {
  /** The table of orders; the one of their locks is named after it. Default `billpay_orders`. */
  readonly table?: string | undefined;
  /** The clock, in ms since the epoch. Default `Date.now`: the database and the process are on one machine. */
  readonly now?: (() => number) | undefined;
}

const optionsSchema = optionsOf({
  table: withDefault(sqlName(), 'billpay_orders'),
  now: optional(fn<() => number>(' that returns the current time in ms')),
} satisfies OptionShape<SqliteOrderStoreOptions>);

/** The longest statement that is prepared once for all calls, in characters. Those of many orders are as many as there are numbers of orders. */
const longestKept = 2000;

/** How long a call waits for a transaction of the shop's own to end, and how often it looks, in ms. */
const patienceMs = 30_000;
const lookMs = 10;

/**
 * Orders in one SQLite file, for one process: no server is needed. The tables are created when the store is made.
 *
 * Transactions share the one connection. While one of your own is open there, the calls to which you give the `client` take part in it, and all others
 * wait for its end. Hooks should write through the `client` that they get, and without waiting for anything else: statements that other code
 * runs on the same connection meanwhile become part of the transaction.
 *
 * @param database - of `better-sqlite3` or node:sqlite. Turn on WAL: `PRAGMA journal_mode = WAL`.
 * @throws `ConfigurationError` for a name that cannot be used.
 * @example
 * ```ts
 * import { DatabaseSync } from 'node:sqlite';
 *
 * const store = sqliteOrderStore(new DatabaseSync('shop.db'));
 * ```
 */
export function sqliteOrderStore<Database extends SqliteOrderDatabase>(
  database: Database,
  options: SqliteOrderStoreOptions = {},
): OrderStore<Database> {
  const { table, now = Date.now } = parseOptions(optionsSchema, options, { owner: 'sqliteOrderStore' });
  assertOption(
    typeof database?.prepare === 'function' && typeof database.exec === 'function',
    'database',
    "must be a database of better-sqlite3 or node:sqlite, such as new DatabaseSync('shop.db')",
  );
  const tables = orderTables(undefined, table);
  const dialect: Dialect = {
    ...standardSql,
    now: (value) => value(Math.floor(now())),
    keyType: `VARCHAR(${keyBytes})`,
  };
  createTables(database, tables.orders, ddlOf(tables, dialect));

  const statements = new Map<string, SqliteStatement>();
  const run = (sql: string, values: readonly SqlValue[]): SqlRow[] => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    if (sql.length < longestKept) statements.set(sql, statement);
    try {
      // The two libraries type their rows as unknown values; the columns are those of the schema.
      if (/^SELECT| RETURNING /.test(sql)) return statement.all(...values) as SqlRow[];
      statement.run(...values);
      return [];
    } catch (error) {
      // Not every library can run a statement again that failed.
      statements.delete(sql);
      throw error;
    }
  };

  // The connection can hold one transaction at a time.
  const inTurn = oneAtATime();
  const transaction = <T>(work: () => Promise<T> | T, isRead = false): Promise<T> =>
    inTurn(async () => {
      await begin(database, isRead ? 'BEGIN' : 'BEGIN IMMEDIATE');
      let isOver = false;
      try {
        const result = await work();
        isOver = true;
        // The savepoint shows whether the transaction that began is still there.
        if (!releases(database)) throw new TransactionEndedError(undefined, { mayHaveCommitted: true });
        database.exec('COMMIT');
        return result;
      } catch (error) {
        if (isOver || releases(database)) throw error;
        // SQLite ends a transaction by itself where the disk is full. What a hook wrote after that was committed statement by statement.
        throw isEnding(error) ? error : new TransactionEndedError(error, { mayHaveCommitted: true });
      } finally {
        // Changes nothing after a COMMIT.
        callSafely(() => database.exec('ROLLBACK'));
      }
    });

  return sqlOrderStore<Database>({
    tables,
    dialect,
    rows: async (sql, values, client) =>
      client ? run(sql, values) : transaction(() => run(sql, values), sql.startsWith('SELECT')),
    transaction: (work) => transaction(() => work(database)),
    alone: (work) => transaction(() => work(database)),
    isDuplicate: (error) => String(error).includes('UNIQUE constraint failed'),
  });
}

/** Begins a transaction once none of the shop's own is open on the connection. */
async function begin(database: SqliteOrderDatabase, statement: string): Promise<void> {
  for (let waited = 0; ; waited += lookMs) {
    try {
      database.exec(`${statement}; SAVEPOINT billpay`);
      return;
    } catch (error) {
      if (!String(error).includes('within a transaction')) throw error;
      if (waited >= patienceMs) throw new ShopTransactionError();
    }
    await wait(lookMs, undefined);
  }
}

/** Releases the savepoint of a transaction. False where it is gone, and the transaction with it. */
function releases(database: SqliteOrderDatabase): boolean {
  try {
    database.exec('RELEASE billpay');
    return true;
  } catch {
    return false;
  }
}

/** Whether SQLite may have ended the transaction with this error: the disk is full or failed, or there is no memory. */
const isEnding = (error: unknown): boolean =>
  /disk is full|disk I\/O error|out of memory/.test(String(readProperty(error, 'message')));

class ShopTransactionError extends Error {
  constructor() {
    super(
      'This call waited 30 s for a transaction on the same connection that orders did not begin, and changed nothing. To place an order in your own transaction, give the call your database as its client.',
    );
  }
}

/** Creates the tables in one transaction unless they exist. Then the file is not written to: it may be read-only. */
function createTables(database: SqliteOrderDatabase, orders: string, ddl: readonly string[]): void {
  const exist = (): boolean => {
    try {
      database.prepare(`SELECT 1 FROM ${orders}`);
      return true;
    } catch {
      return false;
    }
  };
  if (exist()) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    if (!exist()) for (const statement of ddl) database.exec(statement);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
