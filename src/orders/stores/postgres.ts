import * as z from 'zod/mini';
import type { PostgresClient, PostgresPool } from '../../postgres/pool.js';
import { inTransaction } from '../../postgres/transaction.js';
import { hasCode } from '../../utils/has-code.js';
import { sqlName } from '../../validation/option-kinds.js';
import { assertOption } from '../../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import type { NewOrder } from '../order.js';
import { DuplicateReferenceError, type OrderStore, type PlacedOrder } from '../store.js';
import { createTables } from './create-tables.js';
import { assignments, type SqlValue, statement } from './dialect.js';
import { freshOrder } from './fresh-order.js';
import { json, lineOf, type PostgresExtra, postgresDialect, storable } from './postgres-dialect.js';
import { migrations } from './postgres-schema.js';
import { dateOf, entryOf, orderOf, parsed, type Row } from './rows.js';
import { sqlReads } from './sql-reads.js';
import { orderTables } from './tables.js';

/** Options for `postgresOrderStore`. */
export interface PostgresOrderStoreOptions {
  /** The schema of the tables. Default: the connection's search path. */
  readonly schema?: string | undefined;
  /** The table of orders; the others are named after it. Default `billpay_orders`. */
  readonly table?: string | undefined;
}

const optionsSchema = optionsOf({
  schema: z.optional(sqlName()),
  table: z._default(sqlName(), 'billpay_orders'),
} satisfies OptionShape<PostgresOrderStoreOptions>);

/** Orders in PostgreSQL. */
export interface PostgresOrderStore<Client extends PostgresClient> extends OrderStore<Client> {
  /** Creates the tables, or brings them up to date. May be called at every start, by any number of processes. */
  createTables(): Promise<void>;
  /** The statements that `createTables` runs, one for each version, for your own migrations. */
  readonly ddl: readonly string[];
}

/**
 * How long a hook may leave its connection idle, in ms. Hooks that wait for another connection while they hold all of the pool's would
 * otherwise never continue.
 */
const idleLimitMs = 60_000;

/** PostgreSQL's code of a value that a unique index has already. */
const uniqueViolation = '23505';

/**
 * Orders in PostgreSQL 13 or later, for any number of machines. All times are those of the database.
 *
 * @typeParam Client - the type of the client that hooks get, such as `PoolClient` of `pg`.
 * @param pool - a `Pool` of `pg`, or anything of its form.
 * @throws `ConfigurationError` for a name that cannot be used.
 * @example
 * ```ts
 * import { Pool } from 'pg';
 *
 * const store = postgresOrderStore(new Pool({ connectionString: process.env.DATABASE_URL }));
 * await store.createTables();
 * ```
 */
