import { repeatOn, TransactionEndedError } from '../../utils/transactions.js';
import { hasCode, readProperty } from '../../utils/unknown.js';
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
import { type Dialect, keyBytes, type SqlValue } from './sql.js';
import { sqlOrderStore } from './sql-store.js';

/** What is used of a connection of `mysql2/promise` within a transaction. */
export interface MysqlOrderClient {
  /** Runs one statement. */
  query(sql: string): Promise<readonly [unknown, unknown]>;
  /** Runs one prepared statement with values for its `?`. */
  execute(sql: string, values: SqlValue[]): Promise<readonly [unknown, unknown]>;
}

/** A connection that was taken out of a pool. */
export interface MysqlOrderConnection extends MysqlOrderClient {
  /** Puts it back. */
  release(): void;
  /** Closes it. */
  destroy(): void;
}

/** What is used of a pool of `mysql2/promise`. */
export interface MysqlOrderPool extends MysqlOrderClient {
  /** Takes a connection out of the pool. */
  getConnection(): Promise<MysqlOrderConnection>;
}

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
    inTransaction(pool, (client) => work(client as MysqlOrderClient as Client));

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

/** The savepoint is gone, and with it the transaction that had it. */
const noSavepoint = 'ER_SP_DOES_NOT_EXIST';

/** The bit in the status of a response that says that the connection is in a transaction. */
const inTransactionStatus = 1;

/**
 * How long a hook may leave its connection idle, in ms. Hooks that wait for another connection while they hold all of the pool's would
 * otherwise never continue.
 */
const idleLimitMs = 60_000;

/**
 * Runs `work` in one transaction on a connection of its own: committed when it resolves, rolled back when it rejects. The savepoint shows
 * whether the transaction that began is still there at the end.
 *
 * Every statement sees what others have committed: a purchase must not be decided by an older view.
 *
 * @throws `TransactionEndedError` where `work` ended the transaction, or went on after the database had ended it.
 */
async function inTransaction<T>(
  pool: MysqlOrderPool,
  work: (client: MysqlOrderConnection) => Promise<T>,
): Promise<T> {
  const connection = await pool.getConnection();
  const hook = guard(connection);
  let isOver = false;
  let isBroken = false;
  try {
    await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await connection.query('START TRANSACTION');
    await connection.query('SAVEPOINT billpay');
    hook.start();
    const result = await Promise.race([work(hook.client), hook.idle]);
    isOver = true;
    await hook.stop();
    await connection.query('RELEASE SAVEPOINT billpay').catch((error: unknown) => {
      throw hasCode(error, noSavepoint) ? new TransactionEndedError(hook.endedBy() ?? error) : error;
    });
    await connection.query('COMMIT');
    return result;
  } catch (error) {
    await hook.stop();
    const isLost = !isOver && error !== hook.endedBy() && (await isSavepointLost(connection));
    await connection.query('ROLLBACK').catch(() => {
      isBroken = true;
    });
    throw isLost ? new TransactionEndedError(error) : error;
  } finally {
    if (isBroken) connection.destroy();
    else connection.release();
  }
}

/** Whether work that threw had ended the transaction before. A connection that was lost is no sign of that: then the first error stands. */
const isSavepointLost = (connection: MysqlOrderConnection): Promise<boolean> =>
  connection.query('ROLLBACK TO SAVEPOINT billpay').then(
    () => false,
    (error: unknown) => hasCode(error, noSavepoint),
  );

/**
 * A connection as a hook gets it. MySQL ends a whole transaction at a deadlock, and commits each later statement by itself: so once the
 * database has ended the transaction no more statements are sent. Statements are sent one after another, so that none is on its way by then.
 */
function guard(connection: MysqlOrderConnection) {
  let isOpen = true;
  let endedBy: unknown;
  let refusal: Error | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let giveUp: (error: Error) => void = () => {};
  const idle = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  idle.catch(() => {});

  const watch = (): void => {
    timer = setTimeout(() => {
      refusal = new HookIdleError();
      connection.destroy();
      giveUp(refusal);
    }, idleLimitMs);
  };
  const send = async (method: 'query' | 'execute', given: unknown[]): Promise<unknown> => {
    if (refusal) throw refusal;
    clearTimeout(timer);
    try {
      const result: unknown = await Reflect.apply(connection[method], connection, given);
      isOpen &&= saysOpen(result);
      return result;
    } catch (error) {
      if (isOpen && (await hasEnded(connection))) {
        endedBy = error;
        refusal = new TransactionEndedError(error);
      }
      throw error;
    } finally {
      if (!refusal) watch();
    }
  };
  const inTurn =
    (method: 'query' | 'execute') =>
    (...given: unknown[]): Promise<unknown> => {
      const sent = last.then(() => send(method, given));
      last = sent.catch(() => {});
      return sent;
    };
  const methods: Partial<Record<string | symbol, unknown>> = {
    query: inTurn('query'),
    execute: inTurn('execute'),
  };

  return {
    client: new Proxy(connection, { get: (target, name) => methods[name] ?? Reflect.get(target, name) }),
    /** Rejects when the hook has left its connection idle for too long. */
    idle,
    start: watch,
    /** Takes no more statements, and resolves when the last one has ended. */
    async stop() {
      refusal ??= new Error('The hook has ended, and its transaction with it.');
      await last;
      clearTimeout(timer);
    },
    /** The error of the statement with which the database ended the transaction. */
    endedBy: () => endedBy,
  };
}

/** What the response to a statement says of the transaction; rows say nothing. */
function saysOpen(result: unknown): boolean {
  const status = Array.isArray(result) ? readProperty(result[0], 'serverStatus') : undefined;
  return typeof status !== 'number' || (status & inTransactionStatus) !== 0;
}

/** Whether the connection is in no transaction any more. */
const hasEnded = (connection: MysqlOrderConnection): Promise<boolean> =>
  connection.query('DO 0').then(
    (result) => !saysOpen(result),
    () => false,
  );

class HookIdleError extends Error {
  constructor() {
    super(
      'The hook sent nothing on its connection for 60 s, so its transaction was rolled back, and the hook will run again. A hook that waits for another connection of the same pool gets none while other hooks hold all of them: give its statements the client of the hook.',
    );
  }
}
