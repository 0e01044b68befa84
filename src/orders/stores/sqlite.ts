import * as z from 'zod/mini';
import { callSafely } from '../../utils/call-safely.js';
import { TransactionEndedError } from '../../utils/transaction-ended-error.js';
import { fn, sqlName } from '../../validation/option-kinds.js';
import { assertOption } from '../../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import type { OrderStore } from '../store.js';
import { type Dialect, insertion, jsonText, statement } from './dialect.js';
import { oneAtATime } from './one-at-a-time.js';
import { orderOf, type Row } from './rows.js';
import { sqlOrderStore } from './sql-store.js';
import {
  createSqliteTables,
  type SqliteOrderDatabase,
  type SqliteStatement,
  type SqliteValue,
} from './sqlite-schema.js';
import { orderTables } from './tables.js';

/** Options for `sqliteOrderStore`. */
export interface SqliteOrderStoreOptions {
  /** The table of orders; the others are named after it. Default `billpay_orders`. */
  readonly table?: string | undefined;
  /** The clock, in ms since the epoch. Default `Date.now`: the database and the process are on one machine. */
  readonly now?: (() => number) | undefined;
}

/** The longest statement that is prepared once for all calls, in characters. */
const longestKept = 2000;

const optionsSchema = optionsOf({
  table: z._default(sqlName(), 'billpay_orders'),
  now: z.optional(fn<() => number>(' that returns the current time in ms')),
} satisfies OptionShape<SqliteOrderStoreOptions>);

/**
 * Orders in one SQLite file, for one process: no server is needed. The tables are created, or brought up to date, when the store is made.
 *
 * Transactions share the one connection. Hooks should write through the `client` that they get, and without waiting for anything else:
 * statements that other code runs on the same connection meanwhile become part of the transaction.
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
  createSqliteTables(database, tables);

  const statements = new Map<string, SqliteStatement>();
  const prepared = (sql: string): SqliteStatement => {
    const known = statements.get(sql) ?? database.prepare(sql);
    // Those of many orders are as many as there are numbers of orders.
    if (sql.length < longestKept) statements.set(sql, known);
    return known;
  };
  // The two libraries type their rows as unknown values; the columns are those of the schema.
  const all = async (sql: string, values: readonly SqliteValue[]) => {
    try {
      return prepared(sql).all(...values) as Row[];
    } catch (error) {
      // Not every library can run a statement again that failed.
      statements.delete(sql);
      throw error;
    }
  };
  const dialect: Dialect = {
    mark: () => '?',
    now: (value) => value(now()),
    scanNow: (value) => value(now()),
    later: (ms, value) => value(now() + ms),
    time: (at) => at.getTime(),
    flag: Number,
    yes: '1',
    text: (given) => given,
    key: (given) => given,
    json: jsonText,
    recipient: "json_extract(params, '$.recipient')",
    asText: (column) => column,
    isAfter: (createdAt, id) => `(created_at, id) < (${createdAt()}, ${id()})`,
    always: [],
    placedAt: (value) => value(now()),
    hasRecipient: false,
    orIgnore: () => 'ON CONFLICT DO NOTHING',
    append: (line, value) =>
      `coalesce(history || ',', '') || ${value(JSON.stringify({ at: now(), ...line }))}`,
    lines: "'[' || history || ']'",
    latest: '',
  };

  // The connection can hold one transaction at a time.
  const inTurn = oneAtATime();
  const inTransaction = <T>(work: () => Promise<T> | T, ofCaller = false): Promise<T> =>
    inTurn(async () => {
      // The savepoint shows whether a hook ended the transaction by itself.
      database.exec('BEGIN IMMEDIATE; SAVEPOINT billpay');
      let isDone = false;
      try {
        const result = await work();
        isDone = true;
        leave('RELEASE billpay');
        database.exec('COMMIT');
        return result;
      } catch (error) {
        if (ofCaller && !isDone) leave('ROLLBACK TO billpay', error);
        throw error;
      } finally {
        // Changes nothing after a COMMIT.
        callSafely(() => database.exec('ROLLBACK'));
      }
    });
  const leave = (statement: string, thrown?: unknown): void => {
    try {
      database.exec(statement);
    } catch (error) {
      throw new TransactionEndedError(thrown ?? error);
    }
  };
  const rows = (sql: string, values: readonly SqliteValue[], client?: Database) =>
    client ? all(sql, values) : inTurn(() => all(sql, values));

  return sqlOrderStore<Database, never>({
    tables,
    dialect,
    columns: '*',
    toOrder: (row) => orderOf(row, now()),
    rows,
    run: (sql, values) => inTurn(() => prepared(sql).run(...values)),
    transaction: (work) => inTransaction(() => work(database), true),
    within: (client, work) => (client ? work(client) : inTransaction(() => work(database))),
    update: async (sql, values, _, client) => (await rows(`${sql} RETURNING *`, values, client))[0],
    insert(given, client) {
      const { values, value } = statement(dialect);
      const sql = insertion(tables.orders, given, dialect, value);
      return rows(`${sql} ON CONFLICT (id) DO NOTHING RETURNING id, created_at, params`, values, client);
    },
    // The connection has one transaction at a time, and the file one that writes.
    takeTurn: async () => {},
    isDuplicate: (error) => String(error).includes('UNIQUE constraint failed'),
  });
}
