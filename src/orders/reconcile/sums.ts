import { toKobo, toNaira } from '../../contract/money.js';
import type { StoredOrder } from '../order.js';
import { timeZoneOf } from '../time-zone.js';
import type { Sale } from './sale.js';

/** What was sold, as far as the service charged it. Amounts are NGN. */
export interface SalesTotal {
  /** Orders that were charged. */
  readonly orders: number;
  /** Of these, orders that were delivered. */
  readonly delivered: number;
  /** Of these, orders whose sale failed. */
  readonly failed: number;
  /** Of these, orders that have not ended. */
  readonly open: number;
  /** What left the wallet, refunds not subtracted. */
  readonly charged: number;
  /** What came back for failed sales. */
  readonly refunded: number;
  /** Commission of delivered orders, as far as it is known. */
  readonly commission: number;
}

/** What was sold of one biller's product on one day. */
export interface SalesSum extends SalesTotal {
  /** `YYYY-MM-DD`: the day on which the orders were placed, in the `timeZone` of the reconciliation. */
  readonly day: string;
  /** The product family. */
  readonly product: StoredOrder['product'];
  /** The biller, in capitals. */
  readonly biller: string;
}

const nothing: SalesTotal = {
  orders: 0,
  delivered: 0,
  failed: 0,
  open: 0,
  charged: 0,
  refunded: 0,
  commission: 0,
};

/** Sums by day, product and biller. They are added in kobo. */
export interface SalesSums {
  /** Adds the sale of an order. */
  add(order: StoredOrder, sale: Sale): void;
  /** By day, product and biller. */
  list(): SalesSum[];
}

/**
 * Begins to add up, or continues.
 *
 * @param before - sums to continue.
 */
export function salesSums(timeZone: string, before: readonly SalesSum[] = []): SalesSums {
  const { localOf } = timeZoneOf(timeZone);
  const sums = new Map(before.map((sum) => [keyOf(sum), sum]));
  return {
    add({ createdAt, product, params }, sale) {
      const day = new Date(localOf(createdAt.getTime())).toISOString().slice(0, 10);
      const names = { day, product, biller: params.biller.toUpperCase() };
      const key = keyOf(names);
      sums.set(key, { ...names, ...plus(sums.get(key) ?? nothing, totalOf(sale)) });
    },
    list: () => [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum),
  };
}

/** The total of all sums. */
export const totalOfSums = (sums: readonly SalesTotal[]): SalesTotal => sums.reduce(plus, nothing);

const keyOf = ({ day, product, biller }: Pick<SalesSum, 'day' | 'product' | 'biller'>): string =>
  `${day} ${product} ${biller}`;

const totalOf = ({ outcome, charged = 0, commission = 0, refunded }: Sale): SalesTotal => ({
  orders: 1,
  delivered: outcome === 'delivered' ? 1 : 0,
  failed: outcome === 'failed' ? 1 : 0,
  open: outcome === 'open' ? 1 : 0,
  charged,
  refunded: outcome === 'failed' && refunded ? charged : 0,
  commission: outcome === 'delivered' ? commission : 0,
});

const plus = (a: SalesTotal, b: SalesTotal): SalesTotal => ({
  orders: a.orders + b.orders,
  delivered: a.delivered + b.delivered,
  failed: a.failed + b.failed,
  open: a.open + b.open,
  charged: plusNaira(a.charged, b.charged),
  refunded: plusNaira(a.refunded, b.refunded),
  commission: plusNaira(a.commission, b.commission),
});

const plusNaira = (a: number, b: number): number => toNaira(toKobo(a) + toKobo(b));
