import type { SettledTransaction, Transaction } from '../contract/responses.js';
import type { ApiCall } from '../http/api-promise.js';
import type { CallOperation } from '../http/call-operation.js';
import type { CallOptions } from '../options.js';
import { type WaitOptions, waitUntilSettled } from './wait-until-settled.js';

/** Status lookups of purchases. */
export interface Transactions {
  /**
   * Looks up one transaction (GET /transactions/status). Webhooks are the primary way to learn about a settlement; this is the fallback.
   * `pending` is not final: the wallet has been debited, and the sale may still succeed or fail (docs/service.md, "States and transitions").
   * Amounts are in NGN. Needs a secret key.
   *
   * @param reference - the service's own reference, from `purchase.reference`; not the idempotency_key.
   * @throws `NotFoundError` for a reference that is unknown or belongs to another client; `UnexpectedResponseError` for a response about
   * another transaction.
   *
   * @example
   * ```ts
   * const { transaction_status, token, refunded } = await billpay.transactions.status(purchase.reference);
   * ```
   */
  status(reference: string, options?: CallOptions): ApiCall<Transaction>;

  /**
   * Waits until a transaction is over. Resolves for `success`, and for `failed` once the wallet has been refunded: a failed sale is a
   * result, not an error. A sale that failed without a refund is looked up until the refund or the time-out; `refund: 'ignore'` resolves at
   * once.
   *
   * Looks the transaction up first after about 2 s, then more and more slowly, to every 30 s. Transient failures of a lookup (no response,
   * 429, 5xx) do not end the wait.
   *
   * @throws `TimeoutError` after `timeout` ms (default 10 minutes), with the transaction as last seen; `AbortError`;
   * `NotFoundError`, `AuthenticationError` and other refusals at once; `UnexpectedResponseError` for a response about another transaction.
   *
   * @example
   * ```ts
   * const transaction = await billpay.transactions.waitUntilSettled(purchase.reference, { timeout: 60_000 });
   * if (transaction.transaction_status === 'success') await deliver(order, transaction.token);
   * else await refundCustomer(order.id);
   * ```
   */
  waitUntilSettled(reference: string, options?: WaitOptions): Promise<SettledTransaction>;
}

export const createTransactions = (call: CallOperation): Transactions => ({
  status: (reference, options) => call('transactions.status', { reference }, options),
  waitUntilSettled: async (reference, options) => {
    call.check('transactions.status', { reference });
    return waitUntilSettled(
      reference,
      (lookupOptions) => call('transactions.status', { reference }, lookupOptions),
      options,
    );
  },
});
