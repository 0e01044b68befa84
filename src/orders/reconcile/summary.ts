import { toKobo, toNaira } from '../../contract/money.js';
import type { OrderState } from '../states.js';
import type { Statement, WalletStatement } from './statement.js';
import type { BookSum, BookTotal } from './sums.js';

/** What the rows of the statement add up to, in NGN. */
export interface StatementTotals {
  /** Rows that were read. */
  readonly rows: number;
  /** Money that left the wallet for purchases. */
  readonly debited: number;
  /** Money that came back for failed ones. */
  readonly credited: number;
  /** Funding and other rows. */
  readonly other: number;
  /** By how much all rows change the wallet. */
  readonly change: number;
  /**
   * By how much they should change it: each order charged once, each failed one credited, nothing else. Undefined until the comparison is
   * complete.
   */
  readonly expectedChange: number | undefined;
  /** What the rows leave in the wallet; undefined without `openingBalance`. */
  readonly balance: number | undefined;
  /** What should remain in the wallet; undefined without `openingBalance`, and until the comparison is complete. */
  readonly expectedBalance: number | undefined;
}

/** What `orders.reconcile` has compared. Plain data. */
export interface ReconcileSummary {
  /** Orders that were placed at this time or later. */
  readonly from: Date;
  /** Orders that were placed before this time. */
  readonly to: Date;
  /** Orders of the range that were compared. */
  readonly orders: number;
  /** How many of them were found in each state. */
  readonly states: Readonly<Record<OrderState, number>>;
  /** Status checks that were made; an order that changes meanwhile is checked again. */
  readonly checked: number;
  /** Differences that were found. */
  readonly found: number;
  /** What was charged, by day, product and biller. */
  readonly sums: readonly BookSum[];
  /** The sum of `sums`. */
  readonly total: BookTotal;
  /** What the statement says; undefined without one, and until it was read. */
  readonly statement: StatementTotals | undefined;
  /** Whether everything was compared: false until then, and after an abort or an error. */
  readonly complete: boolean;
}

/** By how many kobo the rows of a statement change the wallet. */
export const changeKobo = ({ debitedKobo, creditedKobo, otherKobo }: Statement): number =>
  creditedKobo - debitedKobo + otherKobo;

/** @param excessKobo - by how much the rows changed the wallet more than they should have, where that is known. */
export function totalsOf(
  statement: Statement,
  { openingBalance }: Pick<WalletStatement, 'openingBalance'>,
  excessKobo: number | undefined,
): StatementTotals {
  const change = changeKobo(statement);
  const expected = excessKobo === undefined ? undefined : change - excessKobo;
  const nairaOf = (kobo: number | undefined) => (kobo === undefined ? undefined : toNaira(kobo));
  const after = (kobo: number | undefined) =>
    openingBalance === undefined || kobo === undefined ? undefined : toNaira(toKobo(openingBalance) + kobo);
  return {
    rows: statement.rows,
    debited: toNaira(statement.debitedKobo),
    credited: toNaira(statement.creditedKobo),
    other: toNaira(statement.otherKobo),
    change: toNaira(change),
    expectedChange: nairaOf(expected),
    balance: after(change),
    expectedBalance: after(expected),
  };
}
