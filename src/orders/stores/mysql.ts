import { repeatOn } from '../../utils/transactions.js';
import { hasCode } from '../../utils/unknown.js';
import { assertOption, parseOptions } from '../../validation/options.js';
import {
  inMysqlTransaction,
  type MysqlOrderClient,
  type MysqlOrderConnection,
  type MysqlOrderPool,
} from './mysql-transaction.js';
import {
  createTables,
  ddlOf,
  orderTables,
  type ServerOrderStore,
  type ServerOrderStoreOptions,
  type SqlRow,
  serverOptions,
} from './schema.js';
import { type Dialect, keyBytes, type SqlValue } from './sql.js';
import { sqlOrderStore } from './sql-store.js';

const dialect: Dialect = {
  // Whatever time zone the connection has.
  now: () => "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000)",
  concat: (parts) => `CONCAT(${parts.join(', ')})`,
  keep: (key) => `ON DUPLICATE KEY UPDATE ${key} = ${key}`,
  latest: ' LOCK IN SHARE MODE',
  returning: false,
  // The text types ignore blanks at the end, and most of their collations ignore case.
  keyType: `VARBINARY(${keyBytes})`,
  textType: 'LONGTEXT',
  // In one statement, because MySQL commits after each.
  createTable: (table, columns, indexes) => [
    `CREATE TABLE IF NOT EXISTS ${table} (
  ${[...columns, ...indexes.map(([name, on]) => `KEY ${name} (${on})`)].join(',\n  ')}
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
  ],
};

/** A deadlock: the transaction is gone, and nothing of it was stored. */
const deadlock = 'ER_LOCK_DEADLOCK';

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
  options: ServerOrderStoreOptions = {},
): ServerOrderStore<Client> {
  const { schema, table } = parseOptions(serverOptions, options, { owner: 'mysqlOrderStore' });
  assertOption(
    typeof pool?.getConnection === 'function' && typeof pool.execute === 'function',
    'pool',
    'must be a pool of mysql2/promise, such as createPool({ uri })',
  );
  const tables = orderTables(schema, table, '`');
  const ddl = ddlOf(tables, dialect);

  const rows = async (
    sql: string,
    values: readonly SqlValue[],
    client: MysqlOrderClient = pool,
  ): Promise<SqlRow[]> => (await client.execute(sql, [...values]))[0] as SqlRow[];

  // The caller names the type of the clients, which is that of its pool.
  const transaction = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
    inMysqlTransaction(pool, (client) => work(client as MysqlOrderClient as Client));

  return {
    ...sqlOrderStore<Client>({
      tables,
      dialect,
      rows,
      transaction,
      alone: (work) => repeatOn([deadlock], () => transaction(work)),
      isDuplicate: (error) => hasCode(error, 'ER_DUP_ENTRY'),
    }),
    ddl,
    createTables: () =>
      // Not prepared, as statements that create tables cannot be on every server.
      createTables(
        tables,
        (sql) => pool.query(sql),
        async () => {
          for (const statement of ddl) await pool.query(statement);
        },
      ),
  };
}
