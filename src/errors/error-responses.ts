import { billersOf, products } from '../contract/vocabulary.js';

/** What a remedy depends on. */
export interface FailedCall {
  /** Such as `airtime.purchase`. */
  readonly operation: string;
  readonly baseUrl: string;
  readonly clientId: string;
  /** Which key was sent, without showing it: `the secret key of BILLPAY_API_KEY`. */
  readonly keyName: string;
  /** Of a purchase. */
  readonly idempotencyKey: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The `Allow` header. */
  readonly allow: string | undefined;
  /** The problems of the first 20 fields that the service refused. */
  readonly errors: Readonly<Record<string, string>>;
}

/** One documented error response. */
export interface ErrorResponse {
  readonly status: number;
  /** Absent for the 404, whose code is not documented. */
  readonly code?: string;
  /** The name of its class. */
  readonly name: string;
  /** Whether every response with this status has this class, whatever its code: even a proxy's page with a 401 is an `AuthenticationError`. */
  readonly anyCode?: true;
  /** Whether the service documents that a response with this status and code creates no charge. */
  readonly noCharge: boolean;
  /** What the message says to do. */
  readonly remedy: string | ((call: FailedCall) => string);
  /** What `nextStep` says where nothing was charged. */
  readonly next: 'retry' | 'hold' | 'stop';
  /** Seconds to a retry (default 30). */
  readonly afterSeconds?: number;
}

/** Every documented error response (docs/service.md, "Errors"): the one place that says what each is and means. */
export const errorResponses = [
  { status: 400, code: 'BAD_REQUEST', name: 'BadRequestError', noCharge: true, next: 'stop', remedy: '' },
  {
    status: 401,
    code: 'UNAUTHORIZED',
    name: 'AuthenticationError',
    anyCode: true,
    noCharge: true,
    next: 'hold',
    remedy: ({ keyName, clientId }) =>
      `${keyName}, for client_id ${clientId}, was refused: check that it is the current key and belongs to this environment. A request from an address outside the key’s IP allow-list fails in the same way.`,
  },
  {
    status: 402,
    code: 'INSUFFICIENT_BALANCE',
    name: 'InsufficientBalanceError',
    noCharge: true,
    next: 'hold',
    remedy: (call) => `Fund the wallet, then call again.${sameKey(call)}`,
  },
  {
    status: 403,
    code: 'GATEWAY_ERROR',
    name: 'PermissionError',
    noCharge: true,
    next: 'hold',
    remedy: permissionRemedy,
  },
  {
    status: 403,
    code: 'ACCOUNT_RESTRICTED',
    name: 'AccountRestrictedError',
    noCharge: true,
    next: 'hold',
    remedy: 'The account is not verified or not in good standing; read-only calls still work.',
  },
  {
    status: 404,
    name: 'NotFoundError',
    anyCode: true,
    noCharge: false,
    next: 'stop',
    remedy: notFoundRemedy,
  },
  {
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    name: 'MethodNotAllowedError',
    anyCode: true,
    noCharge: true,
    next: 'stop',
    remedy: ({ allow }) => `Allowed: ${allow ?? 'not stated'}.`,
  },
  {
    status: 409,
    code: 'ALREADY_PROCESSING',
    name: 'AlreadyProcessingError',
    noCharge: false,
    next: 'retry',
    remedy: 'A request with this key is still in flight: call again shortly.',
  },
  {
    status: 422,
    code: 'VALIDATION_FAILED',
    name: 'ValidationError',
    noCharge: true,
    next: 'stop',
    remedy: ({ errors }) =>
      Object.entries(errors)
        .map(([name, words]) => `${name}: ${words}.`)
        .join(' '),
  },
  {
    status: 422,
    code: 'AMOUNT_MISMATCH',
    name: 'AmountMismatchError',
    noCharge: true,
    next: 'stop',
    remedy: 'The listed price has changed: fetch the catalogue again and ask your customer before buying.',
  },
  {
    status: 422,
    code: 'VERIFICATION_FAILED',
    name: 'VerificationFailedError',
    noCharge: true,
    next: 'stop',
    remedy: 'The recipient could not be confirmed: check the number with your customer.',
  },
  {
    status: 422,
    code: 'GATEWAY_ERROR',
    name: 'BillerNotConfiguredError',
    noCharge: true,
    next: 'stop',
    remedy: billerRemedy,
  },
  {
    status: 429,
    code: 'RATE_LIMITED',
    name: 'RateLimitError',
    anyCode: true,
    noCharge: true,
    next: 'retry',
    afterSeconds: 60,
    remedy: (call) =>
      call.retryAfterSeconds === undefined
        ? 'Wait before the next call.'
        : `Call again after ${call.retryAfterSeconds} s.${sameKey(call)}`,
  },
  {
    status: 500,
    code: 'GATEWAY_ERROR',
    name: 'ServerError',
    anyCode: true,
    noCharge: false,
    next: 'retry',
    remedy: laterUnlessBought,
  },
  {
    status: 502,
    code: 'GATEWAY_ERROR',
    name: 'ServerError',
    anyCode: true,
    noCharge: false,
    next: 'retry',
    remedy: laterUnlessBought,
  },
  {
    status: 503,
    code: 'PROVIDER_UNAVAILABLE',
    name: 'ProviderUnavailableError',
    noCharge: true,
    next: 'retry',
    afterSeconds: 60,
    remedy: laterRemedy,
  },
  {
    status: 503,
    code: 'QUEUE_UNAVAILABLE',
    name: 'QueueUnavailableError',
    noCharge: true,
    next: 'retry',
    remedy: laterRemedy,
  },
] as const satisfies readonly ErrorResponse[];

