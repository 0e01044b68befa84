import { type BillPayOptions, readEnvironment, resolveOptions } from './client-options.js';
import { operations } from './contract/operations.js';
import { checkPurchaseItem, type PurchaseItem } from './contract/purchase-item.js';
import type { Purchase } from './contract/responses.js';
import { type ApiCall, execute, unchecked } from './http/api-call.js';
import type { Call, ClientConfig } from './http/call.js';
import { refusedLocally } from './http/error.js';
import { missingError, prepareOperation, requireKey } from './http/prepare.js';
import { prepareRaw, type RequestParams } from './http/request.js';
import type { PurchaseOptions } from './options.js';
import {
  type Airtime,
  createResources,
  type Data,
  type Edu,
  type Electricity,
  type Transactions,
  type Tv,
  type Webhooks,
} from './resources/resources.js';
import { shareLogger } from './utils/logger.js';
import { type InspectArguments, printAs } from './utils/print.js';
import { readProperty } from './utils/unknown.js';

/**
 * A client of the bill payment service. Each client has its own options and nothing is global, so that one process can use several
 * accounts.
 *
 * @example
 * ```ts
 * import { BillPay } from 'billpay';
 *
 * const billpay = new BillPay(); // BILLPAY_API_KEY, BILLPAY_CLIENT_ID, BILLPAY_BASE_URL
 * const purchase = await billpay.airtime.purchase({
 *   biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: order.id,
 * });
 * const transaction = await billpay.transactions.waitUntilSettled(purchase.reference);
 * ```
 */
export class BillPay {
  /** Airtime top-ups. */
  declare readonly airtime: Airtime;
  /** Data bundles. */
  declare readonly data: Data;
  /** Cable TV subscriptions. */
  declare readonly tv: Tv;
  /** Electricity. */
  declare readonly electricity: Electricity;
  /** Education PINs. */
  declare readonly edu: Edu;
  /** Status checks of purchases. */
  declare readonly transactions: Transactions;
  /** The webhook subscription. */
  declare readonly webhooks: Webhooks;
  readonly #options: ClientConfig;

  /**
   * @param options - options that are left out are read from the environment or have a default; see each option.
   * @throws `ConfigurationError` for a wrong option, which names it, the problem and the remedy. A missing key, account or base address is an
   * error of the first call instead; see `checkConfiguration`.
   */
  constructor(options: BillPayOptions = {}) {
    this.#options = resolveOptions(options, readEnvironment());
    shareLogger(this, this.#options.logger);
    Object.assign(this, createResources(this.#options));
    printAs(this, inspected);
  }

  /**
   * Buys one item of any product, for code that handles all five alike: what `billpay[item.product].purchase` does. Needs a secret key.
   *
   * @throws `ValidationError` with every problem of the item; else as `airtime.purchase`.
   *
   * @example
   * ```ts
   * await billpay.purchase({
   *   product: 'airtime',
   *   params: { biller: 'MTN', recipient: '08031234567', amount: 500 },
   *   idempotency_key: order.id,
   * });
   * ```
   */
  purchase(item: PurchaseItem, options?: PurchaseOptions): ApiCall<Purchase> {
    return execute(
      this.#options,
      () => unchecked('purchase', item, options),
      () => prepareItem(this.#options, item, options),
    );
  }

  /**
   * Calls an endpoint that has no method of its own (`/variations`, later ones), with the same key, checks, retries and errors.
   * GET is repeated like a read; any other method is repeated like a purchase if its body contains an `idempotency_key`, else only after a 429.
   *
   * @typeParam T - the type that you expect of the parsed body. It is not checked, because the endpoint is not documented here.
   * @returns the parsed body.
   *
   * @example
   * ```ts
   * const { variations } = await billpay.request<{ variations: string[] }>({
   *   method: 'GET',
   *   path: '/data/variations',
   *   query: { biller: 'MTN' },
   * });
   * ```
   */
  request<T = unknown>(params: RequestParams, options?: PurchaseOptions): ApiCall<T> {
    return execute(
      this.#options,
      () => unchecked('request', readProperty(params, 'body') ?? {}, options),
      () => prepareRaw(this.#options, params, options),
    );
  }

  /**
   * Throws if the API key, the account or the base address is missing. A client without them can be created, so that a module can be loaded
   * where there are no secrets, such as in `next build`; its calls are then rejected. Call this where a process should not start without them.
   *
   * @throws `ConfigurationError`, which names what is missing and the environment variables.
   *
   * @example
   * ```ts
   * export const billpay = new BillPay();
   * if (process.env.NODE_ENV === 'production') billpay.checkConfiguration();
   * ```
   */
  checkConfiguration(): void {
    const { missing } = this.#options;
    if (missing) throw missingError(missing);
  }

  /** The fields that may be printed; never the key. */
  toJSON(): Record<string, unknown> {
    const { baseUrl, clientId, keyKind, apiKey } = this.#options;
    return { baseUrl, clientId, apiKey: apiKey === '' ? '[missing]' : `[${keyKind} key, redacted]` };
  }
}

/** Makes the purchase of one item of any product ready to be sent. Its parameters are read and checked once. */
function prepareItem(config: ClientConfig, given: PurchaseItem, options: PurchaseOptions | undefined): Call {
  requireKey(config, operations['airtime.purchase'], 'purchase');
  const checked = checkPurchaseItem(given);
  if (!checked.ok) throw refusedLocally('purchase', checked.errors);
  const { product, params, idempotency_key } = checked.item;
  return prepareOperation(config, `${product}.purchase`, { ...params, idempotency_key }, options);
}

/** What `console.log` and `util.inspect` show; never the key. */
function inspected(this: BillPay, ...[, options, inspect]: InspectArguments): string {
  const fields = this.toJSON();
  return `BillPay ${inspect ? inspect(fields, options) : JSON.stringify(fields)}`;
}
