import { secretsInToken } from '../../redaction/patterns.js';
import { createRedactor } from '../../redaction/redactor.js';
import { callSafely } from '../../utils/call-safely.js';
import type { OrdersRuntime } from '../runtime.js';
import { settleOrder } from '../settle.js';
import { isFinal } from '../states.js';
import type { OrderChange } from '../store.js';
import { tokenText } from '../tokens.js';
import type { Examined } from './examine.js';
import { naira } from './sale.js';

/**
 * Settles an order that has not ended as its lookup says, with its hooks. Of an order that has ended, stores what was never stored. Whether
 * the order was settled. An error of a hook is reported to `onError`, and the order stays as it was.
 */
export async function applyLookup<Client>(
  runtime: OrdersRuntime<Client>,
  { order, seen, differences }: Examined,
): Promise<boolean> {
  if (seen.outcome !== 'found') return false;
  const { transaction } = seen;
  const { transaction_status: status, token } = transaction;
  const amountCharged = naira(transaction.amount_charged);
  const commission = naira(transaction.commission);
  try {
    if (differences.some(({ kind }) => kind === 'unsettled')) {
      const outcome = status === 'success' ? 'success' : 'failed';
      const settlement = { outcome, token, amountCharged, commission, source: 'status' } as const;
      return (await settleOrder(runtime, order, settlement)) !== undefined;
    }
    const { id, state, attempt } = order;
    const change: OrderChange = {
      ...(order.amountCharged === undefined && amountCharged !== undefined && { amountCharged }),
      ...(order.commission === undefined && commission !== undefined && { commission }),
    };
    if (!isFinal(state) || differences.length > 0 || Object.keys(change).length === 0) return false;
    const note = 'amounts were stored by a reconciliation';
    await runtime.store.update({ id, state, attempt }, change, {
      event: 'note',
      detail: { source: 'status', note },
    });
  } catch (error) {
    // A hook may quote the token that it was given.
    const cause = createRedactor(secretsInToken(tokenText(token))).cause(error);
    callSafely(() => runtime.onError(cause, order.id));
  }
  return false;
}
