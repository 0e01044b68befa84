import {
  inTransaction,
  type PostgresClient,
  type PostgresPool,
  repeatedCodes,
  runStatement,
} from '../../postgres.js';
import { repeatOn } from '../../utils/transactions.js';
import { hasCode } from '../../utils/unknown.js';
import { assertOption, parseOptions } from '../../validation/options.js';
import {
  createTables,
  ddlOf,
  orderTables,
  type ServerOrderStore,
  type ServerOrderStoreOptions,
  type SqlRow,
  serverOptions,
} from './schema.js';
import { type Dialect, keyBytes, type SqlValue, standardSql } from './sql.js';
import { sqlOrderStore } from './sql-store.js';

/**
 * How long a hook may leave its connection idle, in ms. Hooks that wait for another connection while they hold all of the pool's would
 * otherwise never continue.
 */
const idleLimitMs = 60_000;

/** PostgreSQL's code of a value that a unique index has already. */
const uniqueViolation = '23505';

const dialect: Dialect = {
  ...standardSql,
  // Of the clocks of PostgreSQL, the one with which it can use an index.
  now: () => '(extract(epoch FROM statement_timestamp()) * 1000)::bigint',
  keyType: `VARCHAR(${keyBytes}) COLLATE "C"`,
};

/** Placeholders as PostgreSQL writes them. */
function numbered(sql: string): string {
  let n = 0;
  return sql.replace(/\?/g, () => `$${++n}`);
}

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
  options: ServerOrderStoreOptions = {},
): ServerOrderStore<Client> {
  const { schema, table } = parseOptions(serverOptions, options, { owner: 'postgresOrderStore' });
  assertOption(
    typeof pool?.query === 'function' && typeof pool.connect === 'function',
    'pool',
    'must be a pool of pg, such as new Pool({ connectionString })',
  );
  const tables = orderTables(schema, table);
  const ddl = ddlOf(tables, dialect);

  const rows = async (
    sql: string,
    values: readonly SqlValue[],
    client?: PostgresClient,
  ): Promise<SqlRow[]> => {
    const text = numbered(sql);
    return (
      client ? (await client.query(text, [...values])).rows : await runStatement(pool, text, values)
    ) as SqlRow[];
  };
  // The caller names the type of the clients, because the compiler cannot infer it from the overloads of pg's `connect`.
  const transaction = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
    inTransaction(pool, (client) => work(client as Client & typeof client), { idleLimitMs });

  return {
    ...sqlOrderStore<Client>({
      tables,
      dialect,
      rows,
      transaction,
      alone: (work) => repeatOn(repeatedCodes, () => transaction(work)),
      isDuplicate: (error) => hasCode(error, uniqueViolation),
    }),
    ddl,
    createTables: () =>
      createTables(
        tables,
        (sql) => rows(sql, []),
        () =>
          transaction(async (client) => {
            // Processes that start together take turns.
            await rows('SELECT pg_advisory_xact_lock(hashtext(?))', [tables.orders], client);
            const [found] = await rows('SELECT to_regclass(?) AS orders', [tables.orders], client);
            if (found?.['orders']) return;
            for (const statement of ddl) await rows(statement, [], client);
          }),
      ),
  };
}
