import type { EduProductsParams, EduPurchaseParams, EduValidateParams } from '../contract/params.js';
import type { Catalogue, Purchase, ValidateResult } from '../contract/responses.js';
import type { ApiCall } from '../http/api-call.js';
import type { CallOperation } from '../http/call-operation.js';
import type { CallOptions, PurchaseOptions } from '../options.js';

/** Education result-checker PINs. */
export interface Edu {
  /**
   * Whose profile it is (POST /edu/validate). A public key will do.
   *
   * @throws `VerificationFailedError` when the profile cannot be confirmed.
   *
   * @example
   * ```ts
   * const { customer_name } = await billpay.edu.validate({ biller: 'JAMB', recipient: '0123456789' });
   * ```
   */
  validate(params: EduValidateParams, options?: CallOptions): ApiCall<ValidateResult>;

  /**
   * A body's PINs with their prices (GET /edu/products). A public key will do.
   *
   * @throws `UnresolvableFieldError` for a biller that is not served; `ServerError` (502) when the catalogue cannot be loaded.
   *
   * @example
   * ```ts
   * const { products } = await billpay.edu.products({ biller: 'WAEC' });
   * ```
   */
  products(params: EduProductsParams, options?: CallOptions): ApiCall<Catalogue>;

  /**
   * Buys PINs: the charge is price times `quantity` (POST /edu/purchase). For WAEC, `recipient` is a phone number. Read the PINs
   * from the status lookup's `token`. Needs a secret key.
   *
   * @throws `UnresolvableFieldError` for an unknown `product_code`; else as `airtime.purchase`.
   *
   * @example
   * ```ts
   * await billpay.edu.purchase({
   *   biller: 'WAEC', recipient: '08031234567', product_code: product.product_code, quantity: 2, idempotency_key: order.id,
   * });
   * ```
   */
  purchase(params: EduPurchaseParams, options?: PurchaseOptions): ApiCall<Purchase>;
}

export const createEdu = (call: CallOperation): Edu => ({
  validate: (params, options) => call('edu.validate', params, options),
  products: (params, options) => call('edu.products', params, options),
  purchase: (params, options) => call('edu.purchase', params, options),
});
