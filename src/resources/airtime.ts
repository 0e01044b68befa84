import type { AirtimePurchaseParams } from '../contract/params.js';
import type { Purchase } from '../contract/responses.js';
import type { ApiCall } from '../http/api-promise.js';
import type { CallOperation } from '../http/call-operation.js';
import type { PurchaseOptions } from '../options.js';

/** Airtime top-ups. */
export interface Airtime {
  /**
   * Tops up a phone (POST /airtime/purchase). `amount` is the face value in NGN, at least 0.01. Resolves once the service has accepted the
   * purchase and debited the wallet; the delivery follows and is reported by webhook or by `transactions.waitUntilSettled`
   * (docs/service.md, "States and transitions", rule 1). Needs a secret key.
   *
   * An `idempotency_key` of your own makes the sale repeatable: the service returns the original purchase for it and charges once
   * (docs/service.md, "Idempotency rules", rule 1). Without one, the client makes one for this call.
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
