import { type OperationName, operations, type ParamsOf, type ResultOf } from '../contract/operations.js';
import type * as params from '../contract/params.js';
import type {
  Catalogue,
  Purchase,
  SettledTransaction,
  Transaction,
  ValidateResult,
  WebhookSubscription,
} from '../contract/responses.js';
import { type ApiCall, execute, unchecked } from '../http/api-call.js';
import type { ClientConfig } from '../http/call.js';
import { checkedParams, prepareCall } from '../http/prepare.js';
import type { CallOptions, PurchaseOptions } from '../options.js';
import { type WaitOptions, waitUntilSettled } from './wait-until-settled.js';

/** Airtime top-ups. */
export interface Airtime {
  /**
   * Tops up a phone (POST /airtime/purchase). `amount` is the face value in NGN, at least 0.01. Resolves once the service has accepted the
   * purchase and debited the wallet; the delivery follows and is reported by webhook or by `transactions.waitUntilSettled`
   * (docs/service.md, "States and transitions", rule 1). Needs a secret key.
   *
   * An `idempotency_key` of your own makes the purchase repeatable: the service returns the original purchase for it and charges once
   * (docs/service.md, "Idempotency rules", rule 1). Without one, the client makes one for this call.
   *
   * @throws `ValidationError`, `InsufficientBalanceError`, `IdempotencyKeyReusedError` and others. If `error.mayHaveCharged` is true, the
   * purchase is unknown: repeat the call with the same `idempotency_key` and `resume: true`.
   *
   * @example
   * ```ts
   * const purchase = await billpay.airtime.purchase({
   *   biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: order.id,
   * });
   * purchase.reference; purchase.status; // 'pending'
   * ```
   */
  purchase(params: params.AirtimePurchaseParams, options?: PurchaseOptions): ApiCall<Purchase>;
}

/** Data bundles. */
export interface Data {
  /**
   * Lists a network's bundles with their prices in NGN (GET /data/products). A public key is enough. The catalogues exist only where
   * `baseUrl` ends in `/api/v1` (docs/service.md, "Versioning", rule 4).
   *
   * @throws `BillerNotConfiguredError` for a biller that is not configured; `ServerError` (502) if the catalogue cannot be loaded.
   *
   * @example
   * ```ts
   * const { products } = await billpay.data.products({ biller: 'MTN' });
   * ```
   */
  products(params: params.DataProductsParams, options?: CallOptions): ApiCall<Catalogue>;

  /**
   * Buys a bundle at its listed price (POST /data/purchase). `amount` may be left out; in NGN, it is a check of the price that you showed.
   * Needs a secret key.
   *
   * @throws `AmountMismatchError` if `amount` is given and differs from the listed price; `BillerNotConfiguredError` for an unknown
   * `product_code`; otherwise as `airtime.purchase`.
   *
   * @example
   * ```ts
   * await billpay.data.purchase({
   *   biller: 'MTN', recipient: '08031234567', product_code: product.product_code, idempotency_key: order.id,
   * });
   * ```
   */
  purchase(params: params.DataPurchaseParams, options?: PurchaseOptions): ApiCall<Purchase>;
}

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
  validate(params: params.TvValidateParams, options?: CallOptions): ApiCall<ValidateResult>;

  /**
   * Lists a company's packages with their prices in NGN (GET /tv/products). A public key is enough. The catalogues exist only where
   * `baseUrl` ends in `/api/v1` (docs/service.md, "Versioning", rule 4).
   *
   * @throws `BillerNotConfiguredError` for a biller that is not configured; `ServerError` (502) if the catalogue cannot be loaded.
   *
   * @example
   * ```ts
   * const { products } = await billpay.tv.products({ biller: 'GOTV' });
   * ```
   */
  products(params: params.TvProductsParams, options?: CallOptions): ApiCall<Catalogue>;

  /**
   * Pays a subscription at its listed price (POST /tv/purchase). `amount` may be left out; in NGN, it is a check of the price that you
   * showed. Needs a secret key.
   *
   * @throws `AmountMismatchError` if `amount` is given and differs from the listed price; `BillerNotConfiguredError` for an unknown
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
  purchase(params: params.TvPurchaseParams, options?: PurchaseOptions): ApiCall<Purchase>;
}

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
  validate(params: params.ElectricityValidateParams, options?: CallOptions): ApiCall<ValidateResult>;

  /**
   * Buys electricity (POST /electricity/purchase). `amount` is the value to deliver in NGN, at least 0.01. The token of a prepaid meter is not in the result; read it from the
   * `transaction.completed` webhook or from the status check. Needs a secret key.
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
  purchase(params: params.ElectricityPurchaseParams, options?: PurchaseOptions): ApiCall<Purchase>;
}

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
  validate(params: params.EduValidateParams, options?: CallOptions): ApiCall<ValidateResult>;

  /**
   * Lists an examination body's PINs with their prices in NGN (GET /edu/products). A public key is enough. The catalogues exist only where
   * `baseUrl` ends in `/api/v1` (docs/service.md, "Versioning", rule 4).
   *
   * @throws `BillerNotConfiguredError` for a biller that is not configured; `ServerError` (502) if the catalogue cannot be loaded.
   *
   * @example
   * ```ts
   * const { products } = await billpay.edu.products({ biller: 'WAEC' });
   * ```
   */
  products(params: params.EduProductsParams, options?: CallOptions): ApiCall<Catalogue>;

  /**
   * Buys PINs (POST /edu/purchase). The charge is the listed price times `quantity` (default 1). For WAEC, `recipient` is a phone number. Read the PINs
   * from the status check's `token`. Needs a secret key.
   *
   * @throws `BillerNotConfiguredError` for an unknown `product_code`; otherwise as `airtime.purchase`.
   *
   * @example
   * ```ts
   * await billpay.edu.purchase({
   *   biller: 'WAEC', recipient: '08031234567', product_code: product.product_code, quantity: 2, idempotency_key: order.id,
   * });
   * ```
   */
  purchase(params: params.EduPurchaseParams, options?: PurchaseOptions): ApiCall<Purchase>;
}

