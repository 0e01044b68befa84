import { callSafely } from '../utils/functions.js';
import { TransactionEndedError } from '../utils/transactions.js';
import { hasCode } from '../utils/unknown.js';
import { assertOption } from '../validation/options.js';
import type { PooledClient, PostgresClient, PostgresPool } from './pool.js';

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