export function postgresOrderStore<Client extends PostgresClient = PostgresClient>(
  pool: PostgresPool,
  options: PostgresOrderStoreOptions = {},
): PostgresOrderStore<Client> {
  const { schema, table } = parseOptions(optionsSchema, options, { owner: 'postgresOrderStore' });
  assertOption(
    typeof pool?.query === 'function' && typeof pool.connect === 'function',
    'pool',
    'must be a pool of pg, such as new Pool({ connectionString })',
  );
  const tables = orderTables(schema, table);
  const { orders, events } = tables;
  const ddl = migrations(tables);

  const rows = async (
    sql: string,
    values: readonly SqlValue<PostgresExtra>[],
    client: PostgresClient = pool,
  ): Promise<Row[]> => (await client.query(sql, values.length > 0 ? [...values] : undefined)).rows as Row[];
  const toOrder = ({ stored, read_at }: Row) => {
    const row: Row = parsed(stored);
    return orderOf(row, read_at ?? row['updated_at']);
  };

  // The caller names the type of the clients, because the compiler cannot infer it from the overloads of pg's `connect`.
  const transaction = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
    inTransaction(pool, (client) => work(client as Client & typeof client), { idleLimitMs });

  // One column of JSON, because reading two dozen columns takes the process longer than parsing it. A row that was just written was read then.
  const select = `SELECT to_json(this) AS stored, clock_timestamp() AS read_at FROM ${orders} AS this`;
  const reads = sqlReads<PostgresClient, PostgresExtra>({
    tables,
    dialect: postgresDialect,
    select,
    toOrder,
    rows,
  });

  async function insertOne(given: NewOrder, client?: PostgresClient): Promise<PlacedOrder> {
    const { id, product, params, customer, run, expireAfterMs } = given;
    const expiresIn = expireAfterMs === undefined ? null : `${expireAfterMs} ms`;
    const [row] = await rows(
      `INSERT INTO ${orders} (id, product, params, customer, run, state, due_at, expires_at)
VALUES ($1, $2, $3, $4, $5, 'placed', clock_timestamp(), clock_timestamp() + $6::interval)
ON CONFLICT (id) DO NOTHING RETURNING created_at, params`,
      [id, product, json(params), customer ?? null, run ?? null, expiresIn],
      client,
    );
    // The parameters as they are stored: a caller may compare them later.
    if (row) {
      const stored = { ...given, params: parsed(row['params']) };
      return { order: freshOrder(stored, dateOf(row['created_at'])), inserted: true };
    }
    const order = await reads.find(id, client);
    if (!order) throw new Error(`the order ${id} was deleted while it was placed`);
    return { order, inserted: false };
  }

  async function insertMany(
    given: readonly NewOrder[],
    client?: PostgresClient,
  ): Promise<readonly PlacedOrder[]> {
    const stored = await rows(
      `INSERT INTO ${orders} AS this (id, product, params, customer, run, state, due_at, expires_at)
SELECT id, product, params, customer, run, 'placed', clock_timestamp(), clock_timestamp() + "expireAfterMs" * interval '1 ms'
FROM jsonb_to_recordset($1::jsonb) AS given (id text, product text, params jsonb, customer text, run text, "expireAfterMs" float8)
ON CONFLICT (id) DO NOTHING RETURNING to_json(this) AS stored`,
      [JSON.stringify(given)],
      client,
    );
    const own = new Map(stored.map(toOrder).map((order) => [order.id, order]));
    const missing = given.filter(({ id }) => !own.has(id)).map(({ id }) => id);
    const before = missing.length === 0 ? [] : await rows(`${select} WHERE id = ANY($1)`, [missing], client);
    const known = new Map([...before.map(toOrder), ...own.values()].map((order) => [order.id, order]));
    return given.map(({ id }) => {
      const order = known.get(id);
      if (!order) throw new Error(`the order ${id} was deleted while it was placed`);
      // Of two orders of one id in this list, the first one was inserted.
      return { order, inserted: own.delete(id) };
    });
  }

  /** Those who place the same content at the same moment take turns, until the transaction of the first one has ended. */
  async function insertUnlessPlacedBefore(
    order: NewOrder,
    withinMs: number,
    client: PostgresClient,
  ): Promise<PlacedOrder> {
    const { id, product, params, customer } = order;
    const [turn] = await rows(
      `SELECT nullif(current_setting('transaction_isolation'), 'read committed') AS blind, pg_advisory_xact_lock(hashtext($1), hashtext($2))`,
      [orders, params.recipient],
      client,
    );
    const blind = turn?.['blind'] ?? undefined;
    if (blind !== undefined)
      throw new Error(
        `duplicateWithin needs a transaction of the isolation level READ COMMITTED: one of the level ${blind} does not see what was placed since it began`,
      );
    const [found] = await rows(
      `${select} WHERE id = $1 OR (params ->> 'recipient' = $2 AND product = $3 AND params = $4::jsonb
  AND created_at >= clock_timestamp() - $5::float8 * interval '1 millisecond'
  AND state NOT IN ('refused', 'failed') AND ($6::text IS NULL OR customer = $6))
ORDER BY id = $1 DESC, created_at LIMIT 1`,
      [id, params.recipient, product, JSON.stringify(params), withinMs, customer ?? null],
      client,
    );
    if (!found) return insertOne(order, client);
    const before = toOrder(found);
    return { order: before, inserted: false, ...(before.id !== id && { duplicate: true as const }) };
  }

  return {
    ddl,
    transaction,
    createTables: () =>
      createTables({
        tables,
        steps: ddl.map((statements) => [statements]),
        run: (sql) => rows(sql, []),
        inTurn: (work) =>
          transaction(async (client) => {
            await rows('SELECT pg_advisory_xact_lock(hashtext($1))', [orders], client);
            await work((sql) => rows(sql, [], client));
          }),
        noTable: '42P01',
        noRight: ['42501'],
      }),
    insert: async (order, { client, duplicateWithinMs } = {}) => {
      if (duplicateWithinMs === undefined) return insertOne(order, client);
      const insert = (inside: PostgresClient) => insertUnlessPlacedBefore(order, duplicateWithinMs, inside);
      return client ? insert(client) : transaction(insert);
    },
    insertMany,
    ...reads,
    async update(guard, change, note, client) {
      const { values, value } = statement(postgresDialect);
      const set = assignments(change, postgresDialect, value);
      const noted = note ? `, history = array_append(history, ${lineOf(guard, change, note, value)})` : '';
      const { id, state, attempt, due } = guard;
      const sql = `UPDATE ${orders} AS this SET ${set}${noted}
WHERE id = ${value(id)} AND state = ${value(state)} AND attempt = ${value(attempt)}${due ? ' AND due_at <= clock_timestamp()' : ''}
RETURNING to_json(this) AS stored`;
      try {
        const [row] = await rows(sql, values, client);
        return row && toOrder(row);
      } catch (error) {
        throw hasCode(error, uniqueViolation) && change.reference !== undefined
          ? new DuplicateReferenceError(change.reference)
          : error;
      }
    },
    async history(id) {
      const [found] = await rows(
        `SELECT created_at, to_json(history) AS history FROM ${orders} WHERE id = $1`,
        [id],
      );
      if (!found) return [];
      // The first line is the row itself.
      const placed = { at: found['created_at'], event: 'place', to_state: 'placed', attempt: 0 };
      const lines: readonly Row[] = parsed(found['history']) ?? [];
      return [placed, ...lines].map(entryOf);
    },
    async keepEvent({ reference, event }) {
      const sql = `INSERT INTO ${events} (reference, event) VALUES ($1, $2) ON CONFLICT DO NOTHING`;
      await pool.query(sql, [storable(reference), json(JSON.parse(event))]);
    },
    async dropEvent(reference) {
      await pool.query(`DELETE FROM ${events} WHERE reference = $1`, [storable(reference)]);
    },
  };
}
