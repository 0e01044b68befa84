import * as z from 'zod/mini';
import { toNaira } from '../../contract/money.js';
import { readProperty } from '../../utils/read-property.js';
import { instance, text } from '../../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import { timeZone } from '../call-options.js';
import { readMoment, timeZoneOf } from '../time-zone.js';
import { rowError, type StatementRow } from './statement.js';

/** Which column of a CSV file holds what, and what its kinds are called. */
export interface StatementColumns {
  /** The column of the service's reference. It may be empty in rows that belong to no sale. */
  readonly reference: string;
  /** The column that tells debits from credits. */
  readonly kind: string;
  /** The column of the amount in NGN: `1500`, `1,500.00`, `NGN 1,500.00`. */
  readonly amount: string;
  /** The column of the time: ISO 8601, or `YYYY-MM-DD HH:MM:SS` in `timeZone`. */
  readonly time?: string | undefined;
  /** The column of the `idempotency_key`, where the statement has one. */
  readonly key?: string | undefined;
  /** The words of the column `kind` for a debit, in any case. Default `debit`, `purchase`, `dr`. */
  readonly debit?: readonly string[] | undefined;
  /** The words for the credit of a failed sale. Default `credit`, `refund`, `reversal`, `cr`. */
  readonly credit?: readonly string[] | undefined;
  /** The words for every other row. Default `other`, `funding`, `deposit`, `topup`, `fee`. */
  readonly other?: readonly string[] | undefined;
  /** The time zone of times that name none, such as `Africa/Lagos`. Default `UTC`. */
  readonly timeZone?: string | undefined;
}

const words = () =>
  z.pipe(
    instance<readonly string[]>(
      (value) => Array.isArray(value) && value.every((word) => typeof word === 'string' && word !== ''),
      "must be a list of words, such as ['debit', 'purchase']",
    ),
    z.transform((list: readonly string[]) => list.map((word) => word.trim().toLowerCase())),
  );

const schema = optionsOf({
  reference: text(': the name of a column'),
  kind: text(': the name of a column'),
  amount: text(': the name of a column'),
  time: z.optional(text(': the name of a column')),
  key: z.optional(text(': the name of a column')),
  debit: z._default(words(), ['debit', 'purchase', 'dr']),
  credit: z._default(words(), ['credit', 'refund', 'reversal', 'cr']),
  other: z._default(words(), ['other', 'funding', 'deposit', 'topup', 'fee']),
  timeZone: z._default(timeZone(), 'UTC'),
} satisfies OptionShape<StatementColumns>);

/**
 * Makes the rows of a statement from the rows of a CSV file, as any CSV parser returns them: objects with the names of the columns.
 *
 * @throws `ConfigurationError` for a wrong option. While the rows are read: `ValidationError` for a row without one of the columns, with a kind
 * that has no word here, or with an amount or a time that cannot be read exactly.
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { parse } from 'csv-parse/sync';
 *
 * const csv = parse(await readFile('wallet.csv'), { columns: true });
 * const rows = statementRows(csv, { reference: 'Ref', kind: 'Type', amount: 'Amount (NGN)', time: 'Date' });
 * const [from, to] = [new Date('2026-11-21'), new Date('2026-11-22')];
 * const report = await orders.reconcile({ from, to, statement: { rows } });
 * ```
 */
export function statementRows(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  columns: StatementColumns,
): AsyncIterable<StatementRow> {
  const checked = parseOptions(schema, columns, { owner: 'statementRows' });
  return mappedRows(rows, checked);
}

async function* mappedRows(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  columns: z.output<typeof schema>,
): AsyncGenerator<StatementRow, void> {
  const zone = timeZoneOf(columns.timeZone);
  const kinds = new Map(
    (['debit', 'credit', 'other'] as const).flatMap((kind) => columns[kind].map((word) => [word, kind])),
  );
  let count = 0;
  for await (const row of rows) {
    count++;
    const fail = (problem: string) => rowError(count, problem);
    const textOf = (column: string): string => {
      const value = readProperty(row, column);
      if (value === undefined || value === null) throw fail(`it has no column ${column}`);
      return value instanceof Date ? value.toISOString() : String(value).trim();
    };
    const kind = kinds.get(textOf(columns.kind).toLowerCase());
    if (!kind)
      throw fail(`the word in its column ${columns.kind} is none of debit, credit and other: name it there`);
    const amount = amountOf(textOf(columns.amount));
    if (amount === undefined)
      throw fail(`the amount in its column ${columns.amount} is not such as 1,500.00`);
    const time = columns.time === undefined ? undefined : readMoment(textOf(columns.time), zone);
    if (time && Number.isNaN(time.getTime()))
      throw fail(`the time in its column ${columns.time} is not such as 2026-01-31 12:00:00`);
    const key = columns.key === undefined ? '' : textOf(columns.key);
    yield {
      reference: textOf(columns.reference) || undefined,
      kind,
      // Some statements write debits with a sign; the kind says the direction already.
      amount: kind === 'other' ? amount : Math.abs(amount),
      ...(time && { time }),
      ...(key && { key }),
    };
  }
}

const amountPattern =
  /^(?<open>\()?(?<sign>[-+]?)(?:NGN|₦|N)?(?<later>[-+]?)(?<whole>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?<part>\d*))?(?:NGN)?\)?$/i;

/** NGN, read digit by digit; undefined for a text that is no amount, or that has fractions of a kobo. */
export function amountOf(given: string): number | undefined {
  const {
    open,
    sign,
    later,
    whole = '',
    part = '',
  } = amountPattern.exec(given.replace(/\s/g, ''))?.groups ?? {};
  if (whole === '' || /[1-9]/.test(part.slice(2))) return undefined;
  const kobo = Number(whole.replaceAll(',', '') + part.slice(0, 2).padEnd(2, '0'));
  if (!Number.isSafeInteger(kobo)) return undefined;
  return toNaira(open || sign === '-' || later === '-' ? -kobo : kobo);
}
