import { assertOption } from './options.js';

const plainName = /^[A-Za-z_][A-Za-z0-9_]{0,40}$/;

/** Refuses a schema or a table whose name is not plain: both become part of SQL text. Room is left for the names of indexes. */
export function checkSqlNames(names: { readonly schema: unknown; readonly table: unknown }): void {
  for (const option of ['schema', 'table'] as const) {
    const name = names[option];
    assertOption(
      (option === 'schema' && name === undefined) || (typeof name === 'string' && plainName.test(name)),
      option,
      'must be a plain name of letters, digits and underscores, at most 41 characters long',
    );
  }
}

/**
 * The name of a table in SQL text. Quoted, so that a name that is also a word of SQL works.
 *
 * @param quote - the quotation mark of names: MySQL has another one.
 */
export const quotedTable = (schema: string | undefined, table: string, quote = '"'): string =>
  [...(schema === undefined ? [] : [schema]), table].map((name) => quote + name + quote).join('.');
