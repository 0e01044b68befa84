import { toKobo, toNaira } from '../../contract/money.js';
import type { Transaction } from '../../contract/responses.js';
import { nairaOf } from '../decide.js';
import type { Order } from '../order.js';
import { isFinal } from '../states.js';
import type { Difference } from './finding.js';
import type { OrderLines, Span, StatementEntry, StatementLine } from './statement.js';

/** What the status check of an order brought. */
export type Lookup =
  | { readonly outcome: 'found'; readonly transaction: Transaction }
  | { readonly outcome: 'unknown-reference' }
  | { readonly outcome: 'failed'; readonly message: string }
  /** No status check was made. */
  | { readonly outcome: 'none' };

/** What is booked for an order: what its status check says, or else what is stored. Amounts are NGN. */
export interface BookEntry {
  readonly outcome: 'delivered' | 'failed' | 'open' | 'refused';
  readonly charged: number | undefined;
  readonly commission: number | undefined;
  readonly refunded: boolean;
}

/** When a row of an order was written, and whether it must then be in the statement. */
interface Expected extends Span {
  readonly isCovered: boolean;
}

/** What is expected of the rows of an order. */
interface Expectation {
  readonly debit: Expected;
  readonly credit: Expected;
  /** Whether a row that is missing is a difference: it is for the orders of the range alone. */
  readonly reportsMissing: boolean;
}

/** What the statement says of an order, compared. */
interface StatementVerdict {
  readonly differences: readonly Difference[];
  /** Kobo by which the rows of the order changed the wallet more than they should have. */
  readonly excessKobo: number;
  /** What the statement debited for the order, in kobo. */
  readonly debitedKobo: number | undefined;
}

/** An order, compared with all that is known of it. */
export interface OrderVerdict extends Pick<StatementVerdict, 'differences' | 'excessKobo'> {
  /** What is booked for it, where it was charged. */
  readonly entry: BookEntry | undefined;
}

/** The lines of an order in a statement. */
export interface OrderRows {
  readonly lines: OrderLines;
  /** The time in which every row is known. */
  readonly covered: Span;
  /** Whether the order is one of the range. */
  readonly isInRange: boolean;
}

/**
 * Compares an order with its status check and with its rows of the statement.
 *
 * @param rows - undefined without a statement, and where nothing of the order can be in it.
 */
export function compareOrder(order: Order, lookup: Lookup, rows?: OrderRows): OrderVerdict {
  const { state } = order;
  const entry = bookEntryOf(order, lookup);
  const verdict = rows && compareWithStatement(order, entry, rows);
  const debitedKobo = verdict?.debitedKobo;
  const charged = entry.charged ?? (debitedKobo === undefined ? undefined : toNaira(debitedKobo));
  const isCharged =
    entry.outcome !== 'refused' &&
    (debitedKobo !== undefined ||
      (lookup.outcome !== 'unknown-reference' && (order.reference !== undefined || isFinal(state))));
  const ofLookup = compareWithLookup(order, lookup);
  const differences = [
    ...ofLookup,
    // Of a refused order both sources can say that it was charged.
    ...(verdict?.differences ?? []).filter(({ kind }) => ofLookup.every((known) => known.kind !== kind)),
  ];
  const isNamed =
    order.reference !== undefined || differences.some(({ kind }) => kind === 'reference-missing');
  if (isCharged && !isNamed) differences.push({ kind: 'no-reference', stored: state });
  else if (isCharged && charged === undefined) differences.push({ kind: 'amount-unknown', stored: state });
  else if (differences.length === 0 && undecidedStates.includes(state))
    differences.push({ kind: 'undecided', stored: state });
  return {
    differences,
    entry: isCharged ? { ...entry, charged } : undefined,
    excessKobo: verdict?.excessKobo ?? 0,
  };
}

/** Nobody knows yet whether an order in one of these states was charged, or how it ended. */
const undecidedStates: readonly Order['state'][] = ['buying', 'unknown', 'review'];

/** The state of an order whose transaction has ended so; undefined while it has not. */
function endOf({ transaction_status: status }: Transaction): 'delivered' | 'failed' | undefined {
  if (status === 'success') return 'delivered';
  return status === 'failed' ? 'failed' : undefined;
}

/** Only `true` says that the money is back, not a text such as "false". */
const isRefunded = ({ refunded }: Transaction): boolean => refunded === true;

function bookEntryOf(order: Order, lookup: Lookup): BookEntry {
  const { state, amount, amountCharged = amount, commission, refunded } = order;
  if (lookup.outcome !== 'found')
    return { outcome: isFinal(state) ? state : 'open', charged: amountCharged, commission, refunded };
  const { transaction } = lookup;
  return {
    outcome: endOf(transaction) ?? 'open',
    charged: nairaOf(transaction.amount_charged) ?? amountCharged,
    commission: nairaOf(transaction.commission) ?? commission,
    refunded: isRefunded(transaction),
  };
}

