import type { StoredOrder } from '../order.js';
import type { OrderState } from '../states.js';
import type { OrderStore } from '../store.js';
import { conditions, type Dialect, type SqlValue, statement } from './dialect.js';
import { dateOf, type Row } from './rows.js';
import { startOfDay } from './start-of-day.js';
import { statsOf } from './stats.js';
import type { OrderTables } from './tables.js';

/** A database that holds the tables of orders. */
export interface SqlDatabase<Client, Extra> {
  readonly tables: OrderTables;
  readonly dialect: Dialect<Extra>;
  /** The statement that selects orders, up to its conditions. */
  readonly select: string;
  /** What that statement returns, as an order. */
  readonly toOrder: (row: Row) => StoredOrder;
  /** The rows of a query. */
  rows(sql: string, values: readonly SqlValue<Extra>[], client?: Client): Promise<readonly Row[]>;
}

/** The methods of a store that only read. */
type Reads<Client> = Pick<
  OrderStore<Client>,
  'find' | 'findByReference' | 'due' | 'count' | 'list' | 'stats' | 'keptEvent' | 'settleableEvents'
>;

/** What is read in the same way from every SQL database. */
export function sqlReads<Client, Extra>(database: SqlDatabase<Client, Extra>): Reads<Client> {
  const { tables, dialect, select, toOrder } = database;
  const { orders, events } = tables;

  const one = async (column: string, key: string, client?: Client) => {
    const { values, value } = statement(dialect);
    const [row] = await database.rows(`${select} WHERE ${column} = ${value(key)}`, values, client);
    return row && toOrder(row);
  };

  async function startOfToday(timeZone: string | undefined): Promise<Date> {
    const { values, value } = statement(dialect);
    const [row] = await database.rows(`SELECT ${dialect.now(value)} AS now_at`, values);
    return new Date(startOfDay(dateOf(row?.['now_at']).getTime(), timeZone));
  }

  return {
    find: (id, client) => one('id', id, client),
    findByReference: (reference, client) => one('reference', dialect.text(reference), client),
    async due(limit, { states, run, expired } = {}) {
      const { values, value } = statement(dialect);
      const conditions = [`due_at <= ${dialect.scanNow(value)}`];
      if (states !== undefined) conditions.push(`state IN (${states.map(value).join(', ')})`);
      if (run !== undefined) conditions.push(`run = ${value(run)}`);
      if (expired) conditions.push(`expires_at <= ${dialect.scanNow(value)}`);
      const rows = await database.rows(
        `SELECT ${dialect.asText('id')} AS id, state FROM ${orders} WHERE ${conditions.join(' AND ')}
ORDER BY CASE WHEN state IN ('unknown', 'buying') THEN 1 WHEN state = 'accepted' THEN 3 ELSE 2 END, due_at LIMIT ${Math.trunc(limit)}`,
        values,
      );
      return rows.map((row) => ({ id: String(row['id']), state: row['state'] as OrderState }));
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
      const sql = `${select}${where} ORDER BY created_at DESC, id DESC LIMIT ${Math.trunc(limit)}`;
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
    async keptEvent(reference) {
      const { values, value } = statement(dialect);
      const sql = `SELECT event FROM ${events} WHERE reference = ${value(dialect.text(reference))}`;
      const [row] = await database.rows(sql, values);
      const event = row?.['event'];
      return row && { reference, event: typeof event === 'string' ? event : JSON.stringify(event) };
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
