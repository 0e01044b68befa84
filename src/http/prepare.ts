import { type Operation, type OperationName, operations } from '../contract/operations.js';
import { readParams } from '../contract/read-params.js';
import { billers, foreignBillerProblem, type Product } from '../contract/vocabulary.js';
import { ConfigurationError } from '../errors/base.js';
import type { AttemptInfo, CallOptions, HeadersOption, PurchaseOptions } from '../options.js';
import { callSafely, once } from '../utils/functions.js';
import { nameOfThrown, readProperty } from '../utils/unknown.js';
import {
  flag,
  ms,
  type OptionShape,
  optional,
  optionsOf,
  parseOptions,
  signal,
  wholeNumber,
  withDefault,
} from '../validation/options.js';
import { headers as headersKind, headersOption } from '../validation/request-options.js';
import { version } from '../version.js';
import type { Call, ClientConfig, MissingCredentials } from './call.js';
import { refusedLocally, secretKeyNeeded } from './error.js';
import { warnOfSeparators, warnOfUnlistedBiller } from './report.js';
import type { TransportRequest } from './transport.js';

type Params = Readonly<Record<string, unknown>>;

/** Checks the parameters of a documented operation and makes the call ready to be sent. Throws what it is refused for. */
export const prepareCall = (
  config: ClientConfig,
  name: OperationName,
  given: unknown,
  options: PurchaseOptions | undefined,
): Call => prepareOperation(config, name, checkedParams(config, name, given), options);

/**
 * Makes a call of a documented operation ready to be sent.
 *
 * @param chosen - the checked copy of the caller's parameters: see `checkedParams`.
 * @throws what the call is refused for before anything is sent.
 */
export function prepareOperation(
  config: ClientConfig,
  name: OperationName,
  chosen: Params,
  options: PurchaseOptions | undefined,
): Call {
  const operation: Operation = operations[name];
  const { kind, method, path, product } = operation;
  const isPurchase = kind === 'purchase';
  const hasOwnKey = 'idempotency_key' in chosen;
  const fields = isPurchase && !hasOwnKey ? { ...chosen, idempotency_key: crypto.randomUUID() } : chosen;
  const idempotencyKey = isPurchase ? textIn(fields, 'idempotency_key') : undefined;
  const biller = textIn(fields, 'biller');
  if (product && biller !== undefined && !isListed(product, biller))
    warnOfUnlistedBiller(config, name, product, biller);
  const recipient = textIn(fields, 'recipient');
  if (recipient !== undefined && separators.test(recipient)) warnOfSeparators(config, name, recipient);
  const isGet = method === 'GET';
  return {
    ...prepareRequest(config, options, isPurchase ? (hasOwnKey ? 'with-key' : 'without-key') : 'never', {
      method,
      path,
      query: isGet ? Object.entries(fields).map(([field, value]) => [field, String(value)]) : [],
      // Without a prototype: a `toJSON` that some library added to `Object.prototype` would change what was checked.
      body: isGet ? undefined : JSON.stringify({ __proto__: null, ...fields }),
    }),
    operation: name,
    kind,
    idempotencyKey,
    recipient,
    expected: {
      operation,
      idempotencyKey,
      asked: isPurchase && hasOwnKey ? fields : undefined,
      reference: textIn(fields, 'reference'),
    },
  };
}

/** The error of a client whose credentials are not complete. */
export const missingError = ({ options, problem }: MissingCredentials): ConfigurationError =>
  new ConfigurationError(options, problem);

/** The checked copy of the caller's parameters; throws what the call would be refused for. */
export function checkedParams(config: ClientConfig, name: OperationName, given: unknown): Params {
  const operation: Operation = operations[name];
  requireKey(config, operation, name);
  // The only reading: accessors and proxies may give another value next time.
  const read = readParams(operation.paramsSchema(), given);
  const { product } = operation;
  const biller = readProperty(read.ok ? read.params : given, 'biller');
  const problem = product && !isListed(product, biller) && foreignBillerProblem(product, biller);
  if (read.ok && !problem) return read.params as Params;
  throw refusedLocally(name, { ...(!read.ok && read.errors), ...(problem && { biller: problem }) });
}

/** Throws for a client whose credentials are missing or do not allow an operation. */
export function requireKey(config: ClientConfig, { requiredKey }: Operation, name: string): void {
  if (config.missing) throw missingError(config.missing);
  if (requiredKey === 'secret' && config.keyKind !== 'secret') throw secretKeyNeeded(name);
}

/** Whether a biller is written as it is listed, as almost always: nothing more is compared then. */
const isListed = (product: Product, biller: unknown): boolean =>
  billers[product].some((name) => name === biller);

/** Blanks, brackets, dots, dashes, slashes, and the invisible marks that are copied along with a number. */
const separators = /[\s()[\].,/_\u2010-\u2015\u200b-\u200f\u202a-\u202e\u2060\ufeff-]/;

const textIn = (fields: Params, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
};

