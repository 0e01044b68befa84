import { contentOf } from '../../contract/purchase-item.js';
import type { NewOrder, StoredOrder } from '../order.js';
import { DuplicateReferenceError, type OrderStore, type PlacedOrder } from '../store.js';
import { assignments, conditions, type Dialect, type SqlValue, statement } from './dialect.js';
import { freshOrder } from './fresh-order.js';
import { dateOf, entryOf, parsed, type Row } from './rows.js';
import { startOfDay } from './start-of-day.js';
import { statsOf } from './stats.js';
import type { OrderTables } from './tables.js';

/** A database that holds the tables of orders: what differs from one to another beside the words of its statements. */
export interface SqlDatabase<Client, Extra> {
  readonly tables: OrderTables;
  readonly dialect: Dialect<Extra>;
  /** What is selected of an order, which the statement calls `this`. */
  readonly columns: string;
  /** A row of these columns as an order. */
  toOrder(row: Row): StoredOrder;
  /** The rows of a query. */
  rows(sql: string, values: readonly SqlValue<Extra>[], client?: Client): Promise<readonly Row[]>;
  /** Runs a statement that returns no rows. */
  run(sql: string, values: readonly SqlValue<Extra>[]): Promise<unknown>;
  readonly transaction: OrderStore<Client>['transaction'];
  /** Runs work in the transaction of the caller's, or in one of its own. */
  within<T>(client: Client | undefined, work: (client: Client) => Promise<T>): Promise<T>;
  /** Runs the update of one order. The row of the order then; undefined where nothing was changed. */
  update(
    sql: string,
    values: readonly SqlValue<Extra>[],
    id: string,
    client?: Client,
  ): Promise<Row | undefined>;
  /** Inserts the orders that are not there yet. Of each that it stored: `id`, `created_at` and `params`. */
  insert(given: readonly NewOrder[], client?: Client): Promise<readonly Row[]>;
  /** Waits for those who place an order for the same recipient, until their transactions have ended. */
  takeTurn(recipient: string, client: Client): Promise<unknown>;
  /** Whether an error says that a unique index has the value already. */
  isDuplicate(error: unknown): boolean;
}

/** The most orders of one statement: databases limit its values. */
const insertBatch = 1000;

