import { callSafely } from '../../utils/call-safely.js';
import { assertOption, refuseUnknownOptions } from '../../validation/options.js';
import type { OrderHistoryEntry, StoredOrder } from '../order.js';
import { isFinal, noOrders, type OrderState } from '../states.js';
import { DuplicateReferenceError, type OrderChange, type OrderStore } from '../store.js';
import { oneAtATime } from './one-at-a-time.js';
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

type Row = Record<string, string | number | null>;

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
  refuseUnknownOptions(options, ['table', 'now'], 'sqliteOrderStore');
  assertOption(
    typeof database?.prepare === 'function' && typeof database.exec === 'function',
    'database',
    "must be a database of better-sqlite3 or node:sqlite, such as new DatabaseSync('shop.db')",
  );
  const { now = Date.now } = options;
  const tables = orderTables(undefined, options.table ?? 'billpay_orders');
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
  const order = (row: Row | undefined) => row && orderOf(row, now());

  // The connection can hold one transaction at a time.
  const inTurn = oneAtATime();
  const transaction = <T>(work: () => Promise<T> | T): Promise<T> =>
    inTurn(async () => {
      // The savepoint shows whether a hook ended the transaction by itself.
      database.exec('BEGIN IMMEDIATE; SAVEPOINT billpay');
      try {
        const result = await work();
        database.exec('RELEASE billpay');
        database.exec('COMMIT');
        return result;
      } catch (error) {
        callSafely(() => database.exec('ROLLBACK'));
        throw error;
      }
    });
  /** Within the caller's transaction, or in one of its own. */
  const write = <T>(client: Database | undefined, work: () => T): Promise<T> =>
    client ? new Promise((resolve) => resolve(work())) : transaction(work);
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

  return {
    transaction: (work) => transaction(() => work(database)),
    insert: (input, client) =>
      write(client, () => {
        const { id, product, params } = input;
        const before = order(get(`SELECT * FROM ${orders} WHERE id = ?`, id));
        if (before) return { order: before, inserted: false };
        const at = now();
        run(
          `INSERT INTO ${orders} (id, product, params, state, created_at, updated_at, due_at) VALUES (?, ?, ?, 'placed', ?, ?, ?)`,
          id,
          product,
          JSON.stringify(params),
          at,
          at,
          at,
        );
        note(id, 'place', null, undefined);
        return { order: orderOf(get(`SELECT * FROM ${orders} WHERE id = ?`, id) ?? {}, at), inserted: true };
      }),
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
    due: (limit) =>
      read(undefined, () =>
        all(
          `SELECT id FROM ${orders} WHERE due_at <= ? ORDER BY state IN ('placed', 'held'), due_at LIMIT ?`,
          now(),
          limit,
        ).map((row) => String(row['id'])),
      ),
    list: ({ state, since, limit, after }) =>
      read(undefined, () => {
        const where = [
          ...(state === undefined ? [] : ['state = ?']),
          ...(since === undefined ? [] : ['created_at >= ?']),
          ...(after === undefined ? [] : ['(created_at, id) < (?, ?)']),
        ];
        const values = [
          ...(state === undefined ? [] : [state]),
          ...(since === undefined ? [] : [since.getTime()]),
          ...(after === undefined ? [] : [after.createdAt.getTime(), after.id]),
          limit,
        ];
        const filter = where.length > 0 ? ` WHERE ${where.join(' AND ')}` : '';
        const sql = `SELECT * FROM ${orders}${filter} ORDER BY created_at DESC, id DESC LIMIT ?`;
        return all(sql, ...values).map((row) => orderOf(row, now()));
      }),
    history: (id) =>
      read(undefined, () => all(`SELECT * FROM ${history} WHERE order_id = ? ORDER BY seq`, id).map(entryOf)),
    stats: () =>
      read(undefined, () => {
        const count = noOrders();
        const oldest: Partial<Record<OrderState, Date>> = {};
        for (const row of all(
          `SELECT state, count(*) AS count, min(created_at) AS oldest FROM ${orders} GROUP BY state`,
        )) {
          const state = row['state'] as OrderState;
          count[state] = Number(row['count']);
          if (!isFinal(state)) oldest[state] = new Date(Number(row['oldest']));
        }
        const number = (sql: string, ...values: SqliteValue[]) => Number(get(sql, ...values)?.['value'] ?? 0);
        return {
          count,
          oldest,
          awaitingRefund: number(`SELECT count(*) AS value FROM ${orders} WHERE awaiting_refund = 1`),
          spentToday: number(
            `SELECT coalesce(sum(amount), 0) AS value FROM ${orders} WHERE created_at >= ? AND state <> 'failed'`,
            new Date(now()).setUTCHours(0, 0, 0, 0),
          ),
          keptEvents: number(`SELECT count(*) AS value FROM ${events}`),
        };
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

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** The SET list of an update, with its values. */
function assignments(change: OrderChange, at: number): { set: string[]; values: SqliteValue[] } {
  const columns: [string, SqliteValue | undefined][] = [
    ['updated_at', at],
    ['state', change.state],
    ['attempt', change.attempt],
    ['reference', change.reference],
    ['amount', change.amount],
    ['awaiting_refund', change.awaitingRefund === undefined ? undefined : Number(change.awaitingRefund)],
    ['token', change.token],
    ['tries', change.tries],
    ['last_error', 'lastError' in change ? json(change.lastError) : undefined],
    ['due_at', 'dueInMs' in change ? dueAt(change.dueInMs, at) : undefined],
  ];
  const given = columns.filter((column): column is [string, SqliteValue] => column[1] !== undefined);
  const set = given.map(([column]) => `${column} = ?`);
  const values = given.map(([, value]) => value);
  if (!change.doubted) return { set, values };
  return { set: [...set, 'doubted_at = coalesce(doubted_at, ?)'], values: [...values, at] };
}

const dueAt = (dueInMs: number | undefined, at: number) => (dueInMs === undefined ? null : at + dueInMs);

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const parsed = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : undefined);

/** A row as an order. The columns are those of the schema, written by this store alone. */
function orderOf(row: Row, at: number): StoredOrder {
  const doubtedAt = row['doubted_at'];
  const due = row['due_at'];
  return {
    id: String(row['id']),
    product: row['product'] as StoredOrder['product'],
    params: parsed(row['params']),
    state: row['state'] as OrderState,
    attempt: Number(row['attempt']),
    doubted: doubtedAt !== null,
    doubtedForMs: doubtedAt === null ? 0 : at - Number(doubtedAt),
    reference: text(row['reference']),
    amount: row['amount'] === null ? undefined : Number(row['amount']),
    awaitingRefund: row['awaiting_refund'] === 1,
    token: text(row['token']),
    lastError: parsed(row['last_error']),
    tries: Number(row['tries']),
    createdAt: new Date(Number(row['created_at'])),
    updatedAt: new Date(Number(row['updated_at'])),
    dueAt: due === null ? undefined : new Date(Number(due)),
  };
}

const entryOf = (row: Row): OrderHistoryEntry => ({
  at: new Date(Number(row['at'])),
  event: row['event'] as OrderHistoryEntry['event'],
  from: (text(row['from_state']) as OrderState | undefined) ?? undefined,
  to: row['to_state'] as OrderState,
  attempt: Number(row['attempt']),
  detail: parsed(row['detail']),
});
