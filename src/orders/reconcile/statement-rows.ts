import { toNaira } from '../../contract/money.js';
import { readProperty } from '../../utils/unknown.js';
import {
  assertOption,
  instance,
  type OptionShape,
  optional,
  optionsOf,
  parseOptions,
  text,
  withDefault,
} from '../../validation/options.js';
import { timeZone } from '../call-options.js';
import { readMoment, timeZoneOf } from '../time-zone.js';
import { rowError, type StatementRow } from './statement.js';

/** Which column of a CSV file holds what, and what its kinds are called. */
export interface StatementColumns {
  /** The column of the service's reference. It may be empty in rows that belong to no purchase. */
  readonly reference: string;
  /** The column that tells debits from credits. */
  readonly kind: string;
  /**
   * The column of the amount in NGN: `1500`, `1,500.00`, `NGN 1,500.00`. It is written without signs, or with the signs of the wallet: debits and
   * fees negative, credits and funding positive. A row that does otherwise is refused.
   */
  readonly amount: string;
  /** The column of the time: ISO 8601, or `YYYY-MM-DD HH:MM:SS` in `timeZone`. */
  readonly time?: string | undefined;
  /** The column of the `idempotency_key`, where the statement has one. */
  readonly key?: string | undefined;
  /** The words of the column `kind` for a debit, in any case. Default `debit`, `purchase`, `dr`. */
  readonly debit?: readonly string[] | undefined;
  /** The words for the credit of a failed purchase. Default `credit`, `refund`, `reversal`, `cr`. */
  readonly credit?: readonly string[] | undefined;
  /** The words for money that was paid into the wallet. Default `funding`, `deposit`, `topup`. */
  readonly funding?: readonly string[] | undefined;
  /** The words for money that the wallet lost otherwise. Default `fee`, `charge`. */
  readonly fee?: readonly string[] | undefined;
  /** The words for every other row; its amount must have a sign. Default `other`. */
  readonly other?: readonly string[] | undefined;
  /** The time zone of times that name none, such as `Africa/Lagos`. Default `UTC`. */
  readonly timeZone?: string | undefined;
}

/** What a word means for the wallet: 1 where it gains money, -1 where it loses some, 0 where the sign of the amount says it. */
const directions = { debit: -1, credit: 1, funding: 1, fee: -1, other: 0 } as const;

type Word = keyof typeof directions;

const defaultWords: Readonly<Record<Word, readonly string[]>> = {
  debit: ['debit', 'purchase', 'dr'],
  credit: ['credit', 'refund', 'reversal', 'cr'],
  funding: ['funding', 'deposit', 'topup'],
  fee: ['fee', 'charge'],
  other: ['other'],
};

const words = () =>
  optional(
    instance<readonly string[]>(
      (value) => Array.isArray(value) && value.every((word) => typeof word === 'string' && word !== ''),
      "must be a list of words, such as ['debit', 'purchase']",
    ),
  );

const schema = optionsOf({
  reference: text(': the name of a column'),
  kind: text(': the name of a column'),
  amount: text(': the name of a column'),
  time: optional(text(': the name of a column')),
  key: optional(text(': the name of a column')),
  debit: words(),
  credit: words(),
  funding: words(),
  fee: words(),
  other: words(),
  timeZone: withDefault(timeZone(), 'UTC'),
} satisfies OptionShape<StatementColumns>);

const checkedColumns = (columns: StatementColumns) =>
  parseOptions(schema, columns, { owner: 'statementRows' });

type Columns = ReturnType<typeof checkedColumns>;

/**
 * Makes the rows of a statement from the rows of a CSV file, as any CSV parser returns them: objects with the names of the columns. A parser
 * that can should give a list for several columns of one name (`group_columns_by_name` of csv-parse): such a column is refused.
 *
 * @throws `ConfigurationError` for a wrong option. While the rows are read: `ValidationError` for a row without one of the columns, with a kind
 * that has no word here, with an amount or a time that cannot be read exactly, or with another sign than the other rows.
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { parse } from 'csv-parse/sync';
 *
 * const csv = parse(await readFile('wallet.csv'), { columns: true, group_columns_by_name: true });
 * const rows = statementRows(csv, { reference: 'Ref', kind: 'Type', amount: 'Amount (NGN)', time: 'Date' });
 * const [from, to] = [new Date('2026-11-21'), new Date('2026-11-22')];
 * for await (const finding of orders.reconcile({ from, to, statement: { rows } })) console.log(finding);
 * ```
 */
