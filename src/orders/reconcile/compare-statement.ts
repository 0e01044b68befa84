import { toKobo, toNaira } from '../../contract/money.js';
import type { Order } from '../order.js';
import type { BookEntry } from './book-entry.js';
import type { Difference } from './finding.js';
import type { Span, StatementEntry, StatementLine } from './statement.js';

/** The rows of the statement that belong to one order. */
export interface OrderLines {
  /** Under its reference, or under its key alone. */
  readonly own: readonly StatementLine[];
  /** Under its key, with a reference that no order has. */
  readonly others: readonly StatementLine[];
}

/** When a row of an order was written, and whether it must then be in the statement. */
export interface Expected extends Span {
  readonly isCovered: boolean;
}

/** What is expected of the rows of an order. */
export interface Expectation {
  readonly debit: Expected;
  readonly credit: Expected;
  /** Whether a row that is missing is a difference: it is for the orders of the range alone. */
  readonly reportsMissing: boolean;
}

/** Every row of the order, whenever it was written, is in the statement. */
const always: Expected = {
  since: Number.NEGATIVE_INFINITY,
  until: Number.POSITIVE_INFINITY,
  isCovered: true,
};
export const everything: Expectation = { debit: always, credit: always, reportsMissing: true };

/** What the statement says of an order, judged. */
export interface StatementVerdict {
  readonly differences: readonly Difference[];
  /** Kobo by which the rows of the order changed the wallet more than they should have. */
  readonly excessKobo: number;
  /** What the statement debited for the order, in kobo. */
  readonly debitedKobo: number | undefined;
}

/** The clocks of the service and of the database may differ so much, in ms. */
const edgeMs = 5 * 60_000;

/** Whether rows that were written in a time must be in a statement. */
export const isCoveredBy = (covered: Span, { since, until }: Span): boolean =>
  since >= covered.since + edgeMs && until < covered.until - edgeMs;

const isIn = (expected: Span, { since, until }: Span): boolean =>
  until >= expected.since - edgeMs && since <= expected.until + edgeMs;

/**
 * Compares an order with its rows of the wallet's statement, whichever day they are of: each is charged once, a failed one is credited once.
 */
export function compareWithStatement(
  order: Pick<Order, 'state' | 'reference'>,
  entry: BookEntry,
  lines: OrderLines,
  expectation: Expectation,
): StatementVerdict {
  const { state, reference } = order;
  const { own, others } = lines;
  const netKobo = netOf([...own, ...others]);
  if (state === 'refused') {
    const difference = { kind: 'refused-but-charged', stored: state, found: toNaira(-netKobo) } as const;
    return { differences: netKobo < 0 ? [difference] : [], excessKobo: netKobo, debitedKobo: undefined };
  }
  const { debit: bought, credit: refunded, reportsMissing } = expectation;
  const adopted = hasDebit(own) ? undefined : adoptedLine(reference, others, bought);
  const entries = [...own, ...(adopted ? [adopted] : [])].flatMap((line) => line.entries);
  const debits = rowsIn(entries.filter(isDebit), bought);
  const credits = rowsIn(
    entries.filter((one) => !isDebit(one)),
    refunded,
  );
  const hasFailed = entry.outcome === 'failed';
  const chargedKobo = entry.charged === undefined ? (debits.right?.kobo ?? 0) : toKobo(entry.charged);
  const isDue = ({ right }: Rows, { isCovered }: Expected) =>
    right !== undefined || (isCovered && reportsMissing);
  const rightKobo =
    (hasFailed && isDue(credits, refunded) ? chargedKobo : 0) - (isDue(debits, bought) ? chargedKobo : 0);
  const isUnnamed = adopted !== undefined || (reference === undefined && own.length > 0);
  const twice = others.filter((line) => line !== adopted);
  const differences: Difference[] = [
    ...(isUnnamed
      ? [{ kind: 'reference-missing', stored: reference ?? state, found: adopted?.reference } as const]
      : []),
    ...twice.map((line) => ({
      kind: 'charged-twice' as const,
      reference: line.reference,
      stored: reference ?? adopted?.reference,
      found: toNaira(-netOf([line])),
    })),
    ...rowDifferences('debit', debits, chargedKobo, state),
    ...(hasFailed ? rowDifferences('credit', credits, chargedKobo, state) : unexpected(credits, state)),
    ...(reportsMissing ? missing(debits, bought, hasFailed ? credits : undefined, refunded, state) : []),
  ];
  return { differences, excessKobo: netKobo - rightKobo, debitedKobo: debits.right?.kobo };
}

