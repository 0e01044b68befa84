import * as z from 'zod/mini';
import { hasCode } from '../../utils/has-code.js';
import { sqlName } from '../../validation/option-kinds.js';
import { assertOption } from '../../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import type { StoredOrder } from '../order.js';
import { DuplicateReferenceError, type OrderStore } from '../store.js';
import { createTables } from './create-tables.js';
import { assignments, jsonText, statement } from './dialect.js';
import { columns, keyText, mysqlDialect } from './mysql-dialect.js';
import { insertOrder, insertOrders, insertUnlessPlacedBefore } from './mysql-insert.js';
import {
  type MysqlOrderClient,
  type MysqlOrderConnection,
  type MysqlOrderPool,
  rowsOf,
  run,
} from './mysql-pool.js';
import { duplicateKey, mysqlMigrations, nowMs } from './mysql-schema.js';
import { inMysqlTransaction, withoutDeadlock } from './mysql-transaction.js';
import { entryOf, orderOf, type Row } from './rows.js';
import { sqlReads } from './sql-reads.js';
import { orderTables } from './tables.js';

/** Options for `mysqlOrderStore`. */
export interface MysqlOrderStoreOptions {
  /** The database of the tables. Default: that of the connection. */
  readonly schema?: string | undefined;
  /** The table of orders; the others are named after it. Default `billpay_orders`. */
  readonly table?: string | undefined;
}

/** Orders in MySQL or MariaDB. */
export interface MysqlOrderStore<Client extends MysqlOrderClient> extends OrderStore<Client> {
  /** Creates the tables, or brings them up to date. May be called at every start, by any number of processes. */
  createTables(): Promise<void>;
  /** The statements that `createTables` runs, for your own migrations. */
  readonly ddl: readonly string[];
}

const optionsSchema = optionsOf({
  schema: z.optional(sqlName()),
  table: z.optional(sqlName()),
} satisfies OptionShape<MysqlOrderStoreOptions>);

/**
 * Orders in MySQL 8 or MariaDB 10.6 and later, for any number of machines. All times are those of the database.
 *
 * @typeParam Client - the type of the client that hooks get, such as `PoolConnection` of `mysql2/promise`.
 * @param pool - a pool of `mysql2/promise`.
 * @throws `ConfigurationError` for a name that cannot be used.
 * @example
 * ```ts
 * import { createPool } from 'mysql2/promise';
 *
 * const store = mysqlOrderStore(createPool(String(process.env.DATABASE_URL)));
 * await store.createTables();
 * ```
 */
export function mysqlOrderStore<Client extends MysqlOrderClient = MysqlOrderConnection>(
  pool: MysqlOrderPool,
  options: MysqlOrderStoreOptions = {},
): MysqlOrderStore<Client> {
  const { schema, table = 'billpay_orders' } = parseOptions(optionsSchema, options, {
    owner: 'mysqlOrderStore',
  });
  assertOption(
    typeof pool?.getConnection === 'function' && typeof pool.execute === 'function',
    'pool',
    'must be a pool of mysql2/promise, such as createPool({ uri })',
  );
  const tables = orderTables(schema, table, '`');
  const { orders, history, events } = tables;
  const steps = mysqlMigrations(tables);

  // Not prepared, as statements that create tables cannot be on every server.
  const queried = async (client: MysqlOrderClient, sql: string) => (await client.query(sql))[0] as Row[];
  const changed = (result: unknown): number => Number(Reflect.get(Object(result), 'affectedRows'));

  // The caller names the type of the clients, which is that of its pool.
  const transaction = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
    inMysqlTransaction(pool, (client) => work(client as MysqlOrderClient as Client));
  /** Within the caller's transaction, or in one of its own, which is repeated after a deadlock. */
  const within = <T>(client: MysqlOrderClient | undefined, work: (client: MysqlOrderClient) => Promise<T>) =>
    client ? work(client) : withoutDeadlock(() => inMysqlTransaction(pool, work));

  const reads = sqlReads<MysqlOrderClient, never>({
    tables,
    dialect: mysqlDialect,
    select: `SELECT ${columns} FROM ${orders}`,
    toOrder: (row) => orderOf(row, row['now_at']),
    rows: (sql, values, client = pool) => rowsOf(client, sql, values),
  });

  /** Processes that start together take turns. The lock ends with the connection at the latest. */
  async function inTurn(work: (run: (sql: string) => Promise<Row[]>) => Promise<void>): Promise<void> {
    const connection = await pool.getConnection();
    const lock = `billpay ${orders}`.slice(0, 64);
    try {
      await run(connection, 'SELECT GET_LOCK(?, 60)', [lock]);
      await work((sql) => queried(connection, sql));
    } finally {
      await run(connection, 'SELECT RELEASE_LOCK(?)', [lock]).catch(() => {});
      connection.release();
    }
  }

  return {
    ddl: steps.flat(),
    transaction,
    createTables: () =>
      createTables({
        tables,
        steps,
        run: (sql) => queried(pool, sql),
        inTurn,
        noTable: 'ER_NO_SUCH_TABLE',
        noRight: ['ER_TABLEACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR'],
      }),
    insert: (order, { client, duplicateWithinMs } = {}) =>
      within(client, (inside) =>
        duplicateWithinMs === undefined
          ? insertOrder(tables, inside, order)
          : insertUnlessPlacedBefore(tables, inside, order, duplicateWithinMs),
      ),
    insertMany: (given, client) => within(client, (inside) => insertOrders(tables, inside, given)),
    ...reads,
    update: (guard, change, note, client) =>
      within(client, async (inside): Promise<StoredOrder | undefined> => {
        const { values, value } = statement(mysqlDialect);
        const set = assignments(change, mysqlDialect, value);
        const { id, state, attempt, due } = guard;
        const where = ` WHERE id = ${value(id)} AND state = ${value(state)} AND attempt = ${value(attempt)}`;
        try {
          const result = await run(
            inside,
            `UPDATE ${orders} SET ${set}${where}${due ? ` AND due_at <= ${nowMs}` : ''}`,
            values,
          );
          if (changed(result) === 0) return undefined;
        } catch (error) {
          throw hasCode(error, duplicateKey) && change.reference !== undefined
            ? new DuplicateReferenceError(change.reference)
            : error;
        }
        if (note) {
          await run(
            inside,
            `INSERT INTO ${history} (order_id, at, event, from_state, to_state, attempt, detail)
SELECT id, ${nowMs}, ?, ?, state, attempt, ? FROM ${orders} WHERE id = ?`,
            [note.event, guard.state, jsonText(note.detail), guard.id],
          );
        }
        return reads.find(guard.id, inside);
      }),
    async history(id) {
      const sql = `SELECT at, event, from_state, to_state, attempt, detail FROM ${history} WHERE order_id = ? ORDER BY seq`;
      return (await rowsOf(pool, sql, [id])).map(entryOf);
    },
    async keepEvent({ reference, event }) {
      await withoutDeadlock(() =>
        run(
          pool,
          `INSERT INTO ${events} (reference, event, received_at) VALUES (?, ?, ${nowMs}) ON DUPLICATE KEY UPDATE reference = reference`,
          [keyText(reference), event],
        ),
      );
    },
    async dropEvent(reference) {
      await withoutDeadlock(() => run(pool, `DELETE FROM ${events} WHERE reference = ?`, [reference]));
    },
  };
}
