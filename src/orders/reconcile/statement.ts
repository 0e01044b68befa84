import * as z from 'zod/mini';
import { toKobo } from '../../contract/money.js';
import { ValidationError } from '../../errors/api-errors.js';

/** One row of the wallet's statement. */
export interface StatementRow {
  /** The service's reference; undefined or empty for rows that belong to no sale. */
  readonly reference?: string | undefined;
  /** `debit`: money left the wallet for a sale. `credit`: it came back for a failed one. `other`: funding, fees and the like. */
  readonly kind: 'debit' | 'credit' | 'other';
  /** NGN. Not negative for a debit or a credit; of `other`, negative where the wallet lost it. */
  readonly amount: number;
  /** When. From these times the end of what the statement covers is known. */
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
  /** NGN in the wallet before the first row: the report then says what should remain. */
  readonly openingBalance?: number | undefined;
  /** NGN in the wallet after the last row: the report then says whether the rows add up. Needs `openingBalance`. */
  readonly closingBalance?: number | undefined;
}

/** What the rows of one reference add up to. */
export interface StatementLine {
  readonly debits: number;
  readonly debitedKobo: number;
  readonly credits: number;
  readonly creditedKobo: number;
  readonly key?: string | undefined;
}

/** A statement that was read. */
export interface ReadStatement {
  readonly lines: ReadonlyMap<string, StatementLine>;
  /** Debits and credits without a reference, in kobo. */
  readonly loose: readonly { readonly kind: 'debit' | 'credit'; readonly kobo: number }[];
  readonly rows: number;
  readonly debitedKobo: number;
  readonly creditedKobo: number;
  readonly otherKobo: number;
  /** ms since the epoch. */
  readonly first: number;
  readonly last: number;
}

const rowSchema = z.object({
  reference: z.optional(z.string()),
  kind: z.enum(['debit', 'credit', 'other'], { error: 'kind must be debit, credit or other' }),
  amount: z.number({ error: 'amount must be a finite number of NGN' }),
  time: z.optional(z.date({ error: 'time must be a valid Date, or left out' })),
  key: z.optional(z.string()),
});

/**
 * Reads a statement and adds up what it says of each reference.
 *
 * @throws `ValidationError` that names the row and its field.
 */
export async function readStatement({ rows }: Pick<WalletStatement, 'rows'>): Promise<ReadStatement> {
  const lines = new Map<string, StatementLine>();
  const loose: { kind: 'debit' | 'credit'; kobo: number }[] = [];
  const sums = { debit: 0, credit: 0, other: 0 };
  let count = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for await (const given of rows) {
    count++;
    const { reference, kind, amount, time, key } = checkedRow(given, count);
    const kobo = toKobo(amount);
    sums[kind] += kobo;
    if (time) {
      first = Math.min(first, time.getTime());
      last = Math.max(last, time.getTime());
    }
    if (kind === 'other') continue;
    if (reference) lines.set(reference, addedTo(lines.get(reference), kind, kobo, key));
    else loose.push({ kind, kobo });
  }
  return {
    lines,
    loose,
    rows: count,
    debitedKobo: sums.debit,
    creditedKobo: sums.credit,
    otherKobo: sums.other,
    first,
    last,
  };
}

function addedTo(
  line: StatementLine = { debits: 0, debitedKobo: 0, credits: 0, creditedKobo: 0 },
  kind: 'debit' | 'credit',
  kobo: number,
  key: string | undefined,
): StatementLine {
  const named = { ...line, ...(key && { key }) };
  return kind === 'debit'
    ? { ...named, debits: line.debits + 1, debitedKobo: line.debitedKobo + kobo }
    : { ...named, credits: line.credits + 1, creditedKobo: line.creditedKobo + kobo };
}

function checkedRow(given: StatementRow, row: number): StatementRow {
  const result = rowSchema.safeParse(given);
  if (!result.success) throw unreadableRow(row, result.error.issues[0]);
  const { kind, amount } = result.data;
  if (kind !== 'other' && amount < 0)
    throw unreadableRow(row, {
      message: 'amount must not be negative: kind says in which direction it went',
    });
  return result.data;
}

function unreadableRow(row: number, issue: { readonly message: string } | undefined): ValidationError {
  return rowError(row, issue?.message ?? 'it is no row');
}

/** A row that cannot be read. No value of it is shown. */
export const rowError = (row: number, problem: string): ValidationError =>
  new ValidationError(`Row ${row} of the statement cannot be read: ${problem}.`, {
    operation: 'orders.reconcile',
    errors: { [`statement.rows[${row - 1}]`]: problem },
  });

/** The times that a statement covers, in ms since the epoch. */
export interface Coverage {
  readonly from: number;
  readonly to: number;
}

/** What a statement covers, for a reconciliation of a range. */
export function coverageOf(
  given: Pick<WalletStatement, 'from' | 'to'>,
  { first, last }: Pick<ReadStatement, 'first' | 'last'>,
  range: { readonly from: Date; readonly to: Date },
): Coverage {
  return {
    from: given.from?.getTime() ?? Math.min(range.from.getTime(), first),
    to: given.to?.getTime() ?? Math.max(range.to.getTime(), last),
  };
}

/** The clocks of the service and of the database may differ so much that a row lies on the other side of an edge, in ms. */
const edgeMs = 5 * 60_000;

/** Whether a row that was written between two times must be in the statement. */
export const covers = ({ from, to }: Coverage, since: Date, until: Date): boolean =>
  since.getTime() >= from + edgeMs && until.getTime() < to - edgeMs;
