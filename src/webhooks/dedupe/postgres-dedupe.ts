import type { WebhookEvent } from '../../contract/events.js';
import { inTransaction, isPool, type PostgresClient, runStatement } from '../../postgres.js';
import { hasCode } from '../../utils/unknown.js';
import {
  assertOption,
  type OptionShape,
  optional,
  optionsOf,
  parseOptions,
  quotedTable,
  sqlName,
  withDefault,
} from '../../validation/options.js';
import { AlreadyHandledError } from '../errors.js';
import {
  type DedupeStore,
  type DedupeTimes,
  dedupeTimes,
  stateOf,
  type WebhookContext,
  type WebhookEventHandler,
} from './dedupe.js';

/** Options for `postgresDedupe`. */
export interface PostgresDedupeOptions extends DedupeTimes {
  /** The schema of the table. Default: the connection's search path. */
  schema?: string | undefined;
  /** The name of the table. Default `billpay_webhook_events`. */
  table?: string | undefined;
}

const optionsSchema = () =>
  optionsOf({
    ...dedupeTimes(),
    schema: optional(sqlName()),
    table: withDefault(sqlName(), 'billpay_webhook_events'),
  } satisfies OptionShape<PostgresDedupeOptions>);

/** The type of a pool's connections: `PoolClient` for `pg`'s `Pool`. */
export type PostgresConnection<Pool> = Pool extends {
  // The two ways to call `connect` of pg's Pool. With one of them alone, the compiler infers from the other.
  connect: { (): Promise<infer Client>; (callback: never): unknown };
}
  ? unknown extends Client
    ? PostgresClient
    : Client
  : PostgresClient;

/** A store that can also take part in a database transaction of the caller. */
export interface PostgresDedupeStore<Client = PostgresClient> extends DedupeStore {
  /** Creates the table unless it exists. May be called at every start, by any number of processes. */
  createTables(): Promise<void>;
  /** The statements that `createTables` runs, for your own migrations. */
  readonly ddl: readonly string[];
  /** Deletes expired rows. The store does this by itself about once an hour. */
  deleteExpired(): Promise<void>;
  /**
   * Makes an event handler of a function that writes the effect with the connection that it gets. The effect and the mark that
   * the event was handled are committed in one transaction, so the effect happens exactly once, whenever a process dies.
   * When the function throws, the transaction is rolled back and the service delivers the event again.
   *
   * The function must neither commit nor roll back, and must not catch errors of its queries: the transaction is then rolled back.
   *
   * @throws ConfigurationError when the store was created with something that is not a pool.
   * @example
   * ```ts
   * const dedupe = postgresDedupe(pool);
   * createWebhookHandler({
   *   secret: process.env.BILLPAY_WEBHOOK_SECRET,
   *   dedupe,
   *   on: {
   *     'transaction.completed': dedupe.transaction(async (client, { data }) => {
   *       await client.query("UPDATE orders SET state = 'paid' WHERE reference = $1", [data.reference]);
   *     }),
   *   },
   * });
   * ```
   */
  transaction<Event extends WebhookEvent>(
    handle: (client: Client, event: Event, context: WebhookContext) => unknown,
  ): WebhookEventHandler<Event>;
  /**
   * Marks an event as done in a transaction of the caller, together with its effect:
   * `await dedupe.withTransaction(client).done(key)`, with the `key` of the handler's second argument. Use `transaction` unless the
   * transaction begins and ends elsewhere.
   */
  withTransaction(client: PostgresClient): {
    /** @throws AlreadyHandledError when another run has handled the event. Roll the transaction back. */
    done(key: string): Promise<void>;
  };
}

const hour = 3_600_000;

/** Errors when two processes create the table at the same moment. It exists then. */
const createdMeanwhile = ['23505', '42P07', '42710'];

/**
 * De-duplication for any number of processes with one PostgreSQL table (9.5 or later). It is the only store with which an
 * effect in the same database happens exactly once: see `transaction`.
 *
 * @throws ConfigurationError that names the wrong option.
 * @example
 * ```ts
 * import { Pool } from 'pg';
 *
 * const dedupe = postgresDedupe(new Pool());
 * await dedupe.createTables();
 * const handler = createWebhookHandler({ secret, dedupe, on });
 * ```
 */
