import * as z from 'zod/mini';
import { toKobo } from '../../contract/money.js';
import { ValidationError } from '../../errors/api-errors.js';
import type { Order } from '../order.js';

/** One row of the wallet's statement. */
export interface StatementRow {
  /** The service's reference; undefined or empty for rows that belong to no purchase. */
  readonly reference?: string | undefined;
  /** `debit`: money left the wallet for a purchase. `credit`: it came back for a failed one. `other`: funding, fees and the like. */
  readonly kind: 'debit' | 'credit' | 'other';
  /** NGN. Not negative for a debit or a credit; of `other`, negative where the wallet lost it. */
  readonly amount: number;
  /** When. A debit at another time than its order was bought is a second one; without times that is not seen. */
  readonly time?: Date | undefined;
  /** The `idempotency_key` of the purchase, where the statement has it: it leads to orders whose reference was never stored. */
  readonly key?: string | undefined;
}

/** The statement of the wallet for a time range. */
export interface WalletStatement {
  /** The rows in any order; `statementRows` makes them from the rows of a CSV file. */
  readonly rows: Iterable<StatementRow> | AsyncIterable<StatementRow>;
  /** When it begins. Default: `from` of the reconciliation, or the first row if that is earlier. */
  readonly from?: Date | undefined;
  /** When it ends. Default: `to` of the reconciliation, or the last row if that is later. */
  readonly to?: Date | undefined;
  /** NGN in the wallet before the first row: the summary then says what should remain. */
  readonly openingBalance?: number | undefined;
  /** NGN in the wallet after the last row: the rows must then lead to it. Needs `openingBalance`. */
  readonly closingBalance?: number | undefined;
}

/** A time range in ms since the epoch, both ends included. */
export interface Span {
  readonly since: number;
  readonly until: number;
}

/** A debit or credit, and the time in which it was written: that of its row, or else that of the statement, as far as it is known. */
export interface StatementEntry extends Span {
  readonly kind: 'debit' | 'credit';
  readonly kobo: number;
}

/** The debits and credits of one reference; of one key where its rows have no reference; or a single one that has neither. */
export interface StatementLine {
  readonly reference: string | undefined;
  readonly key: string | undefined;
  readonly entries: readonly StatementEntry[];
}

/** A statement that was read. */
export interface Statement {
  /** By `lineId`. */
  readonly lines: ReadonlyMap<string, StatementLine>;
  /** Those with a reference and a key, by their key. */
  readonly byKey: ReadonlyMap<string, readonly StatementLine[]>;
  /** How many rows were read. */
  readonly rows: number;
  /** What they add up to by their kinds, in kobo. */
  readonly kobo: Readonly<Record<StatementRow['kind'], number>>;
  /** By how many kobo they change the wallet. */
  readonly changeKobo: number;
  /** The time in which every row is known. */
  readonly covered: Span;
}

const lineId = (reference: string | undefined, key: string | undefined, row: number): string => {
  if (reference !== undefined) return `reference ${reference}`;
  return key === undefined ? `row ${row}` : `key ${key}`;
};

/** The lines of one order. */
export interface OrderLines {
  /** Under its reference, or under its key alone. */
  readonly own: readonly StatementLine[];
  /** Under its key, with another reference. */
  readonly others: readonly StatementLine[];
}

/** The lines of an order in a statement. */
export function linesOf(
  { lines, byKey }: Statement,
  { id, reference }: Pick<Order, 'id' | 'reference'>,
): OrderLines {
  const own = [
    reference === undefined ? undefined : lines.get(lineId(reference, id, 0)),
    lines.get(lineId(undefined, id, 0)),
  ];
  return {
    own: own.filter((line) => line !== undefined),
    others: byKey.get(id)?.filter((line) => line.reference !== reference) ?? [],
  };
}

const rowSchema = z.object({
  reference: z.optional(z.string()),
  kind: z.enum(['debit', 'credit', 'other'], { error: 'kind must be debit, credit or other' }),
  amount: z.number({ error: 'amount must be a finite number of NGN' }),
  time: z.optional(z.date({ error: 'time must be a valid Date, or left out' })),
  key: z.optional(z.string()),
});

/**
 * Reads a statement and groups its rows by their references.
 *
 * @throws `ValidationError` that names the row and its field.
 */
export async function readStatement(
  { rows, from, to }: Pick<WalletStatement, 'rows' | 'from' | 'to'>,
  range: { readonly from: Date; readonly to: Date },
): Promise<Statement> {
  const lines = new Map<string, StatementLine & { readonly entries: StatementEntry[] }>();
  const byKey = new Map<string, StatementLine[]>();
  const sums = { debit: 0, credit: 0, other: 0 };
  const covered = { since: range.from.getTime(), until: range.to.getTime() };
  const given = {
    since: from?.getTime() ?? Number.NEGATIVE_INFINITY,
    until: to?.getTime() ?? Number.POSITIVE_INFINITY,
  };
  let count = 0;
  for await (const row of rows) {
    count++;
    const { kind, amount, time, ...names } = checkedRow(row, count);
    const [reference, key] = [names.reference || undefined, names.key || undefined];
    const kobo = toKobo(amount);
    sums[kind] += kobo;
    const at = time?.getTime();
    covered.since = Math.min(covered.since, at ?? covered.since);
    covered.until = Math.max(covered.until, at ?? covered.until);
    if (kind === 'other') continue;
    const id = lineId(reference, key, count);
    const line = lines.get(id) ?? { reference, key, entries: [] };
    line.entries.push({ kind, kobo, ...(at === undefined ? given : { since: at, until: at }) });
    lines.set(id, line);
    if (reference === undefined || key === undefined) continue;
    const known = byKey.get(key) ?? [];
    if (!known.includes(line)) byKey.set(key, [...known, line]);
  }
  return {
    lines,
    byKey,
    rows: count,
    kobo: sums,
    changeKobo: sums.credit - sums.debit + sums.other,
    covered: { since: from?.getTime() ?? covered.since, until: to?.getTime() ?? covered.until },
  };
}

function checkedRow(given: StatementRow, row: number): StatementRow {
  const result = rowSchema.safeParse(given);
  if (!result.success) throw rowError(row, result.error.issues[0]?.message ?? 'it is no row');
  const { kind, amount } = result.data;
  if (kind !== 'other' && amount < 0)
    throw rowError(row, 'amount must not be negative: kind says in which direction it went');
  return result.data;
}

/** A row that cannot be read. No value of it is shown. */
export const rowError = (row: number, problem: string): ValidationError =>
  new ValidationError(`Row ${row} of the statement cannot be read: ${problem}.`, {
    operation: 'orders.reconcile',
    errors: { [`statement.rows[${row - 1}]`]: problem },
  });
