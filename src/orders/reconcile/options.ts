import * as z from 'zod/mini';
import { readProperty } from '../../utils/read-property.js';
import { flag, fn, instance, oneOf, signal, text, wholeNumber } from '../../validation/option-kinds.js';
import { assertOption } from '../../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import { date, timeZone } from '../call-options.js';
import type { ReconcileProgress } from './report.js';
import type { StatementRow, WalletStatement } from './statement.js';

/** Options for `orders.reconcile`. */
export interface ReconcileOptions {
  /** Orders that were placed at this time or later. */
  readonly from: Date;
  /** Orders that were placed before this time. */
  readonly to: Date;
  /** The wallet's statement. It should begin a little before `from` and end later than `to`, so that late credits are in it. */
  readonly statement?: WalletStatement | undefined;
  /**
   * Which orders are looked up: `all` that have a reference; `open`, only those that have not ended here; `none`, which compares with the
   * statement alone and sends no request. Default `all`.
   */
  readonly lookUp?: 'all' | 'open' | 'none' | undefined;
  /**
   * Lookups in any minute. Default 30: half of the 60 requests a minute that the service allows to one address, so that the shop continues to
   * sell. 10,000 orders then take five and a half hours.
   */
  readonly lookUpsPerMinute?: number | undefined;
  /** Lookups under way at once. Default 4. */
  readonly concurrency?: number | undefined;
  /**
   * Settles orders that have not ended as their lookups say, with their hooks, and stores amounts and commissions that were never stored. What
   * is stored and differs is not changed. Default false: nothing is changed.
   */
  readonly apply?: boolean | undefined;
  /** The time zone of the days in the sums, such as `Africa/Lagos`. Default `UTC`. */
  readonly timeZone?: string | undefined;
  /** Where an earlier call ended: the text that `onCheckpoint` was given last, or `checkpoint` of its report. All other options must be the same. */
  readonly checkpoint?: string | undefined;
  /** Called with a text to keep, after every 50 orders at most, and awaited: a later call continues from it. If it throws, the call ends with its error. */
  readonly onCheckpoint?: ((checkpoint: string) => unknown) | undefined;
  /** Called with the progress after each lookup and each page of orders. If it throws, the call ends with its error. */
  readonly onProgress?: ((progress: ReconcileProgress) => void) | undefined;
  /** Ends the call: it resolves to the report so far, with `complete: false` and a `checkpoint`. */
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
  from: z.optional(date()),
  to: z.optional(date()),
  openingBalance: z.optional(balance()),
  closingBalance: z.optional(balance()),
} satisfies OptionShape<WalletStatement>);

const schema = optionsOf({
  from: date(),
  to: date(),
  statement: z.optional(statementSchema),
  lookUp: z._default(oneOf(['all', 'open', 'none']), 'all'),
  lookUpsPerMinute: z._default(wholeNumber(1), 30),
  concurrency: z._default(wholeNumber(1), 4),
  apply: z._default(flag(), false),
  timeZone: z._default(timeZone(), 'UTC'),
  checkpoint: z.optional(text(': what onCheckpoint was given')),
  onCheckpoint: z.optional(fn<NonNullable<ReconcileOptions['onCheckpoint']>>(' that takes a text')),
  onProgress: z.optional(fn<NonNullable<ReconcileOptions['onProgress']>>(' that takes the progress')),
  signal: z.optional(signal()),
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
