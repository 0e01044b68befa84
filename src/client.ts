import { type BillPayOptions, readEnvironment, resolveOptions } from './client-options.js';
import type { PurchaseItem } from './contract/purchase-item.js';
import type { Purchase } from './contract/responses.js';
import type { ApiCall } from './http/api-promise.js';
import type { ClientConfig } from './http/call.js';
import { type CallOperation, createCallOperation } from './http/call-operation.js';
import { requireCredentials } from './http/prepare.js';
import { type RequestParams, request } from './http/raw-request.js';
import type { PurchaseOptions } from './options.js';
import { purchaseItem } from './resources/purchase-item.js';
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
import { type InspectArguments, printAs } from './utils/print-as.js';

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
  /** Status lookups of purchases. */
  declare readonly transactions: Transactions;
  /** The webhook subscription. */
  declare readonly webhooks: Webhooks;
  readonly #call: CallOperation;
  readonly #options: ClientConfig;

  /**
   * @param options - options that are left out are read from the environment or have a default; see each option.
   * @throws `ConfigurationError` for a wrong option, which names it, the problem and the remedy. A missing key, account or base address is an
   * error of the first call instead; see `checkConfiguration`.
   */
  constructor(options: BillPayOptions = {}) {
    this.#options = resolveOptions(options, readEnvironment());
    shareLogger(this, this.#options.logger);
    const call = createCallOperation(this.#options);
    this.#call = call;
    Object.assign(this, createResources(call));
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
    return purchaseItem(this.#call, item, options);
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
    return request(this.#options, params, options) as ApiCall<T>;
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
    requireCredentials(this.#options);
  }

  /** The fields that may be printed; never the key. */
  toJSON(): Record<string, unknown> {
    const { baseUrl, clientId, keyKind, apiKey } = this.#options;
    return { baseUrl, clientId, apiKey: apiKey === '' ? '[missing]' : `[${keyKind} key, redacted]` };
  }
}

/** What `console.log` and `util.inspect` show; never the key. */
function inspected(this: BillPay, ...[, options, inspect]: InspectArguments): string {
  const fields = this.toJSON();
  return `BillPay ${inspect ? inspect(fields, options) : JSON.stringify(fields)}`;
}
