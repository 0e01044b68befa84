import type { DataProductsParams, DataPurchaseParams } from '../contract/params.js';
import type { Catalogue, Purchase } from '../contract/responses.js';
import type { ApiCall } from '../http/api-promise.js';
import type { CallOperation } from '../http/call-operation.js';
import type { CallOptions, PurchaseOptions } from '../options.js';

/** Data bundles. */
export interface Data {
  /**
   * Lists a network's bundles with their prices in NGN (GET /data/products). A public key is enough. The catalogues exist only where
   * `baseUrl` ends in `/api/v1` (docs/service.md, "Versioning", rule 4).
   *
   * @throws `UnresolvableFieldError` for a biller that is not configured; `ServerError` (502) if the catalogue cannot be loaded.
   *
   * @example
   * ```ts
   * const { products } = await billpay.data.products({ biller: 'MTN' });
   * ```
   */
  products(params: DataProductsParams, options?: CallOptions): ApiCall<Catalogue>;

  /**
   * Buys a bundle at its listed price (POST /data/purchase). `amount` may be left out; in NGN, it is a check of the price that you showed.
   * Needs a secret key.
   *
   * @throws `AmountMismatchError` if `amount` is given and differs from the listed price; `UnresolvableFieldError` for an unknown
   * `product_code`; otherwise as `airtime.purchase`.
   *
   * @example
   * ```ts
   * await billpay.data.purchase({
   *   biller: 'MTN', recipient: '08031234567', product_code: product.product_code, idempotency_key: order.id,
   * });
   * ```
   */
  purchase(params: DataPurchaseParams, options?: PurchaseOptions): ApiCall<Purchase>;
}

export const createData = (call: CallOperation): Data => ({
  products: (params, options) => call('data.products', params, options),
  purchase: (params, options) => call('data.purchase', params, options),
});