/** Every difference between an order and what its status check brought. */
function compareWithLookup(order: Order, lookup: Lookup): Difference[] {
  const { state: stored } = order;
  if (lookup.outcome === 'none') return [];
  if (lookup.outcome === 'failed') return [{ kind: 'check-failed', stored, found: lookup.message }];
  if (lookup.outcome === 'unknown-reference') return [{ kind: 'unknown-reference', stored }];
  const { transaction } = lookup;
  if (stored === 'refused')
    return [{ kind: 'refused-but-charged', stored, found: transaction.transaction_status }];
  return [
    ...endDifferences(order, transaction),
    ...amountDifferences('amount', order.amountCharged, transaction.amount_charged),
    ...amountDifferences('commission', order.commission, transaction.commission),
  ];
}

/** The differences between how an order and its transaction have ended, or that one of them has not. */
function endDifferences({ state: stored, refunded }: Order, transaction: Transaction): Difference[] {
  const { transaction_status: found } = transaction;
  const end = endOf(transaction);
  const isBack = isRefunded(transaction);
  if (isFinal(stored)) {
    if (end !== stored) return [{ kind: 'state', stored, found }];
    return isBack === refunded ? [] : [{ kind: 'refund', stored: refunded, found: isBack }];
  }
  if (found === 'pending') return [];
  if (end === 'failed' && !isBack) return [{ kind: 'refund', stored, found: false }];
  return [{ kind: end ? 'unsettled' : 'state', stored, found }];
}

function amountDifferences(
  kind: 'amount' | 'commission',
  stored: number | undefined,
  reported: unknown,
): Difference[] {
  const found = nairaOf(reported);
  // What was never stored differs from nothing.
  const isSame = stored === undefined || found === undefined || toKobo(stored) === toKobo(found);
  return isSame ? [] : [{ kind, stored, found }];
}

/** The clocks of the service and of the database may differ so much, in ms. */
const edgeMs = 5 * 60_000;

const isIn = (expected: Span, { since, until }: Span): boolean =>
  until >= expected.since - edgeMs && since <= expected.until + edgeMs;

/** When the rows of an order were written: its debit before its acceptance was stored, its credit before its end was. */
function expectationOf(
  { createdAt, acceptedAt, settledAt }: Order,
  { covered, isInRange }: OrderRows,
): Expectation {
  const expected = (written = new Date()): Expected => {
    const [since, until] = [createdAt.getTime(), written.getTime()];
    return { since, until, isCovered: since >= covered.since + edgeMs && until < covered.until - edgeMs };
  };
  return {
    debit: expected(acceptedAt ?? settledAt),
    credit: expected(settledAt),
    reportsMissing: isInRange,
  };
}

/**
 * Compares an order with its rows of the wallet's statement, whichever day they are of: each is charged once, a failed one is credited once.
 */
function compareWithStatement(order: Order, entry: BookEntry, rows: OrderRows): StatementVerdict {
  const { state, reference } = order;
  const { own, others } = rows.lines;
  const netKobo = netOf([...own, ...others]);
  if (state === 'refused') {
    const difference = { kind: 'refused-but-charged', stored: state, found: toNaira(-netKobo) } as const;
    return { differences: netKobo < 0 ? [difference] : [], excessKobo: netKobo, debitedKobo: undefined };
  }
  const { debit: bought, credit: refunded, reportsMissing } = expectationOf(order, rows);
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

function rowDifferences(
  kind: 'debit' | 'credit',
  { right, surplus, kobo }: Rows,
  chargedKobo: number,
  state: Order['state'],
): Difference[] {
  const [stored, found] = [toNaira(chargedKobo), toNaira(kobo)];
  if (!right) return surplus > 0 ? [{ kind: `${kind}-late`, stored: state, found }] : [];
  if (surplus > 0) return [{ kind: `${kind}-repeated`, stored, found }];
  return kobo === chargedKobo ? [] : [{ kind: `${kind}-amount`, stored, found }];
}

const unexpected = ({ right, surplus, kobo }: Rows, stored: Order['state']): Difference[] =>
  right || surplus > 0 ? [{ kind: 'credit-unexpected', stored, found: toNaira(kobo) }] : [];

/** The rows that an order should have. What the statement does not cover is one difference, whether it is the debit, the credit or both. */
function missing(
  debits: Rows,
  bought: Expected,
  credits: Rows | undefined,
  refunded: Expected,
  stored: Order['state'],
): Difference[] {
  const isMissing = (rows: Rows | undefined) => rows && !rows.right && rows.surplus === 0;
  const [debit, credit] = [isMissing(debits), isMissing(credits)];
  const isOutside = (debit && !bought.isCovered) || (credit && !refunded.isCovered);
  return [
    ...(debit && bought.isCovered ? [{ kind: 'debit-missing', stored } as const] : []),
    ...(credit && refunded.isCovered ? [{ kind: 'credit-missing', stored } as const] : []),
    ...(isOutside ? [{ kind: 'not-covered', stored } as const] : []),
  ];
}
