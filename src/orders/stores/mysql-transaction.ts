import { hasCode } from '../../utils/has-code.js';
import { TransactionEndedError } from '../../utils/transaction-ended-error.js';
import type { MysqlOrderClient, MysqlOrderConnection, MysqlOrderPool } from './mysql-pool.js';

/** A deadlock: the transaction is gone, and nothing of it was stored. */
const deadlock = 'ER_LOCK_DEADLOCK';

/** The savepoint is gone, and with it the transaction that had it. */
const noSavepoint = 'ER_SP_DOES_NOT_EXIST';

/**
 * Runs `work` in one transaction on a connection of its own: committed when it resolves, rolled back when it rejects. The savepoint shows
 * whether `work` ended the transaction by itself.
 *
 * Every statement sees what others have committed: a purchase must not be decided by an older view.
 *
 * @throws `TransactionEndedError` where `work` ended the transaction by itself.
 */
export async function inMysqlTransaction<T>(
  pool: MysqlOrderPool,
  work: (client: MysqlOrderConnection) => Promise<T>,
): Promise<T> {
  const client = await pool.getConnection();
  let isDone = false;
  let isBroken = false;
  try {
    await client.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await client.query('START TRANSACTION');
    await client.query('SAVEPOINT billpay');
    const result = await work(client);
    isDone = true;
    await leave(client, 'RELEASE SAVEPOINT billpay');
    await client.query('COMMIT');
    return result;
  } catch (error) {
    if (!isDone && !hasCode(error, deadlock)) await leave(client, 'ROLLBACK TO SAVEPOINT billpay', error);
    throw error;
  } finally {
    await client.query('ROLLBACK').catch(() => {
      isBroken = true;
    });
    if (isBroken) client.destroy();
    else client.release();
  }
}

/** A connection that was lost is no sign that `work` ended its transaction: then the first error stands. */
async function leave(client: MysqlOrderClient, statement: string, thrown?: unknown): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    if (hasCode(error, noSavepoint)) throw new TransactionEndedError(thrown ?? error);
    if (thrown === undefined) throw error;
  }
}

/** Repeats work that ended in a deadlock, of which nothing was stored. */
export async function withoutDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 5 || !hasCode(error, deadlock)) throw error;
    }
  }
}
