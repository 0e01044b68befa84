import { toKobo, toNaira } from '../../contract/money.js';
import type { Order } from '../order.js';
import type { OrderState } from '../states.js';
import { timeZoneOf } from '../time-zone.js';
import type { BookEntry } from './compare.js';
import type { Statement, WalletStatement } from './statement.js';

/** What was bought, as far as the service charged it. Amounts are NGN. */
export interface BookTotal {
  /** Orders that were charged. */
  readonly orders: number;
  /** Of these, orders that were delivered. */
  readonly delivered: number;
  /** Of these, orders that failed. */
  readonly failed: number;
  /** Of these, orders that have not ended. */
  readonly open: number;
  /** What left the wallet, refunds not subtracted. */
  readonly charged: number;
  /** What came back for failed orders. */
  readonly refunded: number;
  /** Commission of delivered orders, as far as it is known. */
  readonly commission: number;
}

/** What was bought of one biller's product on one day. */
export interface BookSum extends BookTotal {
  /** `YYYY-MM-DD`: the day on which the orders were placed, in the `timeZone` of the reconciliation. */
  readonly day: string;
  /** The product family. */
  readonly product: Order['product'];
  /** The biller, in capitals. */
  readonly biller: string;
}

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

const nothing: BookTotal = {
  orders: 0,
  delivered: 0,
  failed: 0,
  open: 0,
  charged: 0,
  refunded: 0,
  commission: 0,
};

/** Sums by day, product and biller, added in kobo. */
export function bookSums(timeZone: string) {
  const { localOf } = timeZoneOf(timeZone);
  const sums = new Map<string, BookSum>();
  return {
    add({ createdAt, product, params }: Pick<Order, 'createdAt' | 'product' | 'params'>, entry: BookEntry) {
      const day = new Date(localOf(createdAt.getTime())).toISOString().slice(0, 10);
      const names = { day, product, biller: params.biller.toUpperCase() };
      const key = `${day} ${product} ${names.biller}`;
      sums.set(key, { ...names, ...plus(sums.get(key) ?? nothing, totalOf(entry)) });
    },
    list: (): BookSum[] => [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum),
    total: (): BookTotal => [...sums.values()].reduce<BookTotal>(plus, nothing),
  };
}

const totalOf = ({ outcome, charged = 0, commission = 0, refunded }: BookEntry): BookTotal => ({
  orders: 1,
  delivered: outcome === 'delivered' ? 1 : 0,
  failed: outcome === 'failed' ? 1 : 0,
  open: outcome === 'open' ? 1 : 0,
  charged,
  refunded: outcome === 'failed' && refunded ? charged : 0,
  commission: outcome === 'delivered' ? commission : 0,
});

const plus = (a: BookTotal, b: BookTotal): BookTotal => ({
  orders: a.orders + b.orders,
  delivered: a.delivered + b.delivered,
  failed: a.failed + b.failed,
  open: a.open + b.open,
  charged: plusNaira(a.charged, b.charged),
  refunded: plusNaira(a.refunded, b.refunded),
  commission: plusNaira(a.commission, b.commission),
});

const plusNaira = (a: number, b: number): number => toNaira(toKobo(a) + toKobo(b));

/** @param excessKobo - by how much the rows changed the wallet more than they should have, where that is known. */
export function totalsOf(
  { rows, kobo, changeKobo }: Statement,
  { openingBalance }: Pick<WalletStatement, 'openingBalance'>,
  excessKobo: number | undefined,
): StatementTotals {
  const expected = excessKobo === undefined ? undefined : changeKobo - excessKobo;
  const after = (change: number | undefined) =>
    openingBalance === undefined || change === undefined
      ? undefined
      : toNaira(toKobo(openingBalance) + change);
  return {
    rows,
    debited: toNaira(kobo.debit),
    credited: toNaira(kobo.credit),
    other: toNaira(kobo.other),
    change: toNaira(changeKobo),
    expectedChange: expected === undefined ? undefined : toNaira(expected),
    balance: after(changeKobo),
    expectedBalance: after(expected),
  };
}
