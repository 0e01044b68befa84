/**
 * What the compiler must accept and must refuse. Never run: `types.test.ts` has the compiler judge it, and a line under
 * `@ts-expect-error` that compiles is an error itself.
 */
import {
  type AbortError,
  type AirtimePurchaseParams,
  type ApiCall,
  type ApiError,
  type AttemptRecord,
  BillPay,
  type BillPayError,
  type BillPayOptions,
  type CallOptions,
  type Catalogue,
  type CatalogueProduct,
  type ConfigurationError,
  type IdempotencyKeyReusedError,
  type InsufficientBalanceError,
  isBillPayError,
  type Logger,
  type Purchase,
  RateLimitError,
  type ServerError,
  type SettledTransaction,
  type TimeoutError,
  type Transaction,
  type TransactionStatus,
  type UnexpectedResponseError,
  type ValidateResult,
  type ValidationError,
  type WebhookEvent,
  type WebhookSubscription,
  type WebhookVerificationError,
} from 'billpay';
import { isKnownEvent } from 'billpay/webhooks';

// What is not exported can be had from what is.
type Airtime = BillPay['airtime'];
type AnyBillPayError = typeof isBillPayError extends (value: unknown) => value is infer E ? E : never;
type CallResult<T> = Awaited<ReturnType<ApiCall<T>['withResponse']>>;
type MeterType = Parameters<BillPay['electricity']['purchase']>[0]['meter_type'];
type RequestParams = Parameters<BillPay['request']>[0];

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type IsAny<T> = 0 extends 1 & T ? true : false;
/** Whether `any` stands in a type: itself, in a promise, or in a field. */
type HoldsAny<T> = true extends
  | IsAny<T>
  | IsAny<Awaited<T>>
  | { [K in keyof Awaited<T>]: IsAny<Awaited<T>[K]> }[keyof Awaited<T>]
  ? true
  : false;
const holds = <_Check extends true>(): void => {};
const holdsNot = <_Check extends false>(): void => {};

declare const billpay: BillPay;
const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500 };

// A call's result; test/api-report/reports has the signature of every call.
holds<Equal<ReturnType<BillPay['airtime']['purchase']>, ApiCall<Purchase>>>();
holds<Equal<ReturnType<BillPay['transactions']['waitUntilSettled']>, Promise<SettledTransaction>>>();
holds<Equal<ReturnType<BillPay['request']>, ApiCall<unknown>>>();
const later = billpay.request<{ variations: string[] }>({ method: 'GET', path: '/data/variations' });
holds<Equal<typeof later, ApiCall<{ variations: string[] }>>>();
holds<Equal<ReturnType<ApiCall<Purchase>['withResponse']>, Promise<CallResult<Purchase>>>>();
holds<Equal<CallResult<Purchase>['response'], Response>>();
holds<Equal<CallResult<Purchase>['attempts'], number>>();

// No `any` in what a caller meets.
holdsNot<HoldsAny<Purchase>>();
holdsNot<HoldsAny<CatalogueProduct>>();
holdsNot<HoldsAny<Catalogue>>();
holdsNot<HoldsAny<ValidateResult>>();
holdsNot<HoldsAny<Transaction>>();
holdsNot<HoldsAny<WebhookSubscription>>();
holdsNot<HoldsAny<WebhookEvent>>();
holdsNot<HoldsAny<CallResult<unknown>>>();
holdsNot<HoldsAny<BillPayOptions>>();
holdsNot<HoldsAny<CallOptions>>();
holdsNot<HoldsAny<RequestParams>>();
holdsNot<HoldsAny<AttemptRecord>>();
holdsNot<HoldsAny<Logger>>();
holdsNot<HoldsAny<ApiError>>();
holdsNot<HoldsAny<AnyBillPayError>>();
holdsNot<HoldsAny<AirtimePurchaseParams>>();
holds<HoldsAny<{ x: ReturnType<typeof JSON.parse> }>>();

// Billers guide, and stay open; the meter's type is one of two.
billpay.airtime.purchase({ ...airtime, biller: 'T2' });
billpay.airtime.purchase({ ...airtime, biller: 'mtn' });
holds<Equal<MeterType, 'prepaid' | 'postpaid'>>();
billpay.electricity.validate({ biller: 'PHED', recipient: '0124000952992', meter_type: 'prepaid' });
// @ts-expect-error no third kind of meter
billpay.electricity.validate({ biller: 'PHED', recipient: '0124000952992', meter_type: 'smart' });

