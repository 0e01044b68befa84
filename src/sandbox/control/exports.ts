import type { SandboxTransaction } from '../rules/transactions.js';
import { allOptional, wordOf } from '../schemas/kinds.js';
import type { Sandbox } from '../types.js';
import type { ControlCall } from './route.js';
import { transactionView } from './views.js';

/** Whole lists as files: flat rows, as CSV or as JSON. Tokens are never part of one. */

type Cell = string | number | boolean | Date | null | undefined;
export type Row = Readonly<Record<string, Cell>>;

/** The query parameter of every export. */
export const exportQuery = allOptional({ format: wordOf(['json', 'csv'], 'Default json.') });

const textOf = (cell: Cell): string => (cell instanceof Date ? cell.toISOString() : String(cell ?? ''));

/** As RFC 4180 quotes it. What a spreadsheet would run as a formula becomes text: callers can put anything into a field. */
function csvCell(cell: Cell): string {
  const text = textOf(cell);
  const safe = typeof cell === 'string' && /^[=@\t\r]|^[+-](?!\d+$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line for the names of the columns, one for each row. */
export function csvOf(columns: readonly string[], rows: readonly Row[]): string {
  const lines = rows.map((row) => columns.map((column) => csvCell(row[column])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}

/** Responds with a list as a file in the format that the query asks for. `columns` are those of an empty file, too. */
export function exportOf(
  {
    context,
    query,
  }: Pick<ControlCall, 'context'> & { readonly query: { readonly format?: 'csv' | 'json' | undefined } },
  name: string,
  columns: readonly string[],
  rows: readonly Row[],
): Response {
  const { format = 'json' } = query;
  context.header('content-type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json');
  context.header('content-disposition', `attachment; filename="${name.replace(/[^\w.-]/g, '_')}.${format}"`);
  if (format === 'csv') return context.body(csvOf(columns, rows));
  const shown = rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null])));
  return context.body(JSON.stringify(shown, undefined, 1));
}

/** The items that match, the last one first. */
export const newestFirst = <T>(items: readonly T[], matches: (item: T) => boolean): readonly T[] =>
  items.filter(matches).reverse();

export const transactionColumns = [
  'reference',
  'client_id',
  'product',
  'biller',
  'recipient',
  'product_code',
  'quantity',
  'meter_type',
  'idempotency_key',
  'amount',
  'state',
  'refunded',
  'commission',
  'created_at',
  'completed_at',
  'requests_sent',
  'webhook_state',
  'webhook_attempts',
  'webhook_last_status',
  'webhook_last_error',
] as const;

export function transactionRow(
  sandbox: Sandbox,
  transaction: SandboxTransaction,
): Readonly<Record<(typeof transactionColumns)[number], Cell>> {
  const { delivery, ...fields } = transactionView(sandbox, transaction);
  return {
    ...fields,
    webhook_state: delivery?.state,
    webhook_attempts: delivery?.attempts,
    webhook_last_status: delivery?.last_status,
    webhook_last_error: delivery?.last_error,
  };
}

export const deliveryColumns = [
  'id',
  'event',
  'reference',
  'client_id',
  'product',
  'biller',
  'recipient',
  'amount',
  'state',
  'at',
  'attempts',
  'last_status',
  'last_error',
  'last_reply',
  'last_url',
  'next_attempt_at',
] as const;

export const ledgerColumns = ['at', 'kind', 'amount', 'balance', 'reference', 'idempotency_key'] as const;
