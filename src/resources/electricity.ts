import type { ElectricityPurchaseParams, ElectricityValidateParams } from '../contract/params.js';
import type { Purchase, ValidateResult } from '../contract/responses.js';
import type { ApiCall } from '../http/api-promise.js';
import type { CallOperation } from '../http/call-operation.js';
import type { CallOptions, PurchaseOptions } from '../options.js';

/** Electricity, prepaid and postpaid. There is no catalogue. */
export interface Electricity {
  /**
   * Looks up the customer and the address of a meter (POST /electricity/validate). Show both before selling. A public key is enough.
   *
   * @throws `VerificationFailedError` if the meter cannot be confirmed.
   *
   * @example
   * ```ts
   * const { customer_name, address } = await billpay.electricity.validate({
   *   biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid',
   * });
   * ```
   */
  validate(params: ElectricityValidateParams, options?: CallOptions): ApiCall<ValidateResult>;

  /**
   * Buys electricity (POST /electricity/purchase). `amount` is the value to deliver in NGN, at least 0.01. The token of a prepaid meter is not in the result; read it from the
   * `transaction.completed` webhook or from the status lookup. Needs a secret key.
   *
   * @throws as `airtime.purchase`.
   *
   * @example
   * ```ts
   * const { reference } = await billpay.electricity.purchase({
   *   biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid', amount: 5000, idempotency_key: order.id,
   * });
   * const { token } = await billpay.transactions.waitUntilSettled(reference);
   * ```
   */
  purchase(params: ElectricityPurchaseParams, options?: PurchaseOptions): ApiCall<Purchase>;
}

export const createElectricity = (call: CallOperation): Electricity => ({
  validate: (params, options) => call('electricity.validate', params, options),
  purchase: (params, options) => call('electricity.purchase', params, options),
});
