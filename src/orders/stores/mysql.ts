import * as z from 'zod/mini';
import { hasCode } from '../../utils/has-code.js';
import { sqlName } from '../../validation/option-kinds.js';
import { assertOption } from '../../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import type { NewOrder } from '../order.js';
import type { OrderStore } from '../store.js';
import { createTables } from './create-tables.js';
import { insertion, statement } from './dialect.js';
import { asText, columns, keyText, mysqlDialect } from './mysql-dialect.js';
import {
  type MysqlOrderClient,
  type MysqlOrderConnection,
  type MysqlOrderPool,
  rowsOf,
  run,
} from './mysql-pool.js';
import { duplicateKey, lockRows, mysqlMigrations } from './mysql-schema.js';
import { inMysqlTransaction, withoutDeadlock } from './mysql-transaction.js';
import { orderOf, type Row } from './rows.js';
import { sqlOrderStore } from './sql-store.js';
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
  const { orders } = tables;
  const steps = mysqlMigrations(tables);

  // Not prepared, as statements that create tables cannot be on every server.
  const queried = async (client: MysqlOrderClient, sql: string) => (await client.query(sql))[0] as Row[];

  // The caller names the type of the clients, which is that of its pool.
  const transaction = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
    inMysqlTransaction(pool, (client) => work(client as MysqlOrderClient as Client));
  /** One of its own is repeated after a deadlock. */
  const within = <T>(client: Client | undefined, work: (client: Client) => Promise<T>): Promise<T> =>
    client ? work(client) : withoutDeadlock(() => transaction(work));
  const select = `SELECT ${columns} FROM ${orders}`;

  const store = sqlOrderStore<Client, never>({
    tables,
    dialect: mysqlDialect,
    columns,
    toOrder: (row) => orderOf(row, row['now_at']),
    rows: (sql, values, client) => rowsOf(client ?? pool, sql, values),
    run: (sql, values) => withoutDeadlock(() => run(pool, sql, values)),
    transaction,
    within,
    update: (sql, values, id, given) =>
      within(given, async (client): Promise<Row | undefined> => {
        const result = await run(client, sql, values);
        if (Number(Reflect.get(Object(result), 'affectedRows')) === 0) return undefined;
        return (await rowsOf(client, `${select} WHERE id = ?`, [id]))[0];
      }),
    insert: (given, client) => within(client, (inside) => insertNew(orders, inside, given)),
    takeTurn(recipient, client) {
      const slot = `CRC32(?) % ${lockRows}`;
      const sql = `INSERT INTO ${tables.locks} (slot) VALUES (${slot}) ON DUPLICATE KEY UPDATE slot = slot`;
      return run(client, sql, [recipient]);
    },
    isDuplicate: (error) => hasCode(error, duplicateKey),
  });

  /** Processes that start together take turns. The lock ends with the connection at the latest. */
  async function inTurn(work: (run: (sql: string) => Promise<Row[]>) => Promise<void>): Promise<void> {
    const connection = await pool.getConnection();
    const lock = `billpay ${orders}`.slice(0, 64);
    try {
      await run(connection, 'SELECT GET_LOCK(?, 60)', [lock]);
      // A process that ended within a step may have added its columns.
      const unlessAdded = (error: unknown) => {
        if (!hasCode(error, 'ER_DUP_FIELDNAME')) throw error;
        return [];
      };
      await work((sql) => queried(connection, sql).catch(unlessAdded));
    } finally {
      await run(connection, 'SELECT RELEASE_LOCK(?)', [lock]).catch(() => {});
      connection.release();
    }
  }

  return {
    ...store,
    ddl: steps.flat(),
    createTables: () =>
      createTables({
        tables,
        steps,
        run: (sql) => queried(pool, sql),
        inTurn,
        noTable: 'ER_NO_SUCH_TABLE',
        noRight: ['ER_TABLEACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR'],
      }),
  };
}

/** How often an insert is tried again after another process has placed one of its orders in between. */
const maxTries = 5;

/** Inserts the orders that are not there yet. */
async function insertNew(
  orders: string,
  client: MysqlOrderClient,
  given: readonly NewOrder[],
): Promise<readonly Row[]> {
  const byId = new Map(given.toReversed().map((order) => [keyText(order.id), order]));
  const among = (ids: readonly string[]) => `id IN (${ids.map(() => '?').join(', ')})`;
  const keys = [...byId.keys()];
  for (let tries = 1; ; tries++) {
    const latest = tries > 1 ? mysqlDialect.latest : '';
    const sql = `SELECT ${asText('id')} AS id FROM ${orders} WHERE ${among(keys)}${latest}`;
    const known = new Set((await rowsOf(client, sql, keys)).map((row) => String(row['id'])));
    const missing = keys.filter((id) => !known.has(id));
    if (missing.length === 0) return [];
    try {
      const { values, value } = statement(mysqlDialect);
      const added = given.filter((order) => byId.get(order.id) === order && !known.has(order.id));
      await run(client, insertion(orders, added, mysqlDialect, value), values);
    } catch (error) {
      if (tries === maxTries || !hasCode(error, duplicateKey)) throw error;
      continue;
    }
    const stored = `SELECT ${asText('id')} AS id, created_at, params FROM ${orders} WHERE ${among(missing)}`;
    return rowsOf(client, stored, missing);
  }
}
