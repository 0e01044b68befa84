/** Rows as a file. */

/** One row by column; what is not there is an empty cell. */
export type Row = Readonly<Record<string, unknown>>;

const textOf = (cell: unknown): string => (cell instanceof Date ? cell.toISOString() : String(cell ?? ''));

/** As RFC 4180 quotes it. What a spreadsheet would run as a formula becomes text: callers can put anything into a field. */
function csvCell(cell: unknown): string {
  const text = textOf(cell);
  const safe = typeof cell === 'string' && /^[=@\t\r]|^[+-](?!\d+$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** As CSV: one line for the names of the columns, one for each row. */
export function csvOf(columns: readonly string[], rows: readonly Row[]): string {
  const lines = rows.map((row) => columns.map((column) => csvCell(row[column])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}

/** As a list of JSON objects. */
export function jsonOf(columns: readonly string[], rows: readonly Row[]): string {
  const shown = rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null])));
  return JSON.stringify(shown, undefined, 1);
}
