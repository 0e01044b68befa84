import { inspect } from 'node:util';
import { BillPay, BillPayError, type BillPayOptions, type CallOptions } from '../../../src/index.js';
import type { Random } from '../../support/random.js';
import { canary } from './values.js';

/** A client of an arbitrary service; its log lines are checked and discarded. */
export const fuzzedClient = (options: BillPayOptions): BillPay =>
  new BillPay({
    apiKey: canary,
    clientId: 'client-1',
    logLevel: 'debug',
    logger: { debug: swallow, info: swallow, warn: swallow, error: swallow },
    ...options,
  });

function swallow(message: string, fields: object): void {
  if (leaks(message) || leaks(JSON.stringify(fields))) throw new Leak(`a log line shows the key: ${message}`);
}

/** The client ignores a logger that throws, so a leak is recorded here. */
class Leak extends Error {
  static last: string | undefined;

  constructor(message: string) {
    super(message);
    Leak.last = message;
  }
}

const leaks = (text: string): boolean => text.includes(canary) && /(?<![A-Za-z0-9])sk_test_Fuzz/.test(text);

interface Kind {
  readonly purchase: boolean;
  call(client: BillPay, recipient: string, options: CallOptions): Promise<unknown>;
  /** What a result must have. */
  usable(result: unknown): boolean;
}

const has = (value: unknown, name: string, type: string): boolean =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === type;

/** The state is passed on as it was given: only a reference is needed to follow a sale. */
const sold = (result: unknown): boolean =>
  has(result, 'reference', 'string') &&
  has(result, 'idempotency_key', 'string') &&
  Reflect.get(Object(result), 'status') !== undefined;

const listed = (result: unknown): boolean => {
  const products: unknown = Reflect.get(Object(result), 'products');
  return Array.isArray(products) && products.every((product) => has(product, 'product_code', 'string'));
};

const anObject = (result: unknown): boolean => typeof result === 'object' && result !== null;

const key = { idempotency_key: 'order-1' };

const kinds: readonly [Kind, ...Kind[]] = [
  {
    purchase: true,
    call: (client, recipient, options) =>
      client.airtime.purchase({ biller: 'MTN', recipient, amount: 500, ...key }, options),
    usable: sold,
  },
  {
    purchase: true,
    call: (client, recipient, options) =>
      client.edu.purchase({ biller: 'WAEC', recipient, product_code: 'A', quantity: 2 }, options),
    usable: sold,
  },
  {
    purchase: true,
    call: (client, recipient, options) =>
      client.electricity.purchase({ biller: 'IKEDC', recipient, meter_type: 'prepaid', amount: 5 }, options),
    usable: sold,
  },
  {
    purchase: false,
    call: (client, _, options) => client.data.products({ biller: 'MTN' }, options),
    usable: listed,
  },
  {
    purchase: false,
    call: (client, recipient, options) =>
      client.electricity.validate({ biller: 'IKEDC', recipient, meter_type: 'prepaid' }, options),
    usable: anObject,
  },
  {
    purchase: false,
    call: (client, recipient, options) => client.transactions.status(recipient, options),
    usable: (result) => has(result, 'transaction_status', 'string'),
  },
  {
    purchase: false,
    call: (client, _, options) => client.webhooks.subscribe({ url: 'https://shop.test/hook' }, options),
    usable: (result) => has(result, 'secret', 'string'),
  },
  {
    purchase: false,
    call: (client, recipient, options) =>
      client.request({ method: 'GET', path: '/data/variations', query: { recipient } }, options),
    usable: () => true,
  },
];

