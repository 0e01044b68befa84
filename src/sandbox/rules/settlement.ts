import type { ServiceState } from './service-state.js';
import { wireTime } from './time-format.js';
import type { Transaction } from './transactions.js';

/** The two final states. */
export type SettlementOutcome = 'success' | 'failed';

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

  state.commit(() => {
    transaction.status = outcome;
    transaction.updated_at = wireTime(now.getTime());
    transaction.completed_at = transaction.updated_at;
    transaction.settledAt = now;
    transaction.settlesAt = undefined;
    const settled = { type: 'transaction', change: 'settled', transaction } as const;
    if (outcome === 'success') {
      transaction.token = tokenFor(transaction, state);
      return [settled];
    }
    const entry = client.wallet.refund(transaction.amount, transaction, now);
    transaction.refunded = true;
    return [settled, { type: 'wallet', clientId: client.clientId, entry }];
  });
  await state.deliveries.announce(client, transaction);
}
