import type { PostgresClient } from '../../postgres/pool.js';
import { hasCode } from '../../utils/has-code.js';
import type { OrderTables } from './tables.js';

/** PostgreSQL's codes of a table that is not there and of a right that the role lacks. */
const noTable = '42P01';
const noRight = '42501';

/**
 * Creates the tables, or brings them up to date. Tables that are current need no right to create or alter anything.
 *
 * @param ddl - the statements of each version.
 */
export async function createPostgresTables(
  pool: PostgresClient,
  transaction: (work: (client: PostgresClient) => Promise<void>) => Promise<void>,
  { orders, version }: OrderTables,
  ddl: readonly string[],
): Promise<void> {
  try {
    if ((await versionOf(pool, version)) >= ddl.length) return;
    await transaction(async (client) => {
      // Processes that start together take turns.
      await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [orders]);
      await client.query(`CREATE TABLE IF NOT EXISTS ${version} (version integer NOT NULL)`);
      const current = await versionOf(client, version);
      for (const [at, statements] of ddl.entries()) {
        if (at < current) continue;
        await client.query(statements);
        await client.query(`INSERT INTO ${version} (version) VALUES ($1)`, [at + 1]);
      }
    });
  } catch (cause) {
    if (!hasCode(cause, noRight)) throw cause;
    throw new Error(
      `The tables of orders need version ${ddl.length}, and the role of this connection has no right to create or alter them. Call createTables() once with a role that owns ${orders}, such as in a migration, and give this role SELECT, INSERT, UPDATE and DELETE.`,
      { cause },
    );
  }
}

/** The version of the tables; 0 where there are none. */
async function versionOf(client: PostgresClient, version: string): Promise<number> {
  try {
    const { rows } = await client.query(`SELECT max(version) AS version FROM ${version}`);
    return Number(Reflect.get(Object(rows[0]), 'version') ?? 0);
  } catch (error) {
    if (hasCode(error, noTable)) return 0;
    throw error;
  }
}
