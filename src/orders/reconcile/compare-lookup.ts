import { toKobo } from '../../contract/money.js';
import type { Transaction } from '../../contract/responses.js';
import type { StoredOrder } from '../order.js';
import { isFinal } from '../states.js';
import type { Difference } from './finding.js';
import { naira, type Seen } from './sale.js';

/** Every difference between an order and what its lookup brought. */
export function compareWithLookup(order: StoredOrder, seen: Seen): Difference[] {
  if (seen.outcome === 'none') return [];
  const { state } = order;
  if (seen.outcome === 'failed') return [{ kind: 'lookup-failed', stored: state, found: seen.message }];
  if (seen.outcome === 'unknown-reference') return [{ kind: 'unknown-reference', stored: state }];
  const { transaction } = seen;
  const status = transaction.transaction_status;
  if (state === 'refused') return [{ kind: 'refused-but-charged', stored: state, found: status }];
  return [
    ...(isFinal(state) ? endDifferences(order, transaction) : openDifferences(order, transaction)),
    ...amountDifference('amount', order.amountCharged, transaction.amount_charged),
    ...amountDifference('commission', order.commission, transaction.commission),
  ];
}

/** The status of the transaction of an order that has ended. */
const expectedStatus = { delivered: 'success', failed: 'failed' } as const;

function endDifferences({ state, refunded }: StoredOrder, transaction: Transaction): Difference[] {
  const { transaction_status: status } = transaction;
  if (status !== Reflect.get(expectedStatus, state)) return [{ kind: 'state', stored: state, found: status }];
  // Only `true` says that the money is back, not a text such as "false".
  const isBack = transaction.refunded === true;
  return isBack === refunded ? [] : [{ kind: 'refund', stored: refunded, found: isBack }];
}

function openDifferences({ state }: StoredOrder, transaction: Transaction): Difference[] {
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
