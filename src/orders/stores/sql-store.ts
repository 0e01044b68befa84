import { contentOf } from '../../contract/purchase-item.js';
import type { NewOrder, Order } from '../order.js';
import { isFinal, type Lane, lanes, noOrders, type OrderState } from '../states.js';
import { DuplicateReferenceError, type OrderStore, type PlacedOrder } from '../store.js';
import { startOfDay } from '../time-zone.js';
import { dateOf, historyOf, type OrderTables, orderOf, readColumns, type SqlRow } from './schema.js';
import {
  assignments,
  conditions,
  type Dialect,
  insertion,
  type SqlValue,
  statement,
  storable,
} from './sql.js';

/** A database that holds the tables of orders: how it is written to, and its connections. */
export interface SqlDatabase<Client> {
  readonly tables: OrderTables;
  readonly dialect: Dialect;
  /** Runs one statement, by itself or in the transaction of a client. */
  rows(sql: string, values: readonly SqlValue[], client?: Client): Promise<readonly SqlRow[]>;
  /** Runs work of the caller's in one transaction. */
  readonly transaction: OrderStore<Client>['transaction'];
  /** Runs work of the store in a transaction of its own, again where the database asks for that. */
  alone<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Whether an error says that a unique index has the value already. */
  isDuplicate(error: unknown): boolean;
}

/** The most orders of one statement: databases limit its values. */
const batchSize = 1000;

/** How many rows the table of locks has at most. */
const lockSlots = 1021;

const slotOf = (recipient: string): number =>
  [...recipient].reduce((slot, character) => (slot * 31 + (character.codePointAt(0) ?? 0)) % lockSlots, 0);