export function statementRows(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  columns: StatementColumns,
): AsyncIterable<StatementRow> {
  return mappedRows(rows, rowReader(checkedColumns(columns)));
}

/** A row as it is written: what its amount means depends on the others. */
interface WrittenRow extends Pick<StatementRow, 'reference' | 'time' | 'key'> {
  readonly row: number;
  readonly word: Word;
  readonly amount: number;
  readonly hasSign: boolean;
}

async function* mappedRows(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  read: (row: unknown, count: number) => WrittenRow,
): AsyncGenerator<StatementRow, void> {
  const written: WrittenRow[] = [];
  for await (const row of rows) written.push(read(row, written.length + 1));
  const isSigned = written.some(({ word, amount }) => directions[word] < 0 && amount < 0);
  for (const row of written) {
    const { reference, time, key, word } = row;
    const amount = walletAmount(row, isSigned);
    yield {
      reference,
      kind: word === 'debit' || word === 'credit' ? word : 'other',
      amount: word === 'debit' ? Math.abs(amount) : amount,
      ...(time && { time }),
      ...(key && { key }),
    };
  }
}

/** By how much a row changes the wallet, in NGN. */
function walletAmount({ row, word, amount, hasSign }: WrittenRow, isSigned: boolean): number {
  const direction = directions[word];
  if (direction === 0) {
    if (isSigned || hasSign || amount === 0) return amount;
    throw rowError(row, 'its amount has no sign: name its word under funding or under fee');
  }
  if (isSigned ? amount * direction < 0 : amount < 0)
    throw rowError(
      row,
      'its amount has another sign than the other rows: whether money came or went is not certain',
    );
  return isSigned || amount === 0 ? amount : amount * direction;
}

/** What each word of the column `kind` means. A word that was given is taken out of the default ones. */
function meaningsOf(columns: Columns): ReadonlyMap<string, Word> {
  const meanings = new Map<string, Word>();
  const names = Object.keys(directions) as readonly Word[];
  for (const name of names) {
    for (const given of columns[name] ?? []) {
      const word = given.trim().toLowerCase();
      const other = meanings.get(word) ?? name;
      assertOption(other === name, name, `has a word that ${other} has as well: it can mean one of them`);
      meanings.set(word, name);
    }
  }
  for (const name of names.filter((one) => columns[one] === undefined))
    for (const word of defaultWords[name]) if (!meanings.has(word)) meanings.set(word, name);
  return meanings;
}

/** Reads the columns of one row. */
function rowReader(columns: Columns): (row: unknown, count: number) => WrittenRow {
  const zone = timeZoneOf(columns.timeZone);
  const meanings = meaningsOf(columns);
  return (row, count) => {
    const fail = (problem: string) => rowError(count, problem);
    const textOf = (column: string): string => {
      const value = readProperty(row, column);
      if (value === undefined || value === null) throw fail(`it has no column ${column}`);
      if (Array.isArray(value)) throw fail(`it has several columns ${column}`);
      return value instanceof Date ? value.toISOString() : String(value).trim();
    };
    const word = meanings.get(textOf(columns.kind).toLowerCase());
    if (!word)
      throw fail(
        `the word in its column ${columns.kind} is none of debit, credit, funding, fee and other: name it there`,
      );
    const written = textOf(columns.amount);
    const amount = amountOf(written);
    if (amount === undefined)
      throw fail(`the amount in its column ${columns.amount} is not such as 1,500.00`);
    const time = columns.time === undefined ? undefined : readMoment(textOf(columns.time), zone);
    if (time && Number.isNaN(time.getTime()))
      throw fail(`the time in its column ${columns.time} is not such as 2026-01-31 12:00:00`);
    const reference = textOf(columns.reference) || undefined;
    const key = columns.key === undefined ? undefined : textOf(columns.key) || undefined;
    return { row: count, word, amount, hasSign: /[-+(]/.test(written), reference, time, key };
  };
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
