import type { Row } from './rows.js';

/** A value of a statement. */
export type MysqlValue = string | number | null;

/** What is used of a connection of `mysql2/promise` within a transaction. */
export interface MysqlOrderClient {
  /** Runs one statement. */
  query(sql: string): Promise<readonly [unknown, unknown]>;
  /** Runs one prepared statement with values for its `?`. */
  execute(sql: string, values: MysqlValue[]): Promise<readonly [unknown, unknown]>;
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

/** Runs a prepared statement. */
export const run = async (
  client: MysqlOrderClient,
  sql: string,
  values: readonly MysqlValue[],
): Promise<unknown> => (await client.execute(sql, [...values]))[0];

/** The rows of a prepared query. */
export const rowsOf = async (
  client: MysqlOrderClient,
  sql: string,
  values: readonly MysqlValue[] = [],
): Promise<Row[]> => (await run(client, sql, values)) as Row[];
