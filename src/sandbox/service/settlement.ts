import type { SettlementOutcome } from '../records/objects.js';
import type { ServiceState } from './service-state.js';
import type { Transaction } from './transactions.js';

/** What the transaction delivers on success: electricity's token, whatever the kind of meter, education's PINs, else nothing. */
function tokenFor(transaction: Transaction, { ids }: ServiceState): string | null {
  const { product, reference } = transaction;
  if (product === 'electricity') return ids.meterToken(reference);
  if (product === 'edu') return ids.pins(transaction.biller.toUpperCase(), reference, transaction.quantity);
  return null;
}

/**
 * Brings a pending transaction to its final state: a failed one is refunded before its webhook is sent. Resolves after the
 * webhook's first attempt; does nothing to a transaction that is final already.
 */
export async function settle(
  state: ServiceState,
  transaction: Transaction,
  outcome: SettlementOutcome,
): Promise<void> {
  if (transaction.status !== 'pending') return;
  const client = state.clients.byId(transaction.clientId);
  if (!client) return;
  const now = state.clock.date();

  state.changes.commit(() => {
    state.transactions.settle(transaction, outcome, now);
    const settled = { type: 'transaction', change: 'settled', transaction } as const;
    if (outcome === 'success') {
      transaction.token = tokenFor(transaction, state);
      return [settled];
    }
    const entry = client.wallet.refund(transaction.amount, transaction, now);
    transaction.refunded = true;
    return [settled, { type: 'wallet', clientId: client.clientId, entry }];
  });
  await state.announce(client, transaction);
}

/** Settles a pending transaction when its time has come. */
export function scheduleSettlement(state: ServiceState, transaction: Transaction): void {
  const { settlesAt, settlesAs } = transaction;
  if (!settlesAt) return;
  state.clock.schedule(settlesAt.getTime() - state.clock.now(), () => settle(state, transaction, settlesAs));
}