export function postgresDedupe<Pool extends PostgresClient>(
  pool: Pool,
  options: PostgresDedupeOptions = {},
): PostgresDedupeStore<PostgresConnection<Pool>> {
  const { lease, keep, schema, table } = parseOptions(optionsSchema(), options, { owner: 'postgresDedupe' });
  assertOption(
    typeof Object(pool).query === 'function',
    'pool',
    "must have pg's query(text, values): a Pool or a Client",
  );
  const name = quotedTable(schema, table);

  const sql = statements(name);
  const matches = async (text: string, values: unknown[]): Promise<boolean> =>
    (await runStatement(pool, text, values)).length > 0;
  const markDone = async (key: string, client: PostgresClient): Promise<void> => {
    const { rows } = await client.query(sql.done, [key, '', keep]);
    if (rows.length === 0) throw new AlreadyHandledError();
  };
  let nextDeletion = performance.now() + hour;

  const deleteExpired = async (): Promise<void> => {
    await runStatement(pool, sql.deleteExpired);
  };

  /** Not awaited and not reported: what fails here also fails the query of the event, which is reported. */
  function deleteExpiredHourly(): void {
    if (performance.now() < nextDeletion) return;
    nextDeletion = performance.now() + hour;
    deleteExpired().catch(() => undefined);
  }

  return {
    lease,
    ddl: [sql.create],
    deleteExpired,
    async createTables() {
      // A role without the right to create tables can start where the table exists.
      if (await matches('SELECT WHERE to_regclass($1) IS NOT NULL', [name])) return;
      try {
        await pool.query(sql.create, []);
      } catch (error) {
        if (!hasCode(error, ...createdMeanwhile)) throw error;
      }
    },
    async begin(key, owner = '') {
      deleteExpiredHourly();
      const [row] = await runStatement(pool, sql.begin, [key, owner, lease]);
      return stateOf(Object(row).state);
    },
    async done(key, owner = '') {
      await matches(sql.done, [key, owner, keep]);
    },
    async release(key, owner = '') {
      await matches(sql.release, [key, owner]);
    },
    renew: (key, owner = '') => matches(sql.renew, [key, owner, lease]),
    transaction(handle) {
      assertOption(
        isPool<PostgresConnection<Pool>>(pool),
        'pool',
        'must be a Pool with connect() for `transaction`: a single connection cannot hold several transactions at once',
      );
      return async (event, context) => {
        await inTransaction(pool, (client) => handle(client, event, context), {
          mark: (client) => markDone(context.key, client),
        });
      };
    },
    withTransaction: (client) => ({ done: (key) => markDone(key, client) }),
  };
}

/**
 * `begin` reads before it inserts, because an insert waits for a transaction that is marking the same key. `done` does wait for
 * it, and then sees the mark. All times are those of the database, so the clocks of the receivers do not matter.
 */
const statements = (table: string) => ({
  create: `CREATE TABLE IF NOT EXISTS ${table} (
  key text PRIMARY KEY,
  owner text NOT NULL,
  done boolean NOT NULL,
  expires_at timestamptz NOT NULL
)`,
  begin: `WITH seen AS (
  SELECT done, expires_at <= clock_timestamp() AS expired FROM ${table} WHERE key = $1
), claimed AS (
  INSERT INTO ${table} AS existing (key, owner, done, expires_at)
  SELECT $1, $2, false, clock_timestamp() + $3 * interval '1 millisecond'
  WHERE NOT EXISTS (SELECT FROM seen WHERE NOT expired)
  ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, done = false, expires_at = excluded.expires_at
  WHERE existing.expires_at <= clock_timestamp() RETURNING key
)
SELECT CASE
  WHEN EXISTS (SELECT FROM claimed) THEN 'new'
  WHEN EXISTS (SELECT FROM seen WHERE done AND NOT expired) THEN 'done'
  ELSE 'busy'
END AS state`,
  done: `INSERT INTO ${table} AS existing (key, owner, done, expires_at)
VALUES ($1, $2, true, clock_timestamp() + $3 * interval '1 millisecond')
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, done = true, expires_at = excluded.expires_at
WHERE NOT existing.done RETURNING key`,
  release: `DELETE FROM ${table} WHERE key = $1 AND owner = $2 AND NOT done RETURNING key`,
  renew: `UPDATE ${table} SET expires_at = clock_timestamp() + $3 * interval '1 millisecond'
WHERE key = $1 AND owner = $2 AND NOT done AND expires_at > clock_timestamp() RETURNING key`,
  deleteExpired: `DELETE FROM ${table} WHERE expires_at <= clock_timestamp()`,
});
