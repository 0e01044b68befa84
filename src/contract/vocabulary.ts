/**
 * The documented values and numbers of the service. The lists hold what is documented; the types made from them stay open, because the
 * service can add values. Money is in NGN, time in the unit that the name says.
 */

/**
 * One of the documented strings, or any other, because the service can add values. Editors suggest the documented ones, and comparing with any
 * text compiles.
 */
export type Open<Known extends string> = Known | (string & {});

/**
 * The name of an event, or the code of an error, that is not documented: any text at run time, compared as `String(value)`. For the compiler it differs
 * from the documented names, unlike `Open`, so that `===` and `switch` over them narrow to one kind of event or class of error. The brand exists in types only.
 */
export type Undocumented = `${string & { readonly undocumented: true }}`;

/** The five product families, under the names of the client's resources. */
export const products = ['airtime', 'data', 'tv', 'electricity', 'edu'] as const;

/** A product family: `airtime`, `data`, `tv`, `electricity` or `edu`. */
export type Product = (typeof products)[number];

/** The documented billers of each product. Case-insensitive on the wire. */
export const billers = {
  airtime: ['MTN', 'AIRTEL', 'GLO', '9MOBILE'],
  data: ['MTN', 'AIRTEL', 'GLO', '9MOBILE'],
  tv: ['DSTV', 'GOTV', 'STARTIMES'],
  electricity: ['IKEDC', 'EKEDC', 'AEDC'],
  edu: ['WAEC', 'NECO', 'NABTEB', 'JAMB'],
} as const satisfies Record<Product, readonly string[]>;

/** A mobile network. Documented: MTN, AIRTEL, GLO, 9MOBILE; any case. */
export type NetworkBiller = Open<(typeof billers)['airtime'][number]>;
/** A cable TV company. Documented: DSTV, GOTV, STARTIMES; any case. */
export type TvBiller = Open<(typeof billers)['tv'][number]>;
/** An electricity distribution company. Documented: IKEDC, EKEDC, AEDC; any case. */
export type ElectricityBiller = Open<(typeof billers)['electricity'][number]>;
/** An examination body. Documented: WAEC, NECO, NABTEB, JAMB; any case. */
export type EduBiller = Open<(typeof billers)['edu'][number]>;

/** The two kinds of electricity meter. */
export const meterTypes = ['prepaid', 'postpaid'] as const;

/** A `prepaid` meter needs a token that the customer types in; a payment for a `postpaid` one goes to the account. */
export type MeterType = (typeof meterTypes)[number];

/** The three states of a transaction. `success` and `failed` are final. */
export const transactionStatuses = ['pending', 'success', 'failed'] as const;

/** `pending` (the wallet is already debited), `success` or `failed` (refunded); the last two are final. Any other text is unknown, never failed. */
export type TransactionStatus = Open<(typeof transactionStatuses)[number]>;

/** The two documented webhook events. */
export const webhookEventNames = ['transaction.completed', 'transaction.failed'] as const;

/** A documented webhook event name. */
export type WebhookEventName = (typeof webhookEventNames)[number];

/** The headers of a webhook delivery. */
export const webhookHeaders = {
  signature: 'X-Service-Signature',
  timestamp: 'X-Service-Timestamp',
  event: 'X-Service-Event',
  deliveryId: 'X-Service-Delivery-ID',
} as const;

/** The only documented signature version, in the webhook envelope and in the subscription. */
export const signatureVersion = 'v1';

/** The kinds of API key and the prefixes that tell them apart. */
export const keyPrefixes = { secret: 'sk_', public: 'pk_' } as const;

/** A `secret` key may make every call, a `public` key only catalogue and validate calls. */
export type KeyKind = keyof typeof keyPrefixes;

/** The prefix of a webhook secret. */
export const webhookSecretPrefix = 'whsec_';

/** A name or number in letters and digits, in capitals: `t2-mobile` and `T2 Mobile` are one biller. Empty where it is not text. */
export const lettersAndDigits = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase() : '';

const isBillerOf = (product: Product, name: string): boolean =>
  billers[product].some((biller) => biller === name);

/** Whether a biller is in the documented list of any product. */
export const isDocumentedBiller = (name: string): boolean =>
  products.some((product) => isBillerOf(product, name));

/** The documented billers of a product, in a sentence: `airtime has MTN, AIRTEL, GLO, 9MOBILE`. */
export const billersOf = (product: Product): string => `${product} has ${billers[product].join(', ')}`;

/**
 * What is wrong with a biller that is documented for another product and not for this one. Undefined for every other name: billers are renamed
 * and added, and only the service knows them all.
 */
export function foreignBillerProblem(product: Product, biller: unknown): string | undefined {
  const name = lettersAndDigits(biller);
  if (isBillerOf(product, name)) return undefined;
  const owners = products.filter((other) => isBillerOf(other, name));
  return owners.length === 0
    ? undefined
    : `${name} belongs to ${owners.join(' and ')}: ${billersOf(product)}`;
}

/** Whether a biller is in no documented list: it is sent, and may be misspelt. */
export const isUnlistedBiller = (biller: unknown): boolean => {
  const name = lettersAndDigits(biller);
  return name !== '' && !isDocumentedBiller(name);
};

/** The smallest amount of an airtime or electricity purchase, in NGN. */
export const minimumAmount = 0.01;

/** The maximum length of a webhook URL, in characters. */
export const maximumUrlLength = 2048;

/** The number of education PINs in a purchase without `quantity`. */
export const defaultQuantity = 1;

/** Rate limits: `limit` requests in `windowSeconds`. The limit for an endpoint is disabled by default. */
export const rateLimits = {
  ip: { limit: 60, windowSeconds: 60 },
  apiKey: { limit: 100, windowSeconds: 60 },
  client: { limit: 100, windowSeconds: 60 },
  endpoint: undefined,
  purchases: { limit: 20, windowSeconds: 60 },
} as const;

/** Delays before the retries of a failed webhook delivery: 1m, 5m, 15m, 30m, 1h, 6h, 24h. */
export const webhookRetryDelaysSeconds = [60, 300, 900, 1800, 3600, 21_600, 86_400] as const;

/** Commission of a transaction: `rate` times the price, at most `capNgn`. */
export const commission = { rate: 0.02, capNgn: 150 } as const;
