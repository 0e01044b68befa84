import type { PurchaseItem } from './contract/purchase-item.js';
import type { Purchase } from './contract/responses.js';
import type { ApiCall } from './http/api-call.js';
import { type CallOperation, createCallOperation } from './http/call-operation.js';
import type { RequestParams } from './http/check-request.js';
import { type ClientConfig, type RuntimeEnvironment, resolveOptions } from './http/client-config.js';
import { request } from './http/raw-request.js';
import type { BillPayOptions, PurchaseOptions } from './options.js';
import { type Airtime, createAirtime } from './resources/airtime.js';
import { createData, type Data } from './resources/data.js';
import { createEdu, type Edu } from './resources/edu.js';
import { createElectricity, type Electricity } from './resources/electricity.js';
import { purchaseItem } from './resources/purchase-item.js';
import { createTransactions, type Transactions } from './resources/transactions.js';
import { createTv, type Tv } from './resources/tv.js';
import { createWebhooks, type Webhooks } from './resources/webhooks.js';

/** Reads the environment in which a client is created. */
function readEnvironment(): RuntimeEnvironment {
  const { process, document, window } = globalThis as {
    process?: { env?: Record<string, string | undefined> };
    document?: unknown;
    window?: unknown;
  };
  return { env: process?.env ?? {}, isBrowser: window !== undefined && document !== undefined };
}

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
  readonly airtime: Airtime;
  /** Data bundles. */
  readonly data: Data;
  /** Cable TV subscriptions. */
  readonly tv: Tv;
  /** Electricity. */
  readonly electricity: Electricity;
  /** Education PINs. */
  readonly edu: Edu;
  /** Status lookups of purchases. */
  readonly transactions: Transactions;
  /** The webhook subscription. */
  readonly webhooks: Webhooks;
  readonly #call: CallOperation;
  readonly #options: ClientConfig;

  /**
   * @param options - options that are left out are read from the environment or have a default; see each option.
   * @throws `ConfigurationError`, which names the option, the problem and the remedy.
   */
  constructor(options: BillPayOptions = {}) {
    this.#options = resolveOptions(options, readEnvironment());
    const call = createCallOperation(this.#options);
    this.#call = call;
    this.airtime = createAirtime(call);
    this.data = createData(call);
    this.tv = createTv(call);
    this.electricity = createElectricity(call);
    this.edu = createEdu(call);
    this.transactions = createTransactions(call);
    this.webhooks = createWebhooks(call);
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
   * @returns the parsed body.
   *
   * @example
   * ```ts
   * const variations = await billpay.request({ method: 'GET', path: '/data/variations', query: { biller: 'MTN' } });
   * ```
   */
  request(params: RequestParams, options?: PurchaseOptions): ApiCall<unknown> {
    return request(this.#options, params, options);
  }

  /** The fields that may be printed; never the key. */
  toJSON(): Record<string, unknown> {
    const { baseUrl, clientId, keyKind } = this.#options;
    return { baseUrl, clientId, apiKey: `[${keyKind} key, redacted]` };
  }

  /** The text that `console.log` and `util.inspect` show in Node, Bun and Deno; never the key. */
  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: number,
    options: object,
    inspect?: (value: unknown, options: object) => string,
  ): string {
    const fields = this.toJSON();
    return `BillPay ${inspect ? inspect(fields, options) : JSON.stringify(fields)}`;
  }
}
