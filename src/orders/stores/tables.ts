import { checkSqlNames, quotedTable } from '../../validation/sql-names.js';

/** The names of the tables of orders, quoted. */
export interface OrderTables {
  readonly orders: string;
  readonly history: string;
  readonly events: string;
  readonly version: string;
  /** Names an index after its table. */
  readonly index: (suffix: string) => string;
}

/** Checks the names of schema and table, and names the other tables after them. */
export function orderTables(schema: string | undefined, table: string): OrderTables {
  checkSqlNames({ schema, table });
  const named = (suffix: string) => quotedTable(schema, `${table}${suffix}`);
  return {
    orders: named(''),
    history: named('_history'),
    events: named('_events'),
    version: named('_version'),
    index: (suffix) => `"${table}_${suffix}"`,
  };
}
