import * as z from 'zod/mini';
import { foreignBillerProblem } from '../contract/billers.js';
import { type Operation, type OperationName, operations } from '../contract/operations.js';
import { jsonOfParams, readParams } from '../contract/read-params.js';
import { billers, type Product } from '../contract/vocabulary.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import type { AttemptInfo, CallOptions, HeadersOption, PurchaseOptions } from '../options.js';
import { nameOfThrown } from '../utils/is-error.js';
import { once } from '../utils/once.js';
import { readProperty } from '../utils/read-property.js';
import {
  flag,
  headers as headersKind,
  headersOption,
  ms,
  signal,
  wholeNumber,
} from '../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../validation/parse-options.js';
import { version } from '../version.js';
import type { ClientConfig, PreparedCall, ResolvedCallOptions } from './call.js';
import { refusedLocally, secretKeyNeeded } from './failure.js';
import { warnOfSeparators, warnOfUnlistedBiller } from './report.js';
import type { TransportRequest } from './transport.js';

type Params = Readonly<Record<string, unknown>>;

/**
 * Makes a call ready to be sent: reads the caller's parameters once, checks them, and builds the request from that copy.
 *
 * @throws what the call is refused for before anything is sent.
 */
export function prepareCall(
  config: ClientConfig,
  name: OperationName,
  given: unknown,
  callOptions: PurchaseOptions | undefined,
): PreparedCall {
  const operation: Operation = operations[name];
  const { kind, method, path } = operation;
  const chosen = checkedParams(config, name, given);
  const hasOwnKey = 'idempotency_key' in chosen;
  const isPurchase = kind === 'purchase';
  const options = resolveCallOptions(
    callOptions,
    config,
    isPurchase ? (hasOwnKey ? 'with-key' : 'without-key') : 'never',
  );
  const fields = isPurchase && !hasOwnKey ? { ...chosen, idempotency_key: crypto.randomUUID() } : chosen;
  const idempotencyKey = isPurchase ? textIn(fields, 'idempotency_key') : undefined;
  const { product } = operation;
  const biller = textIn(fields, 'biller');
  if (product && biller !== undefined && !isListed(product, biller)) {
    warnOfUnlistedBiller(config, name, product, biller);
  }
  const recipient = textIn(fields, 'recipient');
  if (recipient !== undefined && separators.test(recipient)) warnOfSeparators(config, name, recipient);
  return {
    operation: name,
    kind,
    path,
    request: buildRequest(config, options, {
      method,
      path,
      query: method === 'GET' ? Object.entries(fields).map(([field, value]) => [field, String(value)]) : [],
      body: method === 'GET' ? undefined : jsonOfParams(fields),
    }),
    idempotencyKey,
    options,
    headers: changingHeaders(options),
    recipient,
    expected: {
      operation,
      idempotencyKey,
      asked: isPurchase && hasOwnKey ? fields : undefined,
      reference: name === 'transactions.status' ? textIn(fields, 'reference') : undefined,
      strict: config.strictResponses,
      redactor: config.redactor,
    },
  };
}

/** Throws the error of a client whose credentials are not complete. */
export function requireCredentials({ missing }: Pick<ClientConfig, 'missing'>): void {
  if (missing) throw new ConfigurationError(missing.options, missing.problem);
}

/** The checked copy of the caller's parameters; throws what the call would be refused for. */
export function checkedParams(config: ClientConfig, name: OperationName, given: unknown): Params {
  const operation: Operation = operations[name];
  requireCredentials(config);
  if (operation.requiredKey === 'secret' && config.keyKind !== 'secret') throw secretKeyNeeded(name);
  const read = readParams(operation.paramsSchema(), given);
  const { product } = operation;
  const biller = readProperty(read.ok ? read.params : given, 'biller');
  const problem = product && !isListed(product, biller) && foreignBillerProblem(product, biller);
  if (!read.ok || problem) {
    throw refusedLocally(name, { ...(!read.ok && read.errors), ...(problem && { biller: problem }) });
  }
  return read.params as Params;
}

