import { hasCode } from '../../utils/has-code.js';
import type { Row } from './rows.js';
import type { OrderTables } from './tables.js';

type Run = (sql: string) => Promise<readonly Row[]>;

/** How a database brings the tables of orders up to date. */
export interface TableUpgrade {
  readonly tables: OrderTables;
  /** The statements of each version. */
  readonly steps: readonly (readonly string[])[];
  /** Runs one statement. */
  readonly run: Run;
  /** Runs work on one connection, while other processes that call this wait. */
  inTurn(work: (run: Run) => Promise<void>): Promise<void>;
  /** The database's code of a table that is not there. */
  readonly noTable: string;
  /** The database's codes of a right that the role lacks. */
  readonly noRight: readonly string[];
}

/** Creates the tables, or brings them up to date. Tables that are current need no right to create or alter anything. */
export async function createTables({
  tables: { orders, version },
  steps,
  run,
  inTurn,
  noTable,
  noRight,
}: TableUpgrade): Promise<void> {
  const versionBy = async (runIn: Run): Promise<number> => {
    try {
      const [row] = await runIn(`SELECT max(version) AS version FROM ${version}`);
      return Number(row?.['version'] ?? 0);
    } catch (error) {
      if (hasCode(error, noTable)) return 0;
      throw error;
    }
  };
  try {
    if ((await versionBy(run)) >= steps.length) return;
    await inTurn(async (runIn) => {
      await runIn(`CREATE TABLE IF NOT EXISTS ${version} (version integer NOT NULL)`);
      const current = await versionBy(runIn);
      for (const [at, statements] of steps.entries()) {
        if (at < current) continue;
        for (const statement of statements) await runIn(statement);
        await runIn(`INSERT INTO ${version} (version) VALUES (${at + 1})`);
      }
    });
  } catch (cause) {
    if (!hasCode(cause, ...noRight)) throw cause;
    throw new Error(
      `The tables of orders need version ${steps.length}, and the role of this connection has no right to create or alter them. Call createTables() once with a role that owns ${orders}, such as in a migration, and give this role SELECT, INSERT, UPDATE and DELETE.`,
      { cause },
    );
  }
}