// Required fields are required, optional ones optional.
billpay.tv.purchase({ biller: 'DSTV', recipient: '1', product_code: 'p', amount: undefined });
billpay.edu.purchase({
  biller: 'WAEC',
  recipient: '1',
  product_code: 'p',
  quantity: 2,
  customer_phone: '0803',
});
billpay.webhooks.subscribe({ url: 'https://shop.example/hooks' });
// @ts-expect-error amount is missing
billpay.airtime.purchase({ biller: 'MTN', recipient: '08031234567' });
// @ts-expect-error recipient is missing
billpay.airtime.purchase({ biller: 'MTN', amount: 500 });
// @ts-expect-error biller is missing
billpay.data.products({});
// @ts-expect-error product_code is missing
billpay.data.purchase({ biller: 'MTN', recipient: '08031234567' });
// @ts-expect-error meter_type is missing
billpay.electricity.purchase({ biller: 'IKEDC', recipient: '0124', amount: 500 });
// @ts-expect-error url is missing
billpay.webhooks.subscribe({ enabled: true });
// @ts-expect-error the parameters are missing
billpay.airtime.purchase();
// @ts-expect-error the reference is missing
billpay.transactions.status();

// Identifiers are strings, amounts numbers, a key is a string or left out.
// @ts-expect-error a phone is not a number
billpay.airtime.purchase({ ...airtime, recipient: 8031234567 });
// @ts-expect-error a customer's phone neither
billpay.tv.purchase({ biller: 'DSTV', recipient: '1', product_code: 'p', customer_phone: 8031234567 });
// @ts-expect-error a reference neither
billpay.transactions.status(20260131);
// @ts-expect-error an amount is not text
billpay.airtime.purchase({ ...airtime, amount: '500' });
// @ts-expect-error a quantity is not text
billpay.edu.purchase({ biller: 'WAEC', recipient: '1', product_code: 'p', quantity: '2' });
// @ts-expect-error an order whose id was not read
billpay.airtime.purchase({ ...airtime, idempotency_key: undefined });
// @ts-expect-error a key is not a number
billpay.airtime.purchase({ ...airtime, idempotency_key: 77 });

// Fields that no call has are refused, client_id among them.
// @ts-expect-error a misspelt field
billpay.tv.purchase({ biller: 'DSTV', recipient: '1', product_code: 'p', customer_phne: '0803' });
// @ts-expect-error the client adds it
billpay.airtime.purchase({ biller: 'MTN', recipient: '1', amount: 1, client_id: 'c' });
// @ts-expect-error validate calls take no amount
billpay.tv.validate({ biller: 'DSTV', recipient: '1', amount: 1 });

// Options.
new BillPay();
new BillPay({ apiKey: process.env['KEY'], timeout: undefined, logger: console, logLevel: 'debug' });
billpay.airtime.purchase(airtime, {
  signal: AbortSignal.timeout(5),
  timeout: 1,
  totalTimeout: 2,
  maxRetries: 0,
});
billpay.request({ method: 'GET', path: '/data/variations', query: { biller: 'MTN', page: 2, all: true } });
// @ts-expect-error a misspelt option
new BillPay({ apikey: 'sk_x' });
// @ts-expect-error no such level
new BillPay({ logLevel: 'verbose' });
// @ts-expect-error a client's option, not a call's
billpay.airtime.purchase(airtime, { apiKey: 'sk_x' });
// @ts-expect-error waits have a timeout of their own, and no deadline
billpay.transactions.waitUntilSettled('TXN-1', { totalTimeout: 5 });
// @ts-expect-error no such method
billpay.request({ method: 'HEAD', path: '/later' });

