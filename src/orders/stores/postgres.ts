import * as z from 'zod/mini';
import type { PostgresClient, PostgresPool } from '../../postgres/pool.js';
import { inTransaction } from '../../postgres/transaction.js';
import { hasCode } from '../../utils/has-code.js';
import { sqlName } from '../../validation/option-kinds.js';
import { assertOption } from '../../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import type { OrderStore } from '../store.js';
import { createTables } from './create-tables.js';
import { insertion, type SqlValue, statement } from './dialect.js';
import { type PostgresExtra, postgresDialect } from './postgres-dialect.js';
import { migrations } from './postgres-schema.js';
import { orderOf, parsed, type Row } from './rows.js';
import { sqlOrderStore } from './sql-store.js';
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
  const ddl = migrations(tables);

  const rows = async (
    sql: string,
    values: readonly SqlValue<PostgresExtra>[] = [],
    client: PostgresClient = pool,
  ): Promise<Row[]> => (await client.query(sql, values.length > 0 ? [...values] : undefined)).rows as Row[];

  // The caller names the type of the clients, because the compiler cannot infer it from the overloads of pg's `connect`.
  const transaction = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
    inTransaction(pool, (client) => work(client as Client & typeof client), { idleLimitMs });

  const store = sqlOrderStore<Client, PostgresExtra>({
    tables,
    dialect: postgresDialect,
    // One column of JSON, because reading two dozen columns takes the process longer than parsing it.
    columns: 'to_json(this) AS stored, clock_timestamp() AS read_at',
    // A row that was just written was read then.
    toOrder({ stored, read_at }) {
      const row: Row = parsed(stored);
      return orderOf(row, read_at ?? row['updated_at']);
    },
    rows,
    run: rows,
    transaction,
    within: (client, work) => (client ? work(client) : transaction(work)),
    update: async (sql, values, _, client) =>
      (await rows(`${sql} RETURNING to_json(this) AS stored`, values, client))[0],
    insert(given, client) {
      const { values, value } = statement(postgresDialect);
      const sql = insertion(tables.orders, given, postgresDialect, value);
      return rows(`${sql} ON CONFLICT (id) DO NOTHING RETURNING id, created_at, params`, values, client);
    },
    async takeTurn(recipient, client) {
      const [turn] = await rows(
        `SELECT nullif(current_setting('transaction_isolation'), 'read committed') AS blind, pg_advisory_xact_lock(hashtext($1), hashtext($2))`,
        [tables.orders, recipient],
        client,
      );
      const blind = turn?.['blind'] ?? undefined;
      if (blind !== undefined)
        throw new Error(
          `duplicateWithin needs a transaction of the isolation level READ COMMITTED: one of the level ${blind} does not see what was placed since it began`,
        );
    },
    isDuplicate: (error) => hasCode(error, uniqueViolation),
  });

  return {
    ...store,
    ddl,
    createTables: () =>
      createTables({
        tables,
        steps: ddl.map((statements) => [statements]),
        run: rows,
        inTurn: (work) =>
          transaction(async (client) => {
            await rows('SELECT pg_advisory_xact_lock(hashtext($1))', [tables.orders], client);
            await work((sql) => rows(sql, [], client));
          }),
        noTable: '42P01',
        noRight: ['42501'],
      }),
  };
}
