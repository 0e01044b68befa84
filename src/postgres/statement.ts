import { repeatOn } from '../utils/transactions.js';
import { hasCode } from '../utils/unknown.js';
import { isPool, type PostgresClient } from './pool.js';
import { inTransaction } from './transaction.js';

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
