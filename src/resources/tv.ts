import type { TvProductsParams, TvPurchaseParams, TvValidateParams } from '../contract/params.js';
import type { Catalogue, Purchase, ValidateResult } from '../contract/responses.js';
import type { ApiCall } from '../http/api-promise.js';
import type { CallOperation } from '../http/call-operation.js';
import type { CallOptions, PurchaseOptions } from '../options.js';

/** Cable TV subscriptions. */
export interface Tv {
  /**
   * Looks up the customer of a smartcard (POST /tv/validate). Show the name before selling. A public key is enough.
   *
   * @throws `VerificationFailedError` if the card cannot be confirmed.
   *
   * @example
   * ```ts
   * const { customer_name } = await billpay.tv.validate({ biller: 'DSTV', recipient: '02110144711' });
   * ```
   */
  validate(params: TvValidateParams, options?: CallOptions): ApiCall<ValidateResult>;

  /**
   * Lists a company's packages with their prices in NGN (GET /tv/products). A public key is enough. The catalogues exist only where
   * `baseUrl` ends in `/api/v1` (docs/service.md, "Versioning", rule 4).
   *
   * @throws `UnresolvableFieldError` for a biller that is not configured; `ServerError` (502) if the catalogue cannot be loaded.
   *
   * @example
   * ```ts
   * const { products } = await billpay.tv.products({ biller: 'GOTV' });
   * ```
   */
  products(params: TvProductsParams, options?: CallOptions): ApiCall<Catalogue>;

  /**
   * Pays a subscription at its listed price (POST /tv/purchase). `amount` may be left out; in NGN, it is a check of the price that you
   * showed. Needs a secret key.
   *
   * @throws `AmountMismatchError` if `amount` is given and differs from the listed price; `UnresolvableFieldError` for an unknown
   * `product_code`; otherwise as `airtime.purchase`.
   *
   * @example
   * ```ts
   * await billpay.tv.purchase({
   *   biller: 'DSTV', recipient: '02110144711', product_code: product.product_code,
   *   customer_phone: '08031234567', idempotency_key: order.id,
   * });
   * ```
   */
  purchase(params: TvPurchaseParams, options?: PurchaseOptions): ApiCall<Purchase>;
}

export const createTv = (call: CallOperation): Tv => ({
  validate: (params, options) => call('tv.validate', params, options),
  products: (params, options) => call('tv.products', params, options),
  purchase: (params, options) => call('tv.purchase', params, options),
});
