import * as z from 'zod/mini';
import { contentOf } from '../../contract/purchase-item.js';
import { callSafely } from '../../utils/call-safely.js';
import { TransactionEndedError } from '../../utils/transaction-ended-error.js';
import { fn, sqlName } from '../../validation/option-kinds.js';
import { assertOption } from '../../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import type { NewOrder } from '../order.js';
import { DuplicateReferenceError, type OrderStore, type PlacedOrder } from '../store.js';
import { assignments, conditions, type Dialect, jsonText, statement } from './dialect.js';
import { oneAtATime } from './one-at-a-time.js';
import { entryOf, orderOf, type Row } from './rows.js';
import { sqlReads } from './sql-reads.js';
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
  const { orders, history, events } = tables;
  createSqliteTables(database, tables);

  const statements = new Map<string, SqliteStatement>();
  const prepared = (sql: string): SqliteStatement => {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  // The two libraries type their rows as unknown values; the columns are those of the schema above.
  const all = (sql: string, ...values: SqliteValue[]) => prepared(sql).all(...values) as Row[];
  const get = (sql: string, ...values: SqliteValue[]) => prepared(sql).get(...values) as Row | undefined;
  const run = (sql: string, ...values: SqliteValue[]) => void prepared(sql).run(...values);
  const toOrder = (row: Row) => orderOf(row, now());
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
  /** Within the caller's transaction, or in one of its own. */
  const write = <T>(client: Database | undefined, work: () => T): Promise<T> =>
    client ? new Promise((resolve) => resolve(work())) : inTransaction(work);
  const read = <T>(client: Database | undefined, work: () => T): Promise<T> =>
    client ? new Promise((resolve) => resolve(work())) : inTurn(work);

  const note = (id: string, event: string, from: string | null, detail: unknown) =>
    run(
      `INSERT INTO ${history} (order_id, at, event, from_state, to_state, attempt, detail)
SELECT id, ?, ?, ?, state, attempt, ? FROM ${orders} WHERE id = ?`,
      now(),
      event,
      from,
      jsonText(detail),
      id,
    );

  const placedBefore = ({ id, product, params, customer }: NewOrder, withinMs: number) => {
    const { recipient } = params;
    const { values, value } = statement(dialect);
    const where = conditions({ recipient, since: new Date(now() - withinMs) }, dialect, value);
    return all(
      `SELECT * FROM ${orders}${where} AND state NOT IN ('refused', 'failed') ORDER BY created_at`,
      ...values,
    )
      .map(toOrder)
      .filter((other) => other.id !== id && contentOf(other) === contentOf({ product, params }))
      .find((other) => customer === undefined || other.customer === customer);
  };

  const insertOne = (given: NewOrder, duplicateWithinMs?: number): PlacedOrder => {
    const { id, product, params, customer = null, run: runId = null, expireAfterMs } = given;
    const before = get(`SELECT * FROM ${orders} WHERE id = ?`, id);
    if (before) return { order: toOrder(before), inserted: false };
    const repeated = duplicateWithinMs === undefined ? undefined : placedBefore(given, duplicateWithinMs);
    if (repeated) return { order: repeated, inserted: false, duplicate: true };
    const at = now();
    const row = get(
      `INSERT INTO ${orders} (id, product, params, customer, run, state, created_at, updated_at, due_at, expires_at)
VALUES (?, ?, ?, ?, ?, 'placed', ?, ?, ?, ?) RETURNING *`,
      id,
      product,
      JSON.stringify(params),
      customer,
      runId,
      at,
      at,
      at,
      expireAfterMs === undefined ? null : at + expireAfterMs,
    );
    note(id, 'place', null, undefined);
    return { order: orderOf(row ?? {}, at), inserted: true };
  };

  return {
    transaction: (work) => inTransaction(() => work(database), true),
    insert: (order, { client, duplicateWithinMs } = {}) =>
      write(client, () => insertOne(order, duplicateWithinMs)),
    insertMany: (all, client) => write(client, () => all.map((order) => insertOne(order))),
    ...sqlReads<Database, never>({
      tables,
      dialect,
      select: `SELECT * FROM ${orders}`,
      toOrder,
      rows: (sql, values, client) => read(client, () => all(sql, ...values)),
    }),
    update: (guard, change, noted, client) =>
      write(client, () => {
        const { reference } = change;
        if (reference !== undefined) {
          const owner = get(`SELECT id FROM ${orders} WHERE reference = ?`, reference);
          if (owner && owner['id'] !== guard.id) throw new DuplicateReferenceError(reference);
        }
        const { values, value } = statement(dialect);
        const set = assignments(change, dialect, value);
        const { id, state, attempt, due } = guard;
        const row = get(
          `UPDATE ${orders} SET ${set} WHERE id = ${value(id)} AND state = ${value(state)} AND attempt = ${value(attempt)}${due ? ` AND due_at <= ${value(now())}` : ''} RETURNING *`,
          ...values,
        );
        if (row && noted) note(guard.id, noted.event, guard.state, noted.detail);
        return row && toOrder(row);
      }),
    history: (id) =>
      read(undefined, () => all(`SELECT * FROM ${history} WHERE order_id = ? ORDER BY seq`, id).map(entryOf)),
    keepEvent: ({ reference, event }) =>
      write(undefined, () =>
        run(
          `INSERT INTO ${events} (reference, event, received_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
          reference,
          event,
          now(),
        ),
      ),
    dropEvent: (reference) =>
      write(undefined, () => run(`DELETE FROM ${events} WHERE reference = ?`, reference)),
  };
}
