import type { Transaction } from '../../contract/responses.js';
import type { StoredOrder } from '../order.js';

/** What a lookup of an order brought. */
export type Seen =
  | { readonly outcome: 'found'; readonly transaction: Transaction }
  | { readonly outcome: 'unknown-reference' }
  | { readonly outcome: 'failed'; readonly message: string }
  /** No lookup was made. */
  | { readonly outcome: 'none' };

/** What is known of the sale behind an order: from its lookup, or else as it is stored. Amounts are NGN. */
export interface Sale {
  readonly outcome: 'delivered' | 'failed' | 'open' | 'refused';
  readonly charged: number | undefined;
  readonly commission: number | undefined;
  readonly refunded: boolean;
}

/** What is known of the sale of an order that has a reference. */
export function saleOf(order: StoredOrder, seen: Seen): Sale {
  const { state, amount, amountCharged, commission, refunded } = order;
  if (seen.outcome === 'found') {
    const { transaction } = seen;
    return {
      outcome: outcomeByStatus[transaction.transaction_status] ?? 'open',
      charged: naira(transaction.amount_charged) ?? amountCharged ?? amount,
      commission: naira(transaction.commission) ?? commission,
      refunded: transaction.refunded === true,
    };
  }
  return {
    outcome: state === 'delivered' || state === 'failed' || state === 'refused' ? state : 'open',
    charged: amountCharged ?? amount,
    commission,
    refunded,
  };
}

const outcomeByStatus: Readonly<Record<string, Sale['outcome']>> = { success: 'delivered', failed: 'failed' };

/** Responses are open: an amount that is missing or no number is not known. */
export const naira = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
