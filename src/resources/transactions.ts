import type { Transaction } from '../contract/responses.js';
import type { ApiCall } from '../http/api-call.js';
import type { CallOperation } from '../http/call-operation.js';
import type { CallOptions } from '../options.js';
import { type WaitOptions, waitUntilSettled } from './wait-until-settled.js';

/** What became of purchases. */
export class Transactions {
  readonly #call: CallOperation;

  /** @internal */
  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * One transaction as it stands (GET /transactions/status). Webhooks are the primary way to learn of settlement; this is the
   * fallback. Needs a secret key.
   *
   * @param reference - the service's own, from `purchase.reference`; not the idempotency_key.
   * @throws `NotFoundError` for a reference that is unknown or another client's.
   *
   * @example
   * ```ts
   * const { transaction_status, token, refunded } = await billpay.transactions.status(purchase.reference);
   * ```
   */
  status(reference: string, options?: CallOptions): ApiCall<Transaction> {
    return this.#call('transactions.status', { reference }, options);
  }

  /**
   * Follows a transaction to its end. Resolves in a final state, `failed` included: a failed sale is a result, not an
   * exception, and has been refunded. Looks gently: first after about 2 s, then ever more slowly, to 30 s. Failures of one look that
   * may pass (no answer, 429, 5xx) do not end it.
   *
   * @throws `TimeoutError` after `timeout` (default 10 minutes), with the transaction as last seen; `AbortError`;
   * `NotFoundError`, `AuthenticationError` and other refusals at once.
   *
   * @example
   * ```ts
   * const transaction = await billpay.transactions.waitUntilSettled(purchase.reference, { timeout: 60_000 });
   * if (transaction.transaction_status === 'success') deliver(transaction.token);
   * else refundCustomer();
   * ```
   */
  async waitUntilSettled(reference: string, options?: WaitOptions): Promise<Transaction> {
    this.#call.check('transactions.status', { reference });
    return waitUntilSettled(reference, (lookOptions) => this.status(reference, lookOptions), options);
  }
}
