import type { StoredOrder } from '../order.js';
import type { OrdersRuntime } from '../runtime.js';
import { compareWithStatement, type StatementVerdict } from './compare-statement.js';
import type { Examined } from './examine.js';
import type { Difference } from './finding.js';
import { type Sale, saleOf } from './sale.js';
import { type Coverage, covers, type ReadStatement } from './statement.js';

/** A statement that was read, and the time that it covers. */
export interface Evidence extends ReadStatement {
  readonly coverage: Coverage;
}

/** What is known about one order. */
export interface Judged {
  readonly differences: readonly Difference[];
  /** Its sale, where the service charged one. */
  readonly sale: Sale | undefined;
  /** Kobo by which its rows of the statement changed the wallet more than they should have. */
  readonly excessKobo: number;
}

/** Compares an order that was examined with the statement, where there is one. */
export async function judgeOrder<Client>(
  runtime: OrdersRuntime<Client>,
  { order, seen, differences }: Examined,
  statement: Evidence | undefined,
): Promise<Judged> {
  if (order.reference === undefined) return { differences, sale: undefined, excessKobo: 0 };
  const sale = saleOf(order, seen);
  const isSold = seen.outcome !== 'unknown-reference' && sale.outcome !== 'refused';
  const verdict = statement && (await judgeRows(runtime, order, sale, statement));
  // Of a refused order both sources can say that it was charged.
  const fromStatement = verdict?.differences.filter(({ kind }) =>
    differences.every((known) => known.kind !== kind),
  );
  return {
    differences: [...differences, ...(fromStatement ?? [])],
    sale: isSold ? sale : undefined,
    excessKobo: verdict?.excessKobo ?? 0,
  };
}

async function judgeRows<Client>(
  { store }: OrdersRuntime<Client>,
  order: StoredOrder & { readonly reference?: string | undefined },
  sale: Sale,
  { lines, coverage }: Evidence,
): Promise<StatementVerdict> {
  const line = lines.get(order.reference ?? '');
  const verdict = compareWithStatement(order, sale, line);
  const lacks = (kind: Difference['kind']) =>
    verdict.differences.some((difference) => difference.kind === kind);
  if (!lacks('debit-missing') && !lacks('credit-missing')) return verdict;
  const { createdAt, updatedAt, settledAt } = order;
  const accepted = (await store.history(order.id)).find(({ event }) => event === 'accept');
  return compareWithStatement(order, sale, line, {
    debit: covers(coverage, createdAt, accepted?.at ?? updatedAt),
    // An order that is not settled here yet may have been credited a moment ago.
    credit: covers(coverage, createdAt, settledAt ?? new Date()),
  });
}
