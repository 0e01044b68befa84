import { AlreadyHandledError } from '../../errors/webhook-errors.js';
import { assertOption } from '../../validation/options.js';
import { type DedupeStore, type DedupeTimes, dedupeTimes, stateOf } from './dedupe.js';

/** What is used of `pg`'s `Pool`, `Client` and `PoolClient`, and of anything that has the same `query`. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/** What `postgresDedupe` is told. */
export interface PostgresDedupeOptions extends DedupeTimes {
  /** The table, with its schema where needed (default `billpay_webhook_events`). See `createTable`. */
  table?: string;
}

/** A store that can also take part in the caller's own database transaction. */
export interface PostgresDedupeStore extends DedupeStore {
  /** Makes the table unless it is there. For migrations, `tableDefinition` is the same as text. */
  createTable(): Promise<void>;
  /** The statement that `createTable` runs. */
  readonly tableDefinition: string;
  /** Deletes what has expired. The store does so by itself about once an hour. */
  deleteExpired(): Promise<void>;
  /**
   * Marks an event as done in the same transaction as its effect: both happen or neither does, exactly once.
   *
   * @example
   * ```ts
   * async 'transaction.completed'(event, { key }) {
   *   await inTransaction(pool, async (client) => {
   *     await client.query("UPDATE orders SET state = 'paid' WHERE reference = $1", [event.data.reference]);
   *     await dedupe.withTransaction(client).done(key); // throws when another run was first: roll back
   *   });
   * }
   * ```
   */
  withTransaction(client: PostgresClient): {
    /** @throws AlreadyHandledError when another run has handled the event: let it roll the transaction back. */
    done(key: string): Promise<void>;
  };
}

/** One or two plain SQL names; nothing in them can end the statement they stand in. */
const tableName = /^[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?$/i;

const hour = 3_600_000;

/** What two processes that make one table at the same moment may get: it is there then. */
const madeMeanwhile = ['23505', '42P07', '42710'];

/**
 * De-duplication over any number of processes through one PostgreSQL table (9.5 or later), and the only store with which an effect in the
 * same database happens exactly once: see `withTransaction`.
 *
 * @throws ConfigurationError naming the option that is wrong.
 * @example
 * ```ts
 * const dedupe = postgresDedupe(new Pool(), { table: 'billpay_webhook_events' });
 * await dedupe.createTable();
 * const handler = createWebhookHandler({ secret, dedupe, on: { ... } });
 * ```
 */
export function postgresDedupe(
  pool: PostgresClient,
  options: PostgresDedupeOptions = {},
): PostgresDedupeStore {
  const { lease, keep } = dedupeTimes(options, 'postgresDedupe', ['table']);
  const { table = 'billpay_webhook_events' } = options;
  assertOption(
    typeof Object(pool).query === 'function',
    'pool',
    "must have pg's query(text, values): a Pool or a Client",
  );
  assertOption(
    typeof table === 'string' && tableName.test(table),
    'table',
    'must be a plain table name, or schema.table',
  );

  const sql = statements(table);
  const any = async (text: string, values: unknown[], client = pool): Promise<boolean> =>
    (await client.query(text, values)).rows.length > 0;
  let nextSweep = Date.now() + hour;

  const deleteExpired = async (): Promise<void> => {
    await pool.query(sql.deleteExpired, []);
  };

  /** Now and then, beside the work. What goes wrong with it goes wrong with the work too, and is told there. */
  function sweep(): void {
    if (Date.now() < nextSweep) return;
    nextSweep = Date.now() + hour;
    deleteExpired().catch(() => undefined);
  }

  return {
    lease,
    tableDefinition: sql.create,
    deleteExpired,
    async createTable() {
      try {
        await pool.query(sql.create, []);
      } catch (error) {
        if (!madeMeanwhile.includes(String(Object(error).code))) throw error;
      }
    },
    async begin(key, owner = '') {
      sweep();
      const { rows } = await pool.query(sql.begin, [key, owner, lease]);
      return stateOf(Object(rows[0]).state);
    },
    async done(key, owner = '') {
      await any(sql.done, [key, owner, keep]);
    },
    async release(key, owner = '') {
      await any(sql.release, [key, owner]);
    },
    renew: (key, owner = '') => any(sql.renew, [key, owner, lease]),
    withTransaction: (client) => ({
      async done(key) {
        if (!(await any(sql.done, [key, '', keep], client))) throw new AlreadyHandledError();
      },
    }),
  };
}

/**
 * `begin` looks before it inserts, because an insert waits for a transaction that is just marking the same key. `done` does wait
 * there, and then sees what was marked. Times are the database's, so the clocks of the receivers do not matter.
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
