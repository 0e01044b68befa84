import type { EduProductsParams, EduPurchaseParams, EduValidateParams } from '../contract/params.js';
import type { Catalogue, Purchase, ValidateResult } from '../contract/responses.js';
import type { ApiCall } from '../http/api-promise.js';
import type { CallOperation } from '../http/call-operation.js';
import type { CallOptions, PurchaseOptions } from '../options.js';

/** Education result-checker PINs. */
export interface Edu {
  /**
   * Looks up the candidate of a profile (POST /edu/validate). A public key is enough.
   *
   * @throws `VerificationFailedError` if the profile cannot be confirmed.
   *
   * @example
   * ```ts
   * const { customer_name } = await billpay.edu.validate({ biller: 'JAMB', recipient: '0123456789' });
   * ```
   */
  validate(params: EduValidateParams, options?: CallOptions): ApiCall<ValidateResult>;

  /**
   * Lists an examination body's PINs with their prices in NGN (GET /edu/products). A public key is enough. The catalogues exist only where
   * `baseUrl` ends in `/api/v1` (docs/service.md, "Versioning", rule 4).
   *
   * @throws `UnresolvableFieldError` for a biller that is not configured; `ServerError` (502) if the catalogue cannot be loaded.
   *
   * @example
   * ```ts
   * const { products } = await billpay.edu.products({ biller: 'WAEC' });
   * ```
   */
  products(params: EduProductsParams, options?: CallOptions): ApiCall<Catalogue>;

  /**
   * Buys PINs (POST /edu/purchase). The charge is the listed price times `quantity` (default 1). For WAEC, `recipient` is a phone number. Read the PINs
   * from the status lookup's `token`. Needs a secret key.
   *
   * @throws `UnresolvableFieldError` for an unknown `product_code`; otherwise as `airtime.purchase`.
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
