import type { ApiCall } from '../api-call.js';
import type { AirtimePurchaseParams } from '../contract/params.js';
import type { Purchase } from '../contract/results.js';
import type { Caller } from '../http/call.js';
import type { CallOptions } from '../options.js';

/** Airtime top-ups. */
export class Airtime {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Tops up a phone (POST /airtime/purchase). Resolves once the service has accepted and debited it; delivery follows,
   * told by webhook or `transactions.waitUntilSettled`. Needs a secret key.
   *
   * @throws `ValidationError`, `InsufficientBalanceError`, `IdempotencyKeyReusedError`, ...; where
   * `error.mayHaveCharged` is true, the same call with the same `idempotency_key` is the way back.
   *
   * @example
   * ```ts
   * const purchase = await billpay.airtime.purchase({
   *   biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: order.id,
   * });
   * purchase.reference; purchase.status; // 'pending'
   * ```
   */
  purchase(params: AirtimePurchaseParams, options?: CallOptions): ApiCall<Purchase> {
    return this.#call('airtime.purchase', params, options);
  }
}
