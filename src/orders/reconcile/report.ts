import type { OrderState } from '../states.js';
import type { ReconcileFinding } from './finding.js';
import type { SalesSum, SalesTotal } from './sums.js';

/** How far a reconciliation is. */
export interface ReconcileProgress {
  /** Orders that were compared. */
  readonly orders: number;
  /** Lookups that were made. */
  readonly lookedUp: number;
  /** Differences that were found. */
  readonly findings: number;
  /** When the last order was placed that was compared; the newest orders come first. Undefined before the first. */
  readonly placedAt: Date | undefined;
}

/** What the rows of the statement add up to, in NGN. */
export interface StatementTotals {
  /** Rows that were read. */
  readonly rows: number;
  /** Money that left the wallet for sales. */
  readonly debited: number;
  /** Money that came back for failed sales. */
  readonly credited: number;
  /** Funding and other rows. */
  readonly other: number;
  /** By how much all rows change the wallet. */
  readonly change: number;
  /** By how much they should change it: each order charged once, each failed sale credited, nothing else. Undefined until `complete`. */
  readonly expectedChange: number | undefined;
  /** What the rows leave in the wallet; undefined without `openingBalance`. */
  readonly balance: number | undefined;
  /** What should remain in the wallet; undefined without `openingBalance`, and until `complete`. */
  readonly expectedBalance: number | undefined;
}

/** What `orders.reconcile` found. Plain data. */
export interface ReconcileReport {
  /** Orders that were placed at this time or later. */
  readonly from: Date;
  /** Orders that were placed before this time. */
  readonly to: Date;
  /** Orders of the range that were compared. */
  readonly orders: number;
  /** How many of them were found in each state. */
  readonly states: Readonly<Record<OrderState, number>>;
  /** Lookups that were made; an order that changes meanwhile is looked up again. */
  readonly lookedUp: number;
  /** Orders that were settled because of `apply`. */
  readonly applied: number;
  /** Every difference: first those of orders, the newest first, then those of the statement. */
  readonly findings: readonly ReconcileFinding[];
  /** What was charged, by day, product and biller. */
  readonly sums: readonly SalesSum[];
  /** The sum of `sums`. */
  readonly total: SalesTotal;
  /** What the statement says; undefined without one. */
  readonly statement: StatementTotals | undefined;
  /** Whether every order of the range was compared; false after an abort. */
  readonly complete: boolean;
  /** What continues this report, where it is not complete. */
  readonly checkpoint: string | undefined;
}
