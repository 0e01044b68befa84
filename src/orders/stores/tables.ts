import { quotedTable } from '../../validation/sql-names.js';

/** The names of the tables of orders, quoted. */
export interface OrderTables {
  readonly orders: string;
  readonly history: string;
  readonly events: string;
  readonly version: string;
  /** Rows that are locked while orders of the same content take turns: for databases without advisory locks. */
  readonly locks: string;
  /** Names what lies in the schema of the table after it. */
  readonly named: (suffix: string) => string;
  /** Names an index after its table, without its schema, as it is created. */
  readonly index: (suffix: string) => string;
}

/**
 * Names the tables after schema and table, whose names the options of the store have checked.
 *
 * @param quote - the quotation mark of names.
 */
export function orderTables(schema: string | undefined, table: string, quote = '"'): OrderTables {
  const named = (suffix: string) => quotedTable(schema, `${table}${suffix}`, quote);
  return {
    named,
    orders: named(''),
    history: named('_history'),
    events: named('_events'),
    version: named('_version'),
    locks: named('_locks'),
    index: (suffix) => quotedTable(undefined, `${table}_${suffix}`, quote),
  };
}