/** A store of orders in an SQL database. */
export function sqlOrderStore<Client, Extra>(database: SqlDatabase<Client, Extra>): OrderStore<Client> {
  const { tables, dialect, toOrder, within } = database;
  const { orders, events } = tables;
  const select = `SELECT ${database.columns} FROM ${orders} AS this`;

  const one = async (column: string, key: string, client?: Client, end = '') => {
    const { values, value } = statement(dialect);
    const [row] = await database.rows(`${select} WHERE ${column} = ${value(key)}${end}`, values, client);
    return row && toOrder(row);
  };

  async function insertAll(given: readonly NewOrder[], client?: Client): Promise<PlacedOrder[]> {
    if (given.length === 0) return [];
    const own = new Map((await database.insert(given, client)).map((row) => [String(row['id']), row]));
    const { values, value } = statement(dialect);
    const others = given.filter(({ id }) => !own.has(id)).map(({ id }) => value(id));
    const where = ` WHERE id IN (${others.join(', ')})${dialect.latest}`;
    const before = others.length === 0 ? [] : await database.rows(select + where, values, client);
    const known = new Map(before.map(toOrder).map((order) => [order.id, order]));
    return given.map((order) => {
      const row = own.get(order.id);
      if (row) {
        // The parameters as they are stored: a caller may compare them later.
        const placed = freshOrder({ ...order, params: parsed(row['params']) }, dateOf(row['created_at']));
        known.set(order.id, placed);
      }
      const found = known.get(order.id);
      if (!found) throw new Error(`the order ${order.id} was deleted while it was placed`);
      // Of two orders of one id in this list, the first one was inserted.
      return { order: found, inserted: own.delete(order.id) };
    });
  }

  async function insertOne(order: NewOrder, client?: Client): Promise<PlacedOrder> {
    const [placed] = await insertAll([order], client);
    if (!placed) throw new Error(`the order ${order.id} was not stored`);
    return placed;
  }

  const insertUnlessPlacedBefore = (order: NewOrder, withinMs: number, client?: Client) =>
    within(client, async (inside): Promise<PlacedOrder> => {
      const { id, product, params, customer } = order;
      await database.takeTurn(params.recipient, inside);
      const own = await one('id', id, inside, dialect.latest);
      if (own) return { order: own, inserted: false };
      const { values, value } = statement(dialect);
      const where = [
        `${dialect.recipient} = ${value(params.recipient)}`,
        `created_at >= ${dialect.later(-withinMs, value)}`,
        `product = ${value(product)}`,
        "state NOT IN ('refused', 'failed')",
      ];
      if (customer !== undefined) where.push(`customer = ${value(customer)}`);
      const sql = `${select} WHERE ${where.join(' AND ')} ORDER BY created_at${dialect.latest}`;
      const before = (await database.rows(sql, values, inside)).map(toOrder);
      const repeated = before.find((other) => contentOf(other) === contentOf(order));
      return repeated ? { order: repeated, inserted: false, duplicate: true } : insertOne(order, inside);
    });

  async function startOfToday(timeZone: string | undefined): Promise<Date> {
    const { values, value } = statement(dialect);
    const [row] = await database.rows(`SELECT ${dialect.now(value)} AS now_at`, values);
    return new Date(startOfDay(dateOf(row?.['now_at']).getTime(), timeZone));
  }

  return {
    transaction: database.transaction,
    insert: (order, { client, duplicateWithinMs } = {}) =>
      duplicateWithinMs === undefined
        ? insertOne(order, client)
        : insertUnlessPlacedBefore(order, duplicateWithinMs, client),
    insertMany: (given, client) =>
      given.length <= insertBatch
        ? insertAll(given, client)
        : within(client, async (inside) => {
            const placed: PlacedOrder[] = [];
            for (let at = 0; at < given.length; at += insertBatch) {
              placed.push(...(await insertAll(given.slice(at, at + insertBatch), inside)));
            }
            return placed;
          }),
    find: (id, client) => one('id', id, client),
    findByReference: (reference, client) => one('reference', dialect.text(reference), client),
    async update(guard, change, note, client) {
      const { id, state, attempt, due } = guard;
      const { values, value } = statement(dialect);
      const set = assignments(guard, change, note, dialect, value);
      const where = [`id = ${value(id)}`, `state = ${value(state)}`, `attempt = ${value(attempt)}`];
      if (due) where.push(`due_at <= ${dialect.now(value)}`);
      try {
        const sql = `UPDATE ${orders} AS this SET ${set} WHERE ${where.join(' AND ')}`;
        const row = await database.update(sql, values, id, client);
        return row && toOrder(row);
      } catch (error) {
        throw change.reference !== undefined && database.isDuplicate(error)
          ? new DuplicateReferenceError(change.reference)
          : error;
      }
    },
    async history(id) {
      const { values, value } = statement(dialect);
      const sql = `SELECT created_at, ${dialect.lines} AS history FROM ${orders} WHERE id = ${value(id)}`;
      const [row] = await database.rows(sql, values);
      if (!row) return [];
      // The first line is the row itself.
      const placed = { at: row['created_at'], event: 'place', to_state: 'placed', attempt: 0 };
      const lines: readonly Row[] = parsed(row['history']) ?? [];
      return [placed, ...lines].map(entryOf);
    },
    async due(limit, { states, run, expired } = {}) {
      const { values, value } = statement(dialect);
      const where = [`due_at <= ${dialect.scanNow(value)}`];
      if (states !== undefined) where.push(`state IN (${states.map(value).join(', ')})`);
      if (run !== undefined) where.push(`run = ${value(run)}`);
      if (expired) where.push(`expires_at <= ${dialect.scanNow(value)}`);
      const rows = await database.rows(
        `SELECT ${dialect.asText('id')} AS id, state FROM ${orders} WHERE ${where.join(' AND ')}
ORDER BY CASE WHEN state IN ('unknown', 'buying') THEN 1 WHEN state = 'accepted' THEN 3 ELSE 2 END, due_at LIMIT ${Math.trunc(limit)}`,
        values,
      );
      return rows.map((row) => ({ id: String(row['id']), state: row['state'] as StoredOrder['state'] }));
    },
    async count(state) {
      const { values, value } = statement(dialect);
      const sql = `SELECT count(*) AS count FROM ${orders} WHERE state = ${value(state)}`;
      const [row] = await database.rows(sql, values);
      return Number(row?.['count']);
    },
    async list({ limit, ...query }) {
      const { values, value } = statement(dialect);
      const where = conditions(query, dialect, value);
      const sql = `${select}${where} ORDER BY this.created_at DESC, this.id DESC LIMIT ${Math.trunc(limit)}`;
      return (await database.rows(sql, values)).map(toOrder);
    },
    async stats({ since, until, timeZone } = {}) {
      const from = since ?? (until ? new Date(0) : await startOfToday(timeZone));
      const states = await database.rows(
        `SELECT state, count(*) AS count, min(created_at) AS oldest FROM ${orders} GROUP BY state`,
        [],
      );
      const { values, value } = statement(dialect);
      const placed = conditions({ since: from, until }, dialect, value);
      const [sums = {}] = await database.rows(
        `SELECT
  (SELECT count(*) FROM ${orders} WHERE awaiting_refund = ${dialect.yes}) AS awaiting_refund,
  (SELECT count(*) FROM ${orders} WHERE contradicted = ${dialect.yes}) AS contradicted,
  (SELECT sum(amount) FROM ${orders}${placed} AND state NOT IN ('failed', 'refused')) AS spent,
  (SELECT count(*) FROM ${events}) AS kept_events`,
        values,
      );
      return statsOf(states, sums);
    },
    async keepEvent({ reference, event }) {
      const { values, value } = statement(dialect);
      const row = `${value(dialect.key(reference))}, ${value(dialect.json(JSON.parse(event)))}, ${dialect.now(value)}`;
      const sql = `INSERT INTO ${events} (reference, event, received_at) VALUES (${row})`;
      await database.run(`${sql} ${dialect.orIgnore('reference')}`, values);
    },
    async keptEvent(reference) {
      const { values, value } = statement(dialect);
      const sql = `SELECT event FROM ${events} WHERE reference = ${value(dialect.text(reference))}`;
      const [row] = await database.rows(sql, values);
      const event = row?.['event'];
      return row && { reference, event: typeof event === 'string' ? event : JSON.stringify(event) };
    },
    async dropEvent(reference) {
      const { values, value } = statement(dialect);
      await database.run(`DELETE FROM ${events} WHERE reference = ${value(dialect.text(reference))}`, values);
    },
    async settleableEvents(limit, reference) {
      const { values, value } = statement(dialect);
      const which = reference === undefined ? '' : `kept.reference = ${value(dialect.text(reference))} AND `;
      const rows = await database.rows(
        `SELECT ${dialect.asText('kept.reference')} AS reference, ${dialect.asText('owner.id')} AS order_id
FROM ${events} AS kept LEFT JOIN ${orders} AS owner ON owner.reference = kept.reference
WHERE ${which}(owner.id IS NOT NULL OR NOT EXISTS (
  SELECT 1 FROM ${orders} AS claimant
  WHERE claimant.reference IS NULL AND claimant.state IN ('buying', 'unknown', 'review')
    AND (claimant.state <> 'review' OR claimant.doubted_at IS NOT NULL)
    AND claimant.created_at <= kept.received_at
)) ORDER BY owner.id IS NULL, kept.received_at LIMIT ${Math.trunc(limit)}`,
        values,
      );
      return rows.map((row) => ({
        reference: String(row['reference']),
        orderId: row['order_id'] === null ? undefined : String(row['order_id']),
      }));
    },
  };
}
