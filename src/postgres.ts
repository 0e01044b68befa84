import { callSafely } from './utils/functions.js';
import { repeatOn, TransactionEndedError } from './utils/transactions.js';
import { hasCode } from './utils/unknown.js';
import { assertOption } from './validation/options.js';

/**
 * What is used of `pg`'s `Pool`, `Client` and `PoolClient`. Anything with the same `query` works as well: the transactions of Drizzle,
 * Kysely and Prisma can be given this form.
 */
export interface PostgresClient {
  /** Runs one statement with `$1` … values. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** What is used of a pool's connection. */
export interface PooledClient extends PostgresClient {
  /** Returns the connection to its pool, or ends it. */
  release(destroy?: boolean): void;
  /** Listens to the loss of the connection. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Stops listening. */
  off?(event: 'error', listener: (error: Error) => void): unknown;
}

/** What is used of `pg`'s `Pool`. `Client` is the type of its connections. */
export interface PostgresPool<Client = PostgresClient> extends PostgresClient {
  /** Takes a connection out of the pool: returns a promise of it, or returns nothing and calls back. */
  connect(
    callback?: (error: Error | undefined, client: Client & PooledClient) => void,
  ): Promise<Client & PooledClient> | undefined;
}

/** Whether a value has the `connect` of a pool. A pool's connection has it too, beside its `release`. */
export const isPool = <Client>(value: unknown): value is PostgresPool<Client> =>
  typeof Object(value).connect === 'function' && typeof Object(value).release !== 'function';

/** PostgreSQL's codes of what is to be repeated: a transaction that cannot be serialized, and one that a deadlock ended. */
export const repeatedCodes = ['40001', '40P01'];

/**
 * Runs one statement by itself. Where the database has a stricter isolation than READ COMMITTED by default, it may reject a statement
 * because of others that run at the same moment: that statement is run again in a transaction of READ COMMITTED.
 */
export async function runStatement(
  client: PostgresClient,
  sql: string,
  values: readonly unknown[] = [],
): Promise<unknown[]> {
  const run = async (on: PostgresClient) =>
    (await on.query(sql, values.length > 0 ? [...values] : undefined)).rows;
  try {
    return await run(client);
  } catch (error) {
    if (!hasCode(error, ...repeatedCodes)) throw error;
  }
  return repeatOn(repeatedCodes, () =>
    isPool<PostgresClient>(client) ? inTransaction(client, run) : run(client),
  );
}

/** How a transaction runs. */
interface TransactionOptions {
  /** What is written after the work. */
  readonly mark?: (client: PostgresClient) => Promise<void>;
  /** ms after which PostgreSQL ends a connection that waits for its next statement. Default: the server's own limit. */
  readonly idleLimitMs?: number;
}

const savepoint = 'billpay';

/**
 * Runs `work` and then `mark`, where there is one, in one transaction on a connection of its own. Both are committed, or neither is.
 *
 * The savepoint shows after `work`, whether it threw or not, whether the transaction still exists. Without it, a `work` that rolled back
 * by itself would be marked as done, a COMMIT after an ignored SQL error would roll back without an error, and a `work` that committed by
 * itself and then threw would look as if it had changed nothing.
 *
 * @throws `TransactionEndedError` where `work` ended the transaction by itself.
 *
 * @param work - code of the caller, which must neither commit nor roll back.
 */
export async function inTransaction<Client, Result>(
  pool: PostgresPool<Client>,
  work: (client: Client) => Result | PromiseLike<Result>,
  { mark, idleLimitMs }: TransactionOptions = {},
): Promise<Result> {
  const client = await connect(pool);
  assertOption(
    typeof Object(client).release === 'function',
    'pool',
    'must be a Pool, whose connect() returns connections that can be released',
  );
  let broken = false;
  let hasEnded = false;
  const limit =
    idleLimitMs === undefined ? '' : `SET LOCAL idle_in_transaction_session_timeout = ${idleLimitMs}; `;
  // Work that waits for something else would not notice, and keep its place in the pool.
  let reportLoss = ignore;
  const loss = new Promise<never>((_, reject) => {
    reportLoss = reject;
  });
  loss.catch(ignore);
  client.on?.('error', reportLoss);
  try {
    // Whatever the default of the database: a guard must see what others have committed.
    await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${limit}SAVEPOINT ${savepoint}`);
    const result = await Promise.race([work(client), loss]);
    hasEnded = true;
    const release = `RELEASE SAVEPOINT ${savepoint}`;
    // Where the savepoint is gone, the statement after it does not run.
    await client.query(mark ? release : `${release}; COMMIT`).catch((cause: unknown) => {
      throw hasCode(cause, ...endedCodes) ? new TransactionEndedError(cause) : cause;
    });
    if (mark) {
      await mark(client);
      await client.query('COMMIT');
    }
    return result;
  } catch (error) {
    const isLost = !hasEnded && (await isSavepointLost(client));
    await client.query('ROLLBACK').catch(() => {
      broken = true;
    });
    throw isLost ? new TransactionEndedError(error) : error;
  } finally {
    client.off?.('error', reportLoss);
    client.off?.('error', ignore);
    callSafely(() => client.release(broken));
  }
}

/** PostgreSQL's codes where a savepoint is gone: no transaction, a transaction that failed, or another one. */
const endedCodes = ['25P01', '25P02', '3B001'];

/** Whether work that threw had ended the transaction before. In a transaction that only failed, the savepoint can still be returned to. */
async function isSavepointLost(client: PostgresClient): Promise<boolean> {
  try {
    await client.query(`ROLLBACK TO SAVEPOINT ${savepoint}`);
    return false;
  } catch (error) {
    return hasCode(error, '25P01', '3B001');
  }
}

/**
 * Takes a connection out of the pool, and listens to its errors from the same moment on: a pool of pg stops listening before it calls
 * back, and a connection may be lost before a promise of it resolves. A `connect` without a parameter returns a promise.
 */
function connect<Client>(pool: PostgresPool<Client>): Promise<Client & PooledClient> {
  return new Promise((resolve, reject) => {
    const take = (client: Client & PooledClient): void => {
      client?.on?.('error', ignore);
      resolve(client);
    };
    if (pool.connect.length === 0) {
      pool.connect()?.then(take, reject);
      return;
    }
    const promise = pool.connect((error, client) => {
      if (error) reject(error);
      else take(client);
    });
    // An asynchronous wrapper that passes the callback on returns a promise too, of nothing.
    promise?.then((client) => client && take(client), reject);
  });
}

/** A lost connection fails the next query. Without a listener, its `error` event would also end the process. */
const ignore = (_: unknown): void => {};