/** Whether a biller is written as it is listed, as almost always: it needs no closer look. */
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
    signal: z.optional(signal()),
    timeout: z.optional(ms()),
    totalTimeout: z.optional(ms()),
    maxRetries: z.optional(wholeNumber(0)),
    headers: z.optional(headersOption<Extract<HeadersOption, (attempt: never) => unknown>>()),
  } satisfies OptionShape<CallOptions>;
  const purchaseOptions = {
    ...callOptions,
    resume: z.optional(flag()),
  } satisfies OptionShape<PurchaseOptions>;
  return { call: optionsOf(callOptions), purchase: optionsOf(purchaseOptions) };
});

/** Whether a call can resume an earlier one: only a purchase under the caller's own key can. */
export type Resumable = 'never' | 'without-key' | 'with-key';

/** Checks one call's options and fills in the client's. */
export function resolveCallOptions(
  given: PurchaseOptions | undefined,
  client: ClientConfig,
  resumable: Resumable = 'never',
): ResolvedCallOptions {
  const { timeout, totalTimeout, maxRetries, headers } = client;
  if (given === undefined) {
    return { signal: undefined, timeout, totalTimeout, maxRetries, headers: [headers], resume: false };
  }
  const schema = schemas()[resumable === 'never' ? 'call' : 'purchase'];
  const own: PurchaseOptions = parseOptions(schema, given, { owner: 'a call' });
  const { resume = false } = own;
  if (resume && resumable !== 'with-key') {
    throw new ConfigurationError(
      'resume',
      'needs the idempotency_key of the earlier call: a new key would be a new purchase',
    );
  }
  return {
    signal: own.signal,
    timeout: own.timeout ?? timeout,
    totalTimeout: own.totalTimeout ?? totalTimeout,
    maxRetries: own.maxRetries ?? maxRetries,
    headers: own.headers === undefined ? [headers] : [headers, own.headers],
    resume,
  };
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

/**
 * Builds the request that every attempt of a call sends. `client_id` (in the query of a GET, else in the body) and the
 * API key are added here and nowhere else.
 */
export function buildRequest(
  client: ClientConfig,
  options: ResolvedCallOptions,
  { method, path, query, body = '{}' }: RequestParts,
): TransportRequest {
  const isGet = method === 'GET';
  const fields = isGet ? [['client_id', client.clientId], ...query] : query;
  const search = fields.length === 0 ? '' : `?${new URLSearchParams(fields.map((pair) => [...pair]))}`;
  return {
    method,
    url: client.baseUrl + path + search,
    headers: {
      accept: 'application/json',
      ...userAgent,
      ...fixedHeaders(options.headers),
      'content-type': 'application/json',
      authorization: `Bearer ${client.apiKey}`,
    },
    body: isGet ? undefined : withClientId(client.clientId, body),
  };
}

/** The headers that are the same for every attempt. */
const fixedHeaders = (sources: ResolvedCallOptions['headers']): Record<string, string> =>
  Object.assign({}, ...sources.filter((source) => typeof source !== 'function'));

/** Left out in browsers, where it would cost every call a preflight request. */
const userAgent = 'document' in globalThis ? {} : { 'user-agent': `billpay-sdk/${version}` };

/** The same object with `client_id` in front. The text is joined, so that the checked bytes stay as they are. */
export function withClientId(clientId: string, text: string): string {
  const head = `{"client_id":${JSON.stringify(clientId)}`;
  return text === '{}' ? `${head}}` : `${head},${text.slice(1)}`;
}

/** The headers of a call whose request is not the same for every attempt. */
export const changingHeaders = ({ headers: sources }: ResolvedCallOptions): readonly HeadersOption[] =>
  sources.some((source) => typeof source === 'function') ? sources : [];

/**
 * The request of one attempt: the same each time, but for the headers that the caller's functions return.
 *
 * @throws `ConfigurationError` where such a function throws, or returns headers that cannot be sent.
 */
export function requestForAttempt(
  { request, headers, operation, idempotencyKey }: PreparedCall,
  attempt: number,
): TransportRequest {
  const info = { operation, attempt, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const sets = headers.map((source) => (typeof source === 'function' ? headersFrom(source, info) : source));
  return { ...request, headers: Object.assign({}, request.headers, ...sets) };
}

/** What a caller's function returned, checked like an option. */
const returned = once(() => optionsOf({ headers: z._default(headersKind(), {}) }));

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
  return parseOptions(returned(), { headers: result }, { owner: 'headers' }).headers;
}