/** Status checks of purchases. */
export interface Transactions {
  /**
   * Checks the status of one transaction (GET /transactions/status). Webhooks are the primary way to learn about a settlement; this is the fallback.
   * `pending` is not final: the wallet has been debited, and it may still succeed or fail (docs/service.md, "States and transitions").
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
   * Waits until a transaction is over. Resolves for `success`, and for `failed` once the wallet has been refunded: a failed purchase is a
   * result, not an error. The status of a purchase that failed without a refund is checked until the refund or the time-out; `refund: 'ignore'` resolves at
   * once.
   *
   * Checks the status first after about 2 s, then more and more slowly, to every 30 s. Transient failures of a status check (no response,
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

/** The webhook subscription. To receive webhooks, use `billpay/webhooks`. */
export interface Webhooks {
  /**
   * Subscribes one endpoint to settlement events (POST /webhooks/subscribe). **The secret is returned only this once:** store
   * it before anything else. Never repeated after a lost response, because that response contained the secret: if it is lost, subscribe
   * again and use the newest secret. `enabled` is true by default. Needs a secret key (docs/service.md, "Authentication", rule 4).
   *
   * @throws `ValidationError` for a url that is not https (http is accepted for loopback hosts) or is over 2048 characters.
   *
   * @example
   * ```ts
   * const { secret } = await billpay.webhooks.subscribe({ url: 'https://example.com/webhooks/billpay' });
   * ```
   */
  subscribe(params: params.WebhookSubscribeParams, options?: CallOptions): ApiCall<WebhookSubscription>;
}

/** The methods of a client: one for each documented operation, and those that are made of several calls. */
export interface Resources {
  readonly airtime: Airtime;
  readonly data: Data;
  readonly tv: Tv;
  readonly electricity: Electricity;
  readonly edu: Edu;
  readonly transactions: Transactions;
  readonly webhooks: Webhooks;
}

/** The methods of one client. */
export function createResources(config: ClientConfig): Resources {
  const method =
    <N extends OperationName>(name: N) =>
    (given: ParamsOf<N>, options?: PurchaseOptions): ApiCall<ResultOf<N>> =>
      execute(
        config,
        () => unchecked(name, operations[name].kind === 'purchase' ? given : undefined, options),
        () => prepareCall(config, name, given, options),
      );
  const status = method('transactions.status');
  return {
    airtime: { purchase: method('airtime.purchase') },
    data: { products: method('data.products'), purchase: method('data.purchase') },
    tv: {
      validate: method('tv.validate'),
      products: method('tv.products'),
      purchase: method('tv.purchase'),
    },
    electricity: { validate: method('electricity.validate'), purchase: method('electricity.purchase') },
    edu: {
      validate: method('edu.validate'),
      products: method('edu.products'),
      purchase: method('edu.purchase'),
    },
    transactions: {
      status: (reference, options) => status({ reference }, options),
      waitUntilSettled: async (reference, options) => {
        checkedParams(config, 'transactions.status', { reference });
        return waitUntilSettled((checkOptions) => status({ reference }, checkOptions), options);
      },
    },
    webhooks: { subscribe: method('webhooks.subscribe') },
  };
}
