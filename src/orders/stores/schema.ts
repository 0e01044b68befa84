import { hasCode } from '../../utils/has-code.js';
import { quotedTable } from '../../validation/sql-names.js';
import type { Dialect } from './sql.js';

/** The names of the tables of orders, quoted. */
export interface OrderTables {
  readonly orders: string;
  /** Rows that are locked while orders for the same recipient take turns. */
  readonly locks: string;
  /** Names an index after its table, without its schema, as it is created. */
  index(suffix: string): string;
}

/**
 * Names the tables after schema and table, whose names the options of the store have checked.
 *
 * @param quote - the quotation mark of names.
 */
export const orderTables = (schema: string | undefined, table: string, quote = '"'): OrderTables => ({
  orders: quotedTable(schema, table, quote),
  locks: quotedTable(schema, `${table}_locks`, quote),
  index: (suffix) => quotedTable(undefined, `${table}_${suffix}`, quote),
});

/**
 * The statements that create the tables, the same columns in every database: times are ms since the epoch, flags 0 or 1, JSON is text. A
 * key is compared byte by byte.
 */
export function ddlOf(tables: OrderTables, { keyType, textType, createTable }: Dialect): readonly string[] {
  const { orders, locks, index } = tables;
  const columns = [
    `id ${keyType} NOT NULL PRIMARY KEY`,
    'product VARCHAR(16) NOT NULL',
    `params ${textType} NOT NULL`,
    `recipient ${keyType} NOT NULL`,
    `customer ${keyType}`,
    `run ${keyType}`,
    'state VARCHAR(16) NOT NULL',
    'attempt INTEGER NOT NULL DEFAULT 0',
    `reference ${keyType} UNIQUE`,
    'amount NUMERIC(20, 2)',
    'amount_charged NUMERIC(20, 2)',
    'commission NUMERIC(20, 2)',
    'refunded INTEGER NOT NULL DEFAULT 0',
    'awaiting_refund INTEGER NOT NULL DEFAULT 0',
    'contradicted INTEGER NOT NULL DEFAULT 0',
    `token ${textType}`,
    `last_error ${textType}`,
    'tries INTEGER NOT NULL DEFAULT 0',
    'created_at BIGINT NOT NULL',
    'updated_at BIGINT NOT NULL',
    'due_at BIGINT',
    'doubted_at BIGINT',
    'accepted_at BIGINT',
    'settled_at BIGINT',
    'expires_at BIGINT',
    // One line of JSON for each change, separated by commas.
    `history ${textType} NOT NULL`,
    // A random number of the statement that wrote the row last: by it a database without RETURNING finds what it has written.
    'written_as BIGINT NOT NULL',
  ];
  const indexes = {
    due: 'state, due_at',
    created: 'created_at, id',
    state: 'state, created_at, id, awaiting_refund, contradicted',
    recipient: 'recipient, created_at, id',
    settled: 'settled_at',
    run: 'run, created_at, id',
  };
  const named = Object.entries(indexes).map(([suffix, on]) => [index(suffix), on] as const);
  return [
    ...createTable(locks, ['slot INTEGER NOT NULL PRIMARY KEY', 'turns INTEGER NOT NULL'], []),
    ...createTable(orders, columns, named),
  ];
}

/** The databases' codes of a right that the role lacks. */
const noRight = ['42501', 'ER_TABLEACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR'];

/**
 * Creates the tables unless they exist, which needs no right to create anything.
 *
 * @param run - runs one statement.
 * @param create - creates the tables that are not there.
 */
export async function createTables(
  { orders }: OrderTables,
  run: (sql: string) => Promise<unknown>,
  create: () => Promise<void>,
): Promise<void> {
  const exists = await run(`SELECT 1 FROM ${orders} WHERE 1 = 0`).then(
    () => true,
    () => false,
  );
  if (exists) return;
  try {
    await create();
  } catch (cause) {
    if (!hasCode(cause, ...noRight)) throw cause;
    throw new Error(
      `There are no tables of orders, and the role of this connection has no right to create them. Call createTables() once with a role that may, such as in a migration, and give this role SELECT, INSERT, UPDATE and DELETE on ${orders} and the table of its locks.`,
      { cause },
    );
  }
}
