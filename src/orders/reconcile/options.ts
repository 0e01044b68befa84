import { readProperty } from '../../utils/unknown.js';
import {
  assertOption,
  instance,
  type OptionShape,
  oneOf,
  optional,
  optionsOf,
  parseOptions,
  signal,
  wholeNumber,
  withDefault,
} from '../../validation/options.js';
import { date, timeZone } from '../call-options.js';
import type { StatementRow, WalletStatement } from './statement.js';

/** Options for `orders.reconcile`. */
export interface ReconcileOptions {
  /** Orders that were placed at this time or later. */
  readonly from: Date;
  /** Orders that were placed before this time. */
  readonly to: Date;
  /**
   * The wallet's statement. It should begin a little before `from` and end later than `to`, so that late credits are in it. Its rows are
   * compared with their orders whenever these were placed. Default: none.
   */
  readonly statement?: WalletStatement | undefined;
  /**
   * Which orders get a status check: `all` that have a reference; `open`, only those that have not ended here; `none`, which compares with the
   * statement alone and sends no request. Default `all`.
   */
  readonly check?: 'all' | 'open' | 'none' | undefined;
  /**
   * Status checks in any minute. Default 30: half of the 60 requests a minute that the service allows to one address, so that the shop continues
   * to buy. 10,000 orders then take five and a half hours.
   */
  readonly checksPerMinute?: number | undefined;
  /** The time zone of the days in the sums, such as `Africa/Lagos`. Default `UTC`. */
  readonly timeZone?: string | undefined;
  /** Ends the comparison: no more findings follow, and the summary says `complete: false`. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

const isIterable = (value: unknown): boolean =>
  typeof readProperty(value, Symbol.iterator) === 'function' ||
  typeof readProperty(value, Symbol.asyncIterator) === 'function';

const balance = () =>
  instance<number>((value) => typeof value === 'number' && Number.isFinite(value), 'must be a number of NGN');

const statementSchema = optionsOf({
  rows: instance<Iterable<StatementRow> | AsyncIterable<StatementRow>>(
    (value) => typeof value === 'object' && isIterable(value),
    'must be a list of rows, or something to iterate over, such as statementRows(csv, columns)',
  ),
  from: optional(date()),
  to: optional(date()),
  openingBalance: optional(balance()),
  closingBalance: optional(balance()),
} satisfies OptionShape<WalletStatement>);

const schema = optionsOf({
  from: date(),
  to: date(),
  statement: optional(statementSchema),
  check: withDefault(oneOf(['all', 'open', 'none']), 'all'),
  checksPerMinute: withDefault(wholeNumber(1), 30),
  timeZone: withDefault(timeZone(), 'UTC'),
  signal: optional(signal()),
} satisfies OptionShape<ReconcileOptions>);

/** Options of `orders.reconcile` with their defaults. */
export type CheckedReconcile = ReturnType<typeof checkedReconcile>;

/** Checks the options of `orders.reconcile`. */
export function checkedReconcile(given: ReconcileOptions) {
  const options = parseOptions(schema, given, { owner: 'orders.reconcile' });
  const { from, to, statement } = options;
  assertOption(from < to, 'to', 'must be later than from');
  assertOption(
    statement?.closingBalance === undefined || statement.openingBalance !== undefined,
    'statement.openingBalance',
    'is missing: closingBalance is compared with it and the rows',
  );
  return options;
}
