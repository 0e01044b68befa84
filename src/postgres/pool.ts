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
