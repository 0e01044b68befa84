import { wireTime } from './format.js';
import type { Transaction } from './transactions.js';
import type { World } from './world.js';

/** The two final states. */
export type SettlementOutcome = 'success' | 'failed';

/** What the transaction delivers on success: electricity's token for prepaid meters, education's PINs, else nothing. */
function tokenFor(transaction: Transaction, { ids }: World): string | null {
  const { product, reference } = transaction;
  if (product === 'electricity' && transaction.meter_type === 'prepaid') return ids.meterToken(reference);
  if (product === 'edu') return ids.pins(transaction.biller.toUpperCase(), reference, transaction.quantity);
  return null;
}

/**
 * Brings a pending transaction to its final state: a failed one is refunded before its webhook goes out. Resolves after the
 * webhook's first attempt; does nothing to a transaction that is final already.
 */
export async function settle(
  world: World,
  transaction: Transaction,
  outcome: SettlementOutcome,
): Promise<void> {
  if (transaction.status !== 'pending') return;
  const account = world.accounts.byId(transaction.clientId);
  if (!account) return;
  const now = world.clock.now();

  transaction.status = outcome;
  transaction.updated_at = wireTime(now);
  transaction.completed_at = transaction.updated_at;
  transaction.settledAt = new Date(now);
  if (outcome === 'success') {
    transaction.token = tokenFor(transaction, world);
  } else {
    const entry = account.wallet.refund(transaction.amount, transaction, now);
    transaction.refunded = true;
    world.feed.emit({ type: 'wallet', clientId: account.clientId, entry });
  }
  world.feed.emit({ type: 'transaction', change: 'settled', transaction });
  await world.deliveries.announce(account, transaction);
}
