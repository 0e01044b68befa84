import { assertOption } from '../../validation/options.js';

/** The names of the tables of orders, quoted. */
export interface OrderTables {
  readonly orders: string;
  readonly history: string;
  readonly events: string;
  readonly version: string;
  /** Names an index after its table. */
  readonly index: (suffix: string) => string;
}

const identifier = /^[A-Za-z_][A-Za-z0-9_]{0,40}$/;

/** Checks the names of schema and table: they become part of SQL text. */
export function orderTables(schema: string | undefined, table: string): OrderTables {
  for (const [option, name] of [
    ['schema', schema],
    ['table', table],
  ] as const) {
    assertOption(
      name === undefined || (typeof name === 'string' && identifier.test(name)),
      option,
      'must be a plain name of letters, digits and underscores, at most 41 characters long',
    );
  }
  const prefix = schema === undefined ? '' : `"${schema}".`;
  const named = (suffix: string) => `${prefix}"${table}${suffix}"`;
  return {
    orders: named(''),
    history: named('_history'),
    events: named('_events'),
    version: named('_version'),
    index: (suffix) => `"${table}_${suffix}"`,
  };
}