const isDebit = ({ kind }: StatementEntry): boolean => kind === 'debit';

const hasDebit = (lines: readonly StatementLine[]): boolean =>
  lines.some(({ entries }) => entries.some(isDebit));

const netOf = (lines: readonly StatementLine[]): number =>
  lines
    .flatMap(({ entries }) => entries)
    .reduce((sum, { kind, kobo }) => sum + (kind === 'debit' ? -kobo : kobo), 0);

/** The line that belongs to an order under another reference than it has: its own debit must be in the statement, and is not. */
function adoptedLine(
  reference: string | undefined,
  others: readonly StatementLine[],
  bought: Expected,
): StatementLine | undefined {
  if (reference !== undefined && !bought.isCovered) return undefined;
  return others.find((line) => hasDebit([line])) ?? (reference === undefined ? others[0] : undefined);
}

/** The debits, or the credits, of an order. */
interface Rows {
  /** The one that belongs to it. */
  readonly right: StatementEntry | undefined;
  /** How many are too many. */
  readonly surplus: number;
  readonly kobo: number;
}

/** The row that belongs to an order is one of the expected time; where it must be in the statement, one of another time is taken for it. */
function rowsIn(entries: readonly StatementEntry[], expected: Expected): Rows {
  const right =
    entries.find((entry) => isIn(expected, entry)) ?? (expected.isCovered ? entries[0] : undefined);
  return {
    right,
    surplus: entries.length - (right ? 1 : 0),
    kobo: entries.reduce((sum, { kobo }) => sum + kobo, 0),
  };
}

type State = Order['state'];

function rowDifferences(
  kind: 'debit' | 'credit',
  { right, surplus, kobo }: Rows,
  chargedKobo: number,
  state: State,
): Difference[] {
  const [stored, found] = [toNaira(chargedKobo), toNaira(kobo)];
  if (!right) return surplus > 0 ? [{ kind: `${kind}-late`, stored: state, found }] : [];
  if (surplus > 0) return [{ kind: `${kind}-repeated`, stored, found }];
  return kobo === chargedKobo ? [] : [{ kind: `${kind}-amount`, stored, found }];
}

const unexpected = ({ right, surplus, kobo }: Rows, state: State): Difference[] =>
  right || surplus > 0 ? [{ kind: 'credit-unexpected', stored: state, found: toNaira(kobo) }] : [];

/** The rows that an order should have. What the statement does not cover is one difference, whether it is the debit, the credit or both. */
function missing(
  debits: Rows,
  bought: Expected,
  credits: Rows | undefined,
  refunded: Expected,
  state: State,
): Difference[] {
  const isMissing = (rows: Rows | undefined) => rows && !rows.right && rows.surplus === 0;
  const [debit, credit] = [isMissing(debits), isMissing(credits)];
  const isOutside = (debit && !bought.isCovered) || (credit && !refunded.isCovered);
  return [
    ...(debit && bought.isCovered ? [{ kind: 'debit-missing', stored: state } as const] : []),
    ...(credit && refunded.isCovered ? [{ kind: 'credit-missing', stored: state } as const] : []),
    ...(isOutside ? [{ kind: 'not-covered', stored: state } as const] : []),
  ];
}
