import type { Transaction } from '../../contract/responses.js';
import type { Order } from '../order.js';
import { isFinal } from '../states.js';

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

/** What is known of the purchase of an order. */
export function bookEntryOf(order: Order, lookup: Lookup): BookEntry {
  const { state, amount, amountCharged, commission, refunded } = order;
  if (lookup.outcome === 'found') {
    const { transaction } = lookup;
    return {
      outcome: outcomeByStatus[transaction.transaction_status] ?? 'open',
      charged: naira(transaction.amount_charged) ?? amountCharged ?? amount,
      commission: naira(transaction.commission) ?? commission,
      refunded: transaction.refunded === true,
    };
  }
  return {
    outcome: isFinal(state) ? state : 'open',
    charged: amountCharged ?? amount,
    commission,
    refunded,
  };
}

const outcomeByStatus: Readonly<Record<string, BookEntry['outcome']>> = {
  success: 'delivered',
  failed: 'failed',
};

/** Responses are open: an amount that is missing or no number is not known. */
export const naira = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