// Results are typed, and open where the service is.
declare const purchase: Purchase;
declare const transaction: Transaction;
holds<Equal<Purchase['reference'], string>>();
holds<Equal<Purchase['idempotency_key'], string>>();
holds<Equal<Purchase['amount'], number>>();
holds<Equal<Transaction['token'], string | null>>();
holds<Equal<Transaction['refunded'], boolean>>();
holds<Equal<Transaction['completed_at'], string | undefined>>();
holds<Equal<ValidateResult['address'], string | undefined>>();
transaction.service_type === 'VTU_AIRTIME' || transaction.service_type === 'OTHER';
// @ts-expect-error not a field of the service
purchase.id;
// @ts-expect-error a token may be null
transaction.token.length;

// A status can be compared with any text, because the service can add states.
declare const status: Transaction['transaction_status'];
status === 'success' || status === 'failed';
switch (status) {
  case 'pending':
  case 'reversed':
    break;
  default:
    status satisfies string;
}
// @ts-expect-error a status is text
transaction.transaction_status === 5;
if (purchase.status) holds<Equal<typeof purchase.status, TransactionStatus>>();
const column: string = purchase.status;
String(column) === 'later_state' || String(purchase.status) === 'later_state';
transaction.transaction_status === 'reversed' || purchase.status === 'later_state';
declare const settled: SettledTransaction;
holds<Equal<SettledTransaction['transaction_status'], 'success' | 'failed'>>();
holds<Equal<typeof settled.completed_at, string>>();
settled satisfies Transaction;

// A caught error narrows by code.
export function byCode(caught: unknown): string | number | undefined {
  if (!isBillPayError(caught)) {
    // @ts-expect-error anything may be caught
    return caught.message;
  }
  holds<Equal<typeof caught, AnyBillPayError>>();
  const root: BillPayError = caught;
  holds<Equal<typeof root.attempts, number>>();
  holds<Equal<typeof root.mayHaveCharged, boolean>>();
  switch (caught.code) {
    case 'INSUFFICIENT_BALANCE':
      holds<Equal<typeof caught, InsufficientBalanceError>>();
      return caught.status;
    case 'VALIDATION_FAILED':
      holds<Equal<typeof caught, ValidationError>>();
      return caught.errors['recipient'];
    case 'RATE_LIMITED':
      holds<Equal<typeof caught, RateLimitError>>();
      return caught.retryAfterSeconds;
    case 'TIMEOUT':
      holds<Equal<typeof caught, TimeoutError>>();
      return caught.transaction?.transaction_status;
    case 'ABORTED':
      holds<Equal<typeof caught, AbortError>>();
      return caught.attempts;
    case 'UNEXPECTED_RESPONSE':
      holds<Equal<typeof caught, UnexpectedResponseError>>();
      return caught.purchase?.reference;
    case 'IDEMPOTENCY_KEY_REUSED':
      holds<Equal<typeof caught, IdempotencyKeyReusedError>>();
      return caught.purchase.reference;
    case 'CONFIGURATION':
      holds<Equal<typeof caught, ConfigurationError>>();
      return caught.option;
    case 'WEBHOOK_VERIFICATION':
      holds<Equal<typeof caught, WebhookVerificationError>>();
      return caught.reason;
    case 'GATEWAY_ERROR':
      // Stands at four statuses, so the class is chosen by name.
      return caught.name === 'PermissionError' ? caught.status : caught.name;
    default:
      // @ts-expect-error not every error has this
      return caught.errors;
  }
}

// And by name, and by class.
export function byName(error: AnyBillPayError): unknown {
  switch (error.name) {
    case 'ServerError':
      holds<Equal<typeof error, ServerError>>();
      return error.body;
    case 'MethodNotAllowedError':
      return error.allow;
    // @ts-expect-error no such class
    case 'TeapotError':
      return 'short and stout';
    default:
      return error instanceof RateLimitError ? error.retryAfterSeconds : undefined;
  }
}

// Webhook events narrow too, once the undocumented ones are set aside.
export function byEvent(event: WebhookEvent): string | null {
  if (!isKnownEvent(event)) {
    holds<Equal<typeof event.data.reference, string>>();
    // @ts-expect-error nobody documented this one's fields
    return event.data.token;
  }
  switch (event.event) {
    case 'transaction.completed':
      return event.data.token;
    case 'transaction.failed':
      return event.data.reference;
  }
}

// Resources are interfaces: a test can replace one by a plain object.
const fakeAirtime: Airtime = { purchase: () => billpay.airtime.purchase(airtime) };
fakeAirtime.purchase(airtime);