const byId = (a: NewOrder, b: NewOrder): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** A store of orders in an SQL database. */
export function sqlOrderStore<Client>(database: SqlDatabase<Client>): OrderStore<Client> {
  const { dialect, rows } = database;
  const { orders, locks } = database.tables;
  const columns = readColumns(dialect);
  const newMark = (): number | undefined =>
    dialect.returning ? undefined : Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  const within = <T>(client: Client | undefined, work: (client: Client) => Promise<T>): Promise<T> =>
    client ? work(client) : database.alone(work);

  /** A query of orders, to which the rest of its statement is added. */
  function query() {
    const { values, value } = statement();
    const select = `SELECT ${columns}, ${dialect.now(value)} AS read_at FROM ${orders}`;
    const run = async (rest: string, client?: Client) =>
      (await rows(select + rest, values, client)).map(orderOf);
    return { value, run };
  }

  async function one(column: 'id' | 'reference', key: string, client?: Client, end = '') {
    const { value, run } = query();
    return (await run(` WHERE ${column} = ${value(storable(key))}${end}`, client))[0];
  }

  /** Runs an INSERT or UPDATE of the orders of these ids. Returns what it has written. */
  async function write(
    sql: string,
    { values, ids, mark }: { values: readonly SqlValue[]; ids: readonly string[]; mark: number | undefined },
    client: Client | undefined,
  ): Promise<Order[]> {
    if (mark === undefined) return (await rows(`${sql} RETURNING ${columns}`, values, client)).map(orderOf);
    return within(client, async (inside) => {
      await rows(sql, values, inside);
      const { values: keys, value } = statement();
      const among = ids.map((id) => value(storable(id))).join(', ');
      const select = `SELECT ${columns} FROM ${orders} WHERE id IN (${among}) AND written_as = ${value(mark)}`;
      return (await rows(select, keys, inside)).map(orderOf);
    });
  }

  function insertBatch(given: readonly NewOrder[], client: Client | undefined): Promise<Order[]> {
    const { values, value } = statement();
    const mark = newMark();
    const sql = insertion(orders, given, mark, dialect, value);
    return write(sql, { values, mark, ids: given.map(({ id }) => id) }, client);
  }

  async function findAll(ids: readonly string[], client?: Client, end = ''): Promise<Order[]> {
    const found: Order[] = [];
    for (let at = 0; at < ids.length; at += batchSize) {
      const { value, run } = query();
      const among = ids.slice(at, at + batchSize).map((id) => value(storable(id)));
      found.push(...(await run(` WHERE id IN (${among.join(', ')})${end}`, client)));
    }
    return found;
  }

  async function insertAll(given: readonly NewOrder[], client: Client | undefined): Promise<PlacedOrder[]> {
    // Of two orders of one id, the first one counts. In the same order in every process, so that no two wait for each other.
    const each = [...new Map(given.toReversed().map((order) => [order.id, order])).values()].sort(byId);
    const own = new Map<string, Order>();
    for (let at = 0; at < each.length; at += batchSize) {
      const stored = await insertBatch(each.slice(at, at + batchSize), client);
      for (const order of stored) own.set(order.id, order);
    }
    const others = each.map(({ id }) => id).filter((id) => !own.has(id));
    const before = (await findAll(others, client, dialect.latest)).map((order) => [order.id, order] as const);
    const known = new Map([...own, ...before]);
    return given.map(({ id }) => {
      const order = known.get(id);
      if (!order) throw new Error(`the order ${id} was deleted while it was placed`);
      return { order, inserted: own.delete(id) };
    });
  }

  async function insertOne(order: NewOrder, client: Client | undefined): Promise<PlacedOrder> {
    const [placed] = await insertAll([order], client);
    if (!placed) throw new Error(`the order ${order.id} was not stored`);
    return placed;
  }

  /** Waits for those who place an order for a recipient, until their transactions have ended. */
  async function takeTurn(recipient: string, client: Client): Promise<void> {
    const slot = slotOf(recipient);
    await rows(`INSERT INTO ${locks} (slot, turns) VALUES (?, 0) ${dialect.keep('slot')}`, [slot], client);
    await rows(`UPDATE ${locks} SET turns = turns + 1 WHERE slot = ?`, [slot], client);
  }

  const insertUnlessDuplicate = (order: NewOrder, withinMs: number, client: Client | undefined) =>
    within(client, async (inside): Promise<PlacedOrder> => {
      const { id, product, params, customer } = order;
      await takeTurn(params.recipient, inside);
      const own = await one('id', id, inside, dialect.latest);
      if (own) return { order: own, inserted: false };
      const { value, run } = query();
      const where = [
        `recipient = ${value(storable(params.recipient))}`,
        `created_at >= ${dialect.now(value)} - ${value(Math.round(withinMs))}`,
        `product = ${value(product)}`,
        "state NOT IN ('refused', 'failed')",
      ];
      if (customer !== undefined) where.push(`customer = ${value(storable(customer))}`);
      const before = await run(` WHERE ${where.join(' AND ')} ORDER BY created_at${dialect.latest}`, inside);
      const repeated = before.find((other) => contentOf(other) === contentOf(order));
      return repeated ? { order: repeated, inserted: false, duplicate: true } : insertOne(order, inside);
    });

  /** The orders of a lane that are due first. Asked for by state, so that an index has them in their order. */
  function soonest(lane: Lane, limit: number, onlyDue: boolean): Promise<readonly SqlRow[]> {
    const { values, value } = statement();
    const each = lanes[lane].map((state) => {
      const now = dialect.now(value);
      const due = `state = ${value(state)} AND due_at ${onlyDue ? `<= ${dialect.now(value)}` : '> 0'}`;
      return `SELECT * FROM (SELECT id, due_at, ${now} AS read_at FROM ${orders} WHERE ${due} ORDER BY due_at LIMIT ${limit}) AS of_${state}`;
    });
    return rows(`${each.join('\nUNION ALL ')}\nORDER BY due_at LIMIT ${limit}`, values);
  }

  async function startOfToday(timeZone: string | undefined): Promise<Date> {
    const { values, value } = statement();
    const [row] = await rows(`SELECT ${dialect.now(value)} AS now_at`, values);
    return new Date(startOfDay(Number(row?.['now_at']), timeZone));
  }

  return {
    transaction: database.transaction,
    insert: (order, { client, duplicateWithinMs } = {}) =>
      duplicateWithinMs === undefined
        ? insertOne(order, client)
        : insertUnlessDuplicate(order, duplicateWithinMs, client),
    insertMany: (given, client) => within(client, (inside) => insertAll(given, inside)),
    find: (id, client) => one('id', id, client),
    findMany: (ids) => findAll(ids),
    findByReference: (reference, client) => one('reference', reference, client),
    async update(guard, change, note, client) {
      const { id, state, attempt, due, unexpired } = guard;
      const { values, value } = statement();
      const mark = newMark();
      const set = assignments(guard, change, note, mark, dialect, value);
      // Of the state itself PostgreSQL might use an index, and read every order in that state: it does so where it has counted few of them.
      const where = [
        `id = ${value(storable(id))}`,
        `lower(state) = ${value(state)}`,
        `attempt = ${value(attempt)}`,
      ];
      if (due) where.push(`due_at <= ${dialect.now(value)}`);
      if (unexpired) where.push(`(expires_at IS NULL OR expires_at > ${dialect.now(value)})`);
      try {
        const sql = `UPDATE ${orders} SET ${set} WHERE ${where.join(' AND ')}`;
        const [updated] = await write(sql, { values, mark, ids: [id] }, client);
        return updated;
      } catch (error) {
        throw change.reference !== undefined && database.isDuplicate(error)
          ? new DuplicateReferenceError(change.reference)
          : error;
      }
    },
    async history(id) {
      const [row] = await rows(`SELECT history FROM ${orders} WHERE id = ?`, [storable(id)]);
      return row ? historyOf(row['history']) : [];
    },
    due: async (lane, limit) =>
      (await soonest(lane, Math.trunc(limit), true)).map((row) => String(row['id'])),
    async nextDue(lane) {
      const [row] = await soonest(lane, 1, false);
      return row && Number(row['due_at']) - Number(row['read_at']);
    },
    async wake(state) {
      const { values, value } = statement();
      const now = () => dialect.now(value);
      const set = `due_at = ${now()}, updated_at = ${now()}`;
      const sql = `UPDATE ${orders} SET ${set} WHERE state = ${value(state)} AND due_at > ${now()}`;
      await within(undefined, (client) => rows(sql, values, client));
    },
    async count(state) {
      const [row] = await rows(`SELECT count(*) AS count FROM ${orders} WHERE state = ?`, [state]);
      return Number(row?.['count']);
    },
    list({ limit, ...which }) {
      const { value, run } = query();
      return run(`${conditions(which, value)} ORDER BY created_at DESC, id DESC LIMIT ${Math.trunc(limit)}`);
    },
    async stats({ run, since, until, timeZone } = {}) {
      const from = since ?? (until || run !== undefined ? undefined : await startOfToday(timeZone));
      const counted = statement();
      const states = await rows(
        `SELECT state, count(*) AS count, min(created_at) AS oldest, sum(awaiting_refund) AS awaiting_refund, sum(contradicted) AS contradicted
FROM ${orders}${conditions({ run }, counted.value)} GROUP BY state`,
        counted.values,
      );
      const { values, value } = statement();
      const placed = conditions({ run, since: from, until }, value);
      const [sums] = await rows(
        `SELECT sum(amount) AS spent FROM ${orders}${placed} AND state NOT IN ('failed', 'refused')`,
        values,
      );
      const count = noOrders();
      const oldest: Partial<Record<OrderState, Date>> = {};
      for (const row of states) {
        const state = String(row['state']) as OrderState;
        count[state] = Number(row['count']);
        if (!isFinal(state)) oldest[state] = dateOf(row['oldest']);
      }
      const sumOf = (column: string) => states.reduce((sum, row) => sum + Number(row[column]), 0);
      return {
        count,
        oldest,
        awaitingRefund: sumOf('awaiting_refund'),
        contradicted: sumOf('contradicted'),
        spent: Number(sums?.['spent'] ?? 0),
      };
    },
    async awaitsReference(placedBefore) {
      const { values, value } = statement();
      const before = placedBefore ? ` AND created_at < ${value(placedBefore.getTime())}` : '';
      const sql = `SELECT 1 FROM ${orders} WHERE reference IS NULL${before}
  AND state IN ('buying', 'unknown', 'review') AND (state <> 'review' OR unknown_since IS NOT NULL) LIMIT 1`;
      return (await rows(sql, values)).length > 0;
    },
  };
}
