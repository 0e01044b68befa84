import * as z from 'zod/mini';
import { contentOf } from '../../contract/purchase-item.js';
import { callSafely } from '../../utils/call-safely.js';
import { TransactionEndedError } from '../../utils/transaction-ended-error.js';
import { fn, sqlName } from '../../validation/option-kinds.js';
import { assertOption } from '../../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import type { NewOrder } from '../order.js';
import type { OrderState } from '../states.js';
import { DuplicateReferenceError, type OrderStore, type PlacedOrder } from '../store.js';
import { oneAtATime } from './one-at-a-time.js';
import { entryOf, orderOf, type Row } from './rows.js';
import { assignments, conditions, json } from './sqlite-rows.js';
import {
  createSqliteTables,
  type SqliteOrderDatabase,
  type SqliteStatement,
  type SqliteValue,
} from './sqlite-schema.js';
import { startOfDay } from './start-of-day.js';
import { statsOf } from './stats.js';
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
  const number = (sql: string, ...values: SqliteValue[]) => Number(get(sql, ...values)?.['value'] ?? 0);
  const order = (row: Row | undefined) => row && orderOf(row, now());

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
      json(detail),
      id,
    );

  const placedBefore = ({ id, product, params, customer }: NewOrder, withinMs: number) => {
    const { recipient } = params;
    const { where, values } = conditions({ recipient, since: new Date(now() - withinMs) });
    return all(
      `SELECT * FROM ${orders}${where} AND state NOT IN ('refused', 'failed') ORDER BY created_at`,
      ...values,
    )
      .map((row) => orderOf(row, now()))
      .filter((other) => other.id !== id && contentOf(other) === contentOf({ product, params }))
      .find((other) => customer === undefined || other.customer === customer);
  };

  const insertOne = (given: NewOrder, duplicateWithinMs?: number): PlacedOrder => {
    const { id, product, params, customer = null, run: runId = null, expireAfterMs } = given;
    const before = order(get(`SELECT * FROM ${orders} WHERE id = ?`, id));
    if (before) return { order: before, inserted: false };
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
    find: (id, client) => read(client, () => order(get(`SELECT * FROM ${orders} WHERE id = ?`, id))),
    findByReference: (reference, client) =>
      read(client, () => order(get(`SELECT * FROM ${orders} WHERE reference = ?`, reference))),
    update: (guard, change, noted, client) =>
      write(client, () => {
        const { set, values } = assignments(change, now());
        const { reference } = change;
        if (reference !== undefined) {
          const owner = get(`SELECT id FROM ${orders} WHERE reference = ?`, reference);
          if (owner && owner['id'] !== guard.id) throw new DuplicateReferenceError(reference);
        }
        const due = guard.due ? ' AND due_at <= ?' : '';
        const row = get(
          `UPDATE ${orders} SET ${set.join(', ')} WHERE id = ? AND state = ? AND attempt = ?${due} RETURNING *`,
          ...values,
          guard.id,
          guard.state,
          guard.attempt,
          ...(guard.due ? [now()] : []),
        );
        if (row && noted) note(guard.id, noted.event, guard.state, noted.detail);
        return order(row);
      }),
    due: (limit, ofRun) =>
      read(undefined, () =>
        all(
          `SELECT id, state FROM ${orders} WHERE due_at <= ? AND (? IS NULL OR run = ?)
ORDER BY CASE WHEN state IN ('unknown', 'buying') THEN 1 WHEN state = 'accepted' THEN 3 ELSE 2 END, due_at LIMIT ?`,
          now(),
          ofRun ?? null,
          ofRun ?? null,
          limit,
        ).map((row) => ({ id: String(row['id']), state: row['state'] as OrderState })),
      ),
    count: (state) =>
      read(undefined, () => number(`SELECT count(*) AS value FROM ${orders} WHERE state = ?`, state)),
    list: ({ limit, ...query }) =>
      read(undefined, () => {
        const { where, values } = conditions(query);
        const sql = `SELECT * FROM ${orders}${where} ORDER BY created_at DESC, id DESC LIMIT ?`;
        return all(sql, ...values, limit).map((row) => orderOf(row, now()));
      }),
    history: (id) =>
      read(undefined, () => all(`SELECT * FROM ${history} WHERE order_id = ? ORDER BY seq`, id).map(entryOf)),
    stats: ({ since, until, timeZone } = {}) =>
      read(undefined, () => {
        const from = since ?? (until ? undefined : new Date(startOfDay(now(), timeZone)));
        const { where, values } = conditions({ since: from ?? new Date(0), until });
        const states = all(
          `SELECT state, count(*) AS count, min(created_at) AS oldest FROM ${orders} GROUP BY state`,
        );
        const sums = get(
          `SELECT
  (SELECT count(*) FROM ${orders} WHERE awaiting_refund = 1) AS awaiting_refund,
  (SELECT count(*) FROM ${orders} WHERE contradicted = 1) AS contradicted,
  (SELECT sum(amount) FROM ${orders}${where} AND state NOT IN ('failed', 'refused')) AS spent,
  (SELECT count(*) FROM ${events}) AS kept_events`,
          ...values,
        );
        return statsOf(states, sums ?? {});
      }),
    keepEvent: ({ reference, event }) =>
      write(undefined, () =>
        run(
          `INSERT INTO ${events} (reference, event, received_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
          reference,
          event,
          now(),
        ),
      ),
    keptEvent: (reference) =>
      read(undefined, () => {
        const row = get(`SELECT event FROM ${events} WHERE reference = ?`, reference);
        return row && { reference, event: String(row['event']) };
      }),
    dropEvent: (reference) =>
      write(undefined, () => run(`DELETE FROM ${events} WHERE reference = ?`, reference)),
    settleableEvents: (limit, reference) =>
      read(undefined, () =>
        all(
          `SELECT kept.reference, owner.id AS order_id
FROM ${events} AS kept LEFT JOIN ${orders} AS owner ON owner.reference = kept.reference
WHERE (? IS NULL OR kept.reference = ?) AND (owner.id IS NOT NULL OR NOT EXISTS (
  SELECT 1 FROM ${orders} AS claimant
  WHERE claimant.reference IS NULL AND claimant.state IN ('buying', 'unknown', 'review')
    AND (claimant.state <> 'review' OR claimant.doubted_at IS NOT NULL)
    AND claimant.created_at <= kept.received_at
)) ORDER BY kept.received_at LIMIT ?`,
          reference ?? null,
          reference ?? null,
          limit,
        ).map((row) => ({
          reference: String(row['reference']),
          orderId: row['order_id'] === null ? undefined : String(row['order_id']),
        })),
      ),
  };
}