/** Names of errors that a call may end in once it was sent. */
const documentedErrors = new Set([
  'AbortError',
  'AccountRestrictedError',
  'AlreadyProcessingError',
  'AmountMismatchError',
  'ApiError',
  'AuthenticationError',
  'BadRequestError',
  'ConnectionError',
  'IdempotencyKeyReusedError',
  'InsufficientBalanceError',
  'MethodNotAllowedError',
  'NotFoundError',
  'PermissionError',
  'ProviderUnavailableError',
  'QueueUnavailableError',
  'RateLimitError',
  'ServerError',
  'TimeoutError',
  'UnexpectedResponseError',
  'UnresolvableFieldError',
  'ValidationError',
  'VerificationFailedError',
]);

/** The refusals of a purchase that docs/service.md documents to create no charge, by status. */
const refusals: Readonly<Record<number, readonly string[]>> = {
  400: ['BAD_REQUEST'],
  401: ['UNAUTHORIZED'],
  402: ['INSUFFICIENT_BALANCE'],
  403: ['GATEWAY_ERROR', 'ACCOUNT_RESTRICTED'],
  405: ['METHOD_NOT_ALLOWED'],
  422: ['VALIDATION_FAILED', 'AMOUNT_MISMATCH', 'VERIFICATION_FAILED', 'GATEWAY_ERROR'],
  429: ['RATE_LIMITED'],
  503: ['PROVIDER_UNAVAILABLE', 'QUEUE_UNAVAILABLE'],
};

/** Whether an error response to a purchase does not rule out a charge: every one except a refusal in the service's own envelope. */
function open(status: number, body: unknown): boolean {
  const own = (name: string): unknown =>
    typeof body === 'object' && body !== null && Object.hasOwn(body, name)
      ? Reflect.get(body, name)
      : undefined;
  const code = own('code');
  return !(
    own('status') === 'error' &&
    typeof own('message') === 'string' &&
    typeof code === 'string' &&
    (refusals[status] ?? []).includes(code)
  );
}

/** Makes one call of any kind and compares its end with the documentation; returns what is wrong, or nothing. */
export async function callProblem(
  client: BillPay,
  random: Random,
  recipient: string,
): Promise<string | undefined> {
  const kind = random.pick(kinds);
  const printed = random.chance(0.1);
  // No wait fits in this totalTimeout: the retry rules are evaluated, and nothing waits.
  const options = random.chance(0.2) ? { maxRetries: 2, totalTimeout: 200 } : { maxRetries: 0 };
  const problem = await endProblem(kind, () => kind.call(client, recipient, options), printed);
  const leak = Leak.last;
  Leak.last = undefined;
  return problem ?? leak;
}

async function endProblem(
  kind: Kind,
  call: () => Promise<unknown>,
  printed: boolean,
): Promise<string | undefined> {
  let result: unknown;
  try {
    result = await call();
  } catch (error) {
    return errorProblem(kind, error, printed);
  }
  return kind.usable(result) ? undefined : `resolved to ${JSON.stringify(result)?.slice(0, 300)}`;
}

function errorProblem(kind: Kind, error: unknown, printed: boolean): string | undefined {
  if (!(error instanceof BillPayError)) return `threw ${inspect(error).slice(0, 500)}`;
  if (!documentedErrors.has(error.name)) return `threw a ${error.name}`;
  if (error.attempts < 1) return `${error.name} tells of ${error.attempts} attempts`;
  if (kind.purchase && typeof error.idempotencyKey !== 'string') return `${error.name} has no idempotencyKey`;
  if (!kind.purchase && error.mayHaveCharged)
    return `${error.name} of a call that buys nothing may have charged`;
  const status: unknown = Reflect.get(error, 'status');
  const body: unknown = Reflect.get(error, 'body');
  if (kind.purchase && typeof status === 'number' && error.mayHaveCharged !== open(status, body)) {
    return `${status} ${error.code} has mayHaveCharged ${error.mayHaveCharged}`;
  }
  if (!printed) return undefined;
  const shown = [inspect(error), JSON.stringify(error), String(error), error.stack ?? ''];
  return shown.some(leaks) ? `${error.name} shows the key when printed` : undefined;
}
