import { instance } from './option-kinds.js';
import type { OptionSchema } from './options.js';

/** The name of a schema or a table, which becomes part of SQL text. Room is left for the names of indexes. */
export const sqlName = (): OptionSchema<string> =>
  instance(
    (value) => typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,40}$/.test(value),
    'must be a plain name of letters, digits and underscores, at most 41 characters long',
  );

/**
 * The name of a table in SQL text. Quoted, so that a name that is also a word of SQL works.
 *
 * @param quote - the quotation mark of names: MySQL has another one.
 */
export const quotedTable = (schema: string | undefined, table: string, quote = '"'): string =>
  [...(schema === undefined ? [] : [schema]), table].map((name) => quote + name + quote).join('.');