const rows: readonly ErrorResponse[] = errorResponses;
type Row = (typeof errorResponses)[number];

/** The name of a class of error responses. */
export type ErrorResponseName = Row['name'];

/** A code that the service documents. */
export type ServiceErrorCode = Extract<Row, { code: string }>['code'];

/** The rows of a class. */
export type RowsOf<Name extends ErrorResponseName> = Extract<Row, { name: Name }>;

/** The row of a response of exactly this status and code. */
export const documentedResponse = (status: number, code: string | undefined): ErrorResponse | undefined =>
  rows.find((row) => row.status === status && row.code !== undefined && row.code === code);

/** The documented codes of a status. */
export const codesOf = (status: number): string[] =>
  rows.flatMap((row) => (row.status === status && row.code !== undefined ? [row.code] : []));

/** The first row of a class. */
export const rowOfClass = (name: string): ErrorResponse | undefined => rows.find((row) => row.name === name);

/** The name of the class for an error response, by its status and code, never by its message. */
export function errorResponseName(status: number, code: string | undefined): ErrorResponseName | 'ApiError' {
  const row = errorResponses.find((one) => one.status === status && ('anyCode' in one || one.code === code));
  return row?.name ?? (status >= 500 ? 'ServerError' : 'ApiError');
}

/** What to do about an error response, by the name of its class. */
export function remedyFor(name: ErrorResponseName | 'ApiError', status: number, call: FailedCall): string {
  const remedy = rowOfClass(name)?.remedy ?? (status === 403 ? permissionRemedy : '');
  return typeof remedy === 'function' ? remedy(call) : remedy;
}

function permissionRemedy({ keyName, clientId }: FailedCall): string {
  return `Check that client_id ${clientId} is registered and belongs to ${keyName}, and that it is a secret key where one is needed.`;
}

function sameKey({ idempotencyKey }: FailedCall): string {
  return idempotencyKey === undefined ? '' : ` Keep idempotency_key '${idempotencyKey}'.`;
}

function laterRemedy(call: FailedCall): string {
  return `Call again later.${sameKey(call)}`;
}

/** What the message says of a purchase that may have been charged says when to call again. */
function laterUnlessBought({ idempotencyKey }: FailedCall): string {
  return idempotencyKey === undefined ? 'Call again later.' : '';
}

function notFoundRemedy({ operation, baseUrl }: FailedCall): string {
  if (operation.endsWith('.products') && !baseUrl.endsWith('/api/v1'))
    return `Catalogues exist only under /api/v1, and baseUrl is ${baseUrl}.`;
  return operation === 'transactions.status'
    ? 'The reference is unknown or belongs to another client; an idempotency_key is not a reference.'
    : `Check baseUrl (${baseUrl}).`;
}

function billerRemedy({ operation }: FailedCall): string {
  const product = products.find((name) => operation.startsWith(`${name}.`));
  return product === undefined
    ? 'A field cannot be resolved, such as an unknown product_code or a biller that is not configured.'
    : `A field cannot be resolved: a product_code that is not in the catalogue, or the biller: ${billersOf(product)}.`;
}
