import * as z from 'zod/mini';
import { operations } from '../contract/operations.js';
import { validateParams } from '../contract/validate-params.js';
import type { PurchaseOptions } from '../options.js';
import { field } from '../utils/field.js';
import { isRecord } from '../utils/is-record.js';
import { readProperty } from '../utils/read-property.js';
import { type ApiCall, ApiCallPromise } from './api-call.js';
import { buildRequest } from './build-request.js';
import { type ClientConfig, resolveCallOptions } from './client-config.js';
import { executeCall } from './execute-call.js';
import type { Interpretation } from './interpretation.js';
import { givenKey, refusedLocally, requireSecretKey } from './local-refusal.js';
import type { ReceivedResponse } from './outcome.js';
import type { PreparedCall } from './prepared-call.js';
import { parseJson } from './read-body.js';
import { type SerialisedObject, serialiseOnce } from './serialise.js';

/** A request for an endpoint that the SDK does not know. */
export interface RequestParams {
  /** The HTTP method. GET is repeated like a read; others like a purchase where `body.idempotency_key` is set, else only after a 429. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base address, beginning with a slash: `/data/variations`. */
  path: string;
  /** Query fields. `client_id` is added to GET requests. */
  query?: Record<string, string | number | boolean | undefined> | undefined;
  /** JSON body; not for GET. `client_id` is added. */
  body?: Record<string, unknown> | undefined;
}

const operationName = 'request';
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Calls an endpoint that has no method of its own, with the same key, checks, retries and errors. */
export function request(
  config: ClientConfig,
  params: RequestParams,
  options?: PurchaseOptions,
): ApiCall<unknown> {
  const result = executeCall(
    config,
    () => ({
      operation: operationName,
      idempotencyKey: givenKey(readProperty(params, 'body')),
      mayHaveCharged: options?.resume === true,
    }),
    () => prepareRequest(config, params, options),
  );
  return new ApiCallPromise(result);
}

function prepareRequest(
  config: ClientConfig,
  params: RequestParams,
  callOptions: PurchaseOptions | undefined,
): PreparedCall<unknown> {
  const { method, path, query, body } = checked(params);
  if (needsSecretKey(method, path))
    requireSecretKey(config, operationName, `${operationName} ${method} ${path}`);
  const key = body?.fields['idempotency_key'];
  const idempotencyKey = typeof key === 'string' ? key : undefined;
  const kind = kindOf(method, idempotencyKey);
  const options = resolveCallOptions(callOptions, config, resumableOf[kind]);
  return {
    operation: operationName,
    kind,
    path,
    wire: buildRequest(config, options, { method, path, query, body: body?.text }),
    idempotencyKey,
    options,
    maskedRecipient: undefined,
    interpret: interpretJson,
  };
}

const resumableOf = { read: 'never', unknown: 'without-key', purchase: 'with-key' } as const;

/** The effect that a repeat may have. */
const kindOf = (method: string, idempotencyKey: string | undefined): keyof typeof resumableOf =>
  method === 'GET' ? 'read' : idempotencyKey === undefined ? 'unknown' : 'purchase';

/** Documented calls by the operations table; with any other a public key may only read. */
function needsSecretKey(method: string, path: string): boolean {
  const known = Object.values(operations).find(
    (operation) => operation.method === method && operation.path === path,
  );
  return known ? known.requiredKey === 'secret' : method !== 'GET';
}

/** Any JSON is a success here, and so is an empty body of a status that has none. */
function interpretJson({ bodyFailure, status, text }: ReceivedResponse): Interpretation<unknown> {
  if (bodyFailure) return { ok: false, problem: 'its body could not be read to its end', final: false };
  if (text === '' && (status === 204 || status === 205)) return usable(undefined);
  const data = parseJson(text);
  return data === undefined ? { ok: false, problem: 'its body is not JSON', final: false } : usable(data);
}

const usable = (data: unknown): Interpretation<unknown> => ({
  ok: true,
  data,
  deviations: [],
  tolerated: [],
});

const notRelative =
  "must be a string that begins with a slash, relative to the base address, such as '/data/variations'";

function pathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return notRelative;
  if (/[?#\s\\]/.test(path))
    return 'must not contain a query, a fragment, whitespace or backslashes: pass the query as query';
  if (/\/\/|\/\.{1,2}(\/|$)|%2e|%2f/i.test(path))
    return 'must not leave the base address: no empty, . or .. segments';
  return undefined;
}

const clientIdIsAdded = 'must not contain client_id: the client adds its own clientId';

type Read<T> = { readonly value: T } | { readonly problem: string };

/** The entries of a query, as text; each is read once. */
function readQuery(query: unknown): Read<[name: string, value: string][]> {
  if (query === undefined) return { value: [] };
  if (!isRecord(query)) return { problem: 'must be an object of strings, numbers and booleans' };
  const entries = Object.entries(query);
  if (entries.some(([name]) => name === 'client_id')) return { problem: clientIdIsAdded };
  const wrong = entries.find(
    ([, value]) => !['string', 'number', 'boolean', 'undefined'].includes(typeof value),
  );
  if (wrong) return { problem: `contains ${wrong[0]}, which is neither a string, a number nor a boolean` };
  return {
    value: entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  };
}

/** The body as it will be sent. */
function readBody(body: unknown): Read<SerialisedObject | undefined> {
  if (body === undefined) return { value: undefined };
  const serialised = serialiseOnce(body);
  if (!serialised.ok) return serialised;
  const { fields } = serialised;
  if ('client_id' in fields) return { problem: clientIdIsAdded };
  if ('idempotency_key' in fields) {
    const key = fields['idempotency_key'];
    const isUsable = typeof key === 'string' && key.trim() !== '';
    return isUsable ? { value: serialised } : { problem: keyIsNotText };
  }
  // A purchase that is sent without the key that its caller relies on could be made twice.
  const lost = valueIn(body, 'idempotency_key');
  if (lost === absent) return { value: serialised };
  return { problem: lost === undefined ? keyIsNotText : keyIsLost };
}

const keyIsNotText = 'contains an idempotency_key that is not a non-empty string';
const keyIsLost =
  'contains an idempotency_key that JSON leaves out, because it is inherited, not enumerable or dropped by toJSON: pass a plain object';

const absent = Symbol('absent');

/** The value of a field of an object or of its prototypes; `absent` where there is none. */
function valueIn(object: unknown, name: string): unknown {
  try {
    const target = Object(object);
    return Reflect.has(target, name) ? Reflect.get(target, name) : absent;
  } catch (error) {
    return error;
  }
}

const schema = z.strictObject({
  method: z.enum(methods, { error: `must be one of ${methods.join(', ')}` }),
  path: z.string({ error: notRelative }).check(
    z.refine((path) => pathProblem(path) === undefined, {
      error: ({ input }) => pathProblem(String(input)),
    }),
  ),
  query: z.optional(z.unknown()),
  body: z.optional(z.unknown()),
});

/** A request whose every part was read once. */
interface CheckedRequest {
  readonly method: RequestParams['method'];
  readonly path: string;
  readonly query: readonly [name: string, value: string][];
  readonly body: SerialisedObject | undefined;
}

/** The fields of the caller's object, each read once; undefined where reading them fails. */
function ownFields(given: unknown): unknown {
  try {
    return isRecord(given) ? { ...given } : given;
  } catch {
    return undefined;
  }
}

/** Throws every problem of every field at once. */
function checked(given: RequestParams): CheckedRequest {
  const own = ownFields(given);
  const params = validateParams(schema, own);
  const query = readQuery(field(own, 'query'));
  const body = readBody(field(own, 'body'));
  const bodyOfGet = field(own, 'method') === 'GET' && field(own, 'body') !== undefined;
  if (params.ok && 'value' in query && 'value' in body && !bodyOfGet) {
    const { method, path } = params.params;
    return { method, path, query: query.value, body: body.value };
  }
  throw refusedLocally(operationName, {
    ...(!params.ok && params.errors),
    ...('problem' in query && { query: query.problem }),
    ...(bodyOfGet && { body: 'must not be set with GET: pass the fields as query' }),
    ...('problem' in body && { body: body.problem }),
  });
}