/** Made when a call first has options. */
const schemas = once(() => {
  const callOptions = {
    signal: optional(signal()),
    timeout: optional(ms()),
    totalTimeout: optional(ms()),
    maxRetries: optional(wholeNumber(0)),
    headers: optional(headersOption<Extract<HeadersOption, (attempt: never) => unknown>>()),
  } satisfies OptionShape<CallOptions>;
  const purchaseOptions = {
    ...callOptions,
    resume: optional(flag()),
  } satisfies OptionShape<PurchaseOptions>;
  return { call: optionsOf(callOptions), purchase: optionsOf(purchaseOptions) };
});

/** Whether a call can resume an earlier one: only a purchase under the caller's own key can. */
export type Resumable = 'never' | 'without-key' | 'with-key';

/** Checks one call's options. */
function callOptions(given: PurchaseOptions, resumable: Resumable): PurchaseOptions {
  for (const name of ['idempotencyKey', 'idempotency_key']) {
    if (readProperty(given, name) !== undefined)
      throw new ConfigurationError(
        name,
        'belongs in the parameters, as idempotency_key: purchase({ biller, …, idempotency_key: order.id }, options)',
      );
  }
  const schema = schemas()[resumable === 'never' ? 'call' : 'purchase'];
  const own: PurchaseOptions = parseOptions(schema, given, { owner: 'a call' });
  if (own.resume && resumable !== 'with-key')
    throw new ConfigurationError(
      'resume',
      'needs the idempotency_key of the earlier call: a new key would be a new purchase',
    );
  return own;
}

/** The parts of a request that differ from call to call. */
export interface RequestParts {
  readonly method: string;
  /** Relative to the base address, beginning with a slash. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The JSON text of the body. Not for GET. */
  readonly body: string | undefined;
}

type Prepared = Pick<
  Call,
  'path' | 'request' | 'resume' | 'signal' | 'timeout' | 'totalTimeout' | 'maxRetries' | 'headers'
>;

/**
 * Fills in the client's options and builds the request that every attempt of a call sends. `client_id` (in the query of a GET, else in the body) and the
 * API key are added here and nowhere else.
 */
export function prepareRequest(
  client: ClientConfig,
  given: PurchaseOptions | undefined,
  resumable: Resumable,
  { method, path, query, body = '{}' }: RequestParts,
): Prepared {
  const { headers, ...own } = given === undefined ? {} : callOptions(given, resumable);
  const sources = [client.headers, headers ?? {}];
  const isGet = method === 'GET';
  const fields = isGet ? [['client_id', client.clientId], ...query] : query;
  const search = fields.length === 0 ? '' : `?${new URLSearchParams(fields.map((pair) => [...pair]))}`;
  return {
    path,
    signal: own.signal,
    resume: own.resume ?? false,
    timeout: own.timeout ?? client.timeout,
    totalTimeout: own.totalTimeout ?? client.totalTimeout,
    maxRetries: own.maxRetries ?? client.maxRetries,
    headers: sources.some((source) => typeof source === 'function') ? sources : [],
    request: {
      method,
      url: client.baseUrl + path + search,
      headers: {
        accept: 'application/json',
        ...userAgent,
        ...Object.assign({}, ...sources.filter((source) => typeof source !== 'function')),
        'content-type': 'application/json',
        authorization: `Bearer ${client.apiKey}`,
      },
      // The text is joined, so that the checked bytes stay as they are.
      body: isGet
        ? undefined
        : `{"client_id":${JSON.stringify(client.clientId)}${body === '{}' ? '}' : `,${body.slice(1)}`}`,
    },
  };
}

/** Left out in browsers, where it would cost every call a preflight request. */
const userAgent = 'document' in globalThis ? {} : { 'user-agent': `billpay-sdk/${version}` };

/**
 * The request of one attempt: the same each time, but for the headers that the caller's functions return.
 *
 * @throws `ConfigurationError` where such a function throws, or returns headers that cannot be sent.
 */
export function requestForAttempt(
  { request, headers, operation, idempotencyKey }: Call,
  attempt: number,
): TransportRequest {
  const info = { operation, attempt, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const sets = headers.map((source) => (typeof source === 'function' ? headersFrom(source, info) : source));
  return { ...request, headers: Object.assign({}, request.headers, ...sets) };
}

/** What a caller's function returned, checked like an option. */
const returned = once(() => optionsOf({ headers: withDefault(headersKind(), {}) }));

function headersFrom(
  source: (attempt: AttemptInfo) => Record<string, string>,
  info: AttemptInfo,
): Record<string, string> {
  let result: unknown;
  try {
    result = source(info);
  } catch (error) {
    throw new ConfigurationError('headers', `is a function that threw (${nameOfThrown(error)})`);
  }
  if (typeof readProperty(result, 'then') === 'function') {
    callSafely(() => result);
    throw new ConfigurationError(
      'headers',
      'is a function that returned a promise: it is called before each attempt and must return the headers at once',
    );
  }
  return parseOptions(returned(), { headers: result }, { owner: 'headers' }).headers;
}
