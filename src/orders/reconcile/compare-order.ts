import { toKobo, toNaira } from '../../contract/money.js';
import type { Transaction } from '../../contract/responses.js';
import type { Order } from '../order.js';
import { isFinal } from '../states.js';
import { type BookEntry, bookEntryOf, type Lookup, naira } from './book-entry.js';
import { compareWithStatement, type Expectation, type OrderLines } from './compare-statement.js';
import type { Difference } from './finding.js';

/** An order, compared with all that is known of it. */
export interface OrderVerdict {
  readonly differences: readonly Difference[];
  /** What is booked for it, where it was charged. */
  readonly entry: BookEntry | undefined;
  /** Kobo by which its rows of the statement changed the wallet more than they should have. */
  readonly excessKobo: number;
}

/**
 * Compares an order with its status check and with its rows of the statement.
 *
 * @param rows - undefined without a statement, and where nothing of the order can be in it.
 */
export function compareOrder(
  order: Order,
  lookup: Lookup,
  rows?: { readonly lines: OrderLines; readonly expectation: Expectation } | undefined,
): OrderVerdict {
  const entry = bookEntryOf(order, lookup);
  const verdict = rows && compareWithStatement(order, entry, rows.lines, rows.expectation);
  const debitedKobo = verdict?.debitedKobo;
  const charged = entry.charged ?? (debitedKobo === undefined ? undefined : toNaira(debitedKobo));
  const isCharged =
    entry.outcome !== 'refused' &&
    (debitedKobo !== undefined ||
      (lookup.outcome !== 'unknown-reference' && (order.reference !== undefined || isFinal(order.state))));
  const ofLookup = compareWithLookup(order, lookup);
  const differences = [
    ...ofLookup,
    // Of a refused order both sources can say that it was charged.
    ...(verdict?.differences ?? []).filter(({ kind }) => ofLookup.every((known) => known.kind !== kind)),
  ];
  const isNamed =
    order.reference !== undefined || differences.some(({ kind }) => kind === 'reference-missing');
  const { state } = order;
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

/** Every difference between an order and what its status check brought. */
function compareWithLookup(order: Order, lookup: Lookup): Difference[] {
  if (lookup.outcome === 'none') return [];
  const { state } = order;
  if (lookup.outcome === 'failed') return [{ kind: 'check-failed', stored: state, found: lookup.message }];
  if (lookup.outcome === 'unknown-reference') return [{ kind: 'unknown-reference', stored: state }];
  const { transaction } = lookup;
  const status = transaction.transaction_status;
  if (state === 'refused') return [{ kind: 'refused-but-charged', stored: state, found: status }];
  return [
    ...(isFinal(state) ? endDifferences(order, transaction) : openDifferences(order, transaction)),
    ...amountDifference('amount', order.amountCharged, transaction.amount_charged),
    ...amountDifference('commission', order.commission, transaction.commission),
  ];
}

/** The status of the transaction of an order that has ended. */
const expectedStatus: Readonly<Record<string, string>> = { delivered: 'success', failed: 'failed' };

function endDifferences({ state, refunded }: Order, transaction: Transaction): Difference[] {
  const { transaction_status: status } = transaction;
  if (status !== expectedStatus[state]) return [{ kind: 'state', stored: state, found: status }];
  // Only `true` says that the money is back, not a text such as "false".
  const isBack = transaction.refunded === true;
  return isBack === refunded ? [] : [{ kind: 'refund', stored: refunded, found: isBack }];
}

function openDifferences({ state }: Order, transaction: Transaction): Difference[] {
  const { transaction_status: status, refunded } = transaction;
  if (status === 'pending') return [];
  if (status === 'failed' && refunded !== true) return [{ kind: 'refund', stored: state, found: false }];
  const hasEnded = status === 'success' || status === 'failed';
  return [{ kind: hasEnded ? 'unsettled' : 'state', stored: state, found: status }];
}

function amountDifference(
  kind: 'amount' | 'commission',
  stored: number | undefined,
  reported: unknown,
): Difference[] {
  const found = naira(reported);
  // What was never stored differs from nothing.
  return stored === undefined || found === undefined || toKobo(stored) === toKobo(found)
    ? []
    : [{ kind, stored, found }];
}
