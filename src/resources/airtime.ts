import type { AirtimePurchaseParams } from '../contract/params.js';
import type { Purchase } from '../contract/responses.js';
import type { ApiCall } from '../http/api-promise.js';
import type { CallOperation } from '../http/call-operation.js';
import type { PurchaseOptions } from '../options.js';

/** Airtime top-ups. */
export interface Airtime {
  /**
   * Tops up a phone (POST /airtime/purchase). Resolves once the service has accepted the purchase and debited the wallet; the delivery
   * follows and is reported by webhook or by `transactions.waitUntilSettled`. Needs a secret key.
   *
   * @throws `ValidationError`, `InsufficientBalanceError`, `IdempotencyKeyReusedError` and others. If `error.mayHaveCharged` is true, the
   * sale is unknown: repeat the call with the same `idempotency_key` and `resume: true`.
   *
   * @example
   * ```ts
   * const purchase = await billpay.airtime.purchase({
   *   biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: order.id,
   * });
   * purchase.reference; purchase.status; // 'pending'
   * ```
   */
  purchase(params: AirtimePurchaseParams, options?: PurchaseOptions): ApiCall<Purchase>;
}

export const createAirtime = (call: CallOperation): Airtime => ({
  purchase: (params, options) => call('airtime.purchase', params, options),
});
