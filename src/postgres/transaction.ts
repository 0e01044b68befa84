import { callSafely } from '../utils/call-safely.js';
import { assertOption } from '../validation/options.js';

/** The part of `pg`'s `Pool`, `Client` and `PoolClient` that is used. Anything with the same `query` works as well. */
export interface PostgresClient {
  /** Runs one statement with `$1` … values. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** The part of `pg`'s `PoolClient` that is used in addition to `query`. */
interface PooledClient extends PostgresClient {
  release(destroy?: boolean): void;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  off?(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of `pg`'s `Pool` that is used for a transaction. `Client` is the type of its connections. */
export interface PostgresPool<Client> {
  connect(): Promise<Client & PooledClient>;
}

/** Whether a value has the `connect` of a pool. A connection that a pool has given out has it too, beside its `release`. */
export const isPool = <Client>(value: unknown): value is PostgresPool<Client> =>
  typeof Object(value).connect === 'function' && typeof Object(value).release !== 'function';

const savepoint = 'billpay';

/**
 * Runs `work` and then `mark` in one transaction on a connection of its own. Both are committed, or neither is.
 *
 * The savepoint shows after `work` whether the transaction still stands. Without it, a `work` that rolled back by itself would be
 * marked as done, and a COMMIT after an ignored SQL error rolls back without an error.
 *
 * @param work - code of the caller, which must neither commit nor roll back.
 * @param mark - what is written after it.
 */
export async function inTransaction<Client, Result>(
  pool: PostgresPool<Client>,
  work: (client: Client) => Result | PromiseLike<Result>,
  mark?: (client: PostgresClient) => Promise<void>,
): Promise<Result> {
  const client = await pool.connect();
  assertOption(
    typeof Object(client).release === 'function',
    'pool',
    'must be a Pool, whose connect() gives out connections that can be released',
  );
  let broken = false;
  client.on?.('error', ignore);
  try {
    await client.query(`BEGIN; SAVEPOINT ${savepoint}`);
    const result = await work(client);
    await client.query(`RELEASE SAVEPOINT ${savepoint}`).catch((cause: unknown) => {
      throw new Error(
        'the handler or hook ended the transaction by itself, or caught the error of one of its statements; the transaction is rolled back. Neither commit nor roll back there, and let such errors reject',
        { cause },
      );
    });
    await mark?.(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.off?.('error', ignore);
    callSafely(() => client.release(broken));
  }
}

/** A lost connection fails the next query. Without a listener, its `error` event would also end the process. */
const ignore = (): void => {};
