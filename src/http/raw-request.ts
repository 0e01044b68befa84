import { lazily } from '../contract/lazily.js';
import { operations } from '../contract/operations.js';
import { custom, optional, strictObject } from '../contract/schema.js';
import { validateParams } from '../contract/validate-params.js';
import type { CallOptions } from '../options.js';
import { type ClientConfig, resolveCallOptions } from '../resolve-options.js';
import { ApiCall } from './api-call.js';
import { runCallLoop, type Verdict } from './call-loop.js';
import { needSecretKey, refusedLocally, wireRequest } from './call-operation.js';
import type { CallKind, ReceivedResponse } from './outcome.js';
import { parseJson } from './read-body.js';

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
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Calls an endpoint that has no method of its own, with the same key, checks, retries and errors. */
export function request(
  client: ClientConfig,
  params: RequestParams,
  options?: CallOptions,
): ApiCall<unknown> {
  return new ApiCall(run(client, params, options));
}

async function run(client: ClientConfig, params: RequestParams, callOptions: CallOptions | undefined) {
  const { method, path, query = {}, body = {} } = checked(params);
  if (needsSecretKey(method, path))
    needSecretKey(client, operationName, `${operationName} ${method} ${path}`);
  const options = resolveCallOptions(callOptions, client);
  const key = body['idempotency_key'];
  const idempotencyKey = typeof key === 'string' ? key : undefined;
  const fields = method === 'GET' ? query : body;
  const wire = wireRequest(client, options, method, path, fields);
  return runCallLoop(
    {
      operation: operationName,
      kind: kindOf(method, idempotencyKey),
      path,
      wire: method === 'GET' ? wire : { ...wire, url: withQuery(wire.url, query) },
      idempotencyKey,
      options,
      recipient: undefined,
      read,
      verify: () => undefined,
    },
    client,
  );
}

/** What a repeat of it may do. */
const kindOf = (method: string, idempotencyKey: string | undefined): CallKind =>
  method === 'GET' ? 'read' : idempotencyKey === undefined ? 'unknown' : 'purchase';

/** Known calls by the operations table; of others a public key may only read. */
function needsSecretKey(method: string, path: string): boolean {
  const known = Object.values(operations).find(
    (operation) => operation.method === method && operation.path === path,
  );
  return known ? known.requiredKey === 'secret' : method !== 'GET';
}

function withQuery(url: string, query: NonNullable<RequestParams['query']>): string {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return entries.length === 0 ? url : `${url}?${new URLSearchParams(entries)}`;
}

function read(answer: ReceivedResponse): Verdict<unknown> {
  if (answer.broken) return { ok: false, problem: 'its body could not be read to its end', final: false };
  if (answer.text === '' && (answer.status === 204 || answer.status === 205)) {
    return { ok: true, data: undefined, deviations: [] };
  }
  const data = parseJson(answer.text);
  return data === undefined
    ? { ok: false, problem: 'its body is not JSON', final: false }
    : { ok: true, data, deviations: [] };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function pathProblem(path: unknown): string | undefined {
  if (typeof path !== 'string' || !path.startsWith('/')) {
    return "must be a string that begins with a slash, relative to the base address, such as '/data/variations'";
  }
  if (/[?#\s\\]/.test(path))
    return 'must not hold a query, a fragment, blanks or backslashes: give the query as query';
  if (/\/\/|\/\.{1,2}(\/|$)|%2e|%2f/i.test(path))
    return 'must not leave the base address: no empty, . or .. segments';
  return undefined;
}

const clientIdIsAdded = 'must not hold client_id: the client adds its own clientId';

function queryProblem(query: unknown): string | undefined {
  if (!isRecord(query)) return 'must be an object of strings, numbers and booleans';
  if ('client_id' in query) return clientIdIsAdded;
  const wrong = Object.entries(query).find(
    ([, value]) => !['string', 'number', 'boolean', 'undefined'].includes(typeof value),
  );
  return wrong && `holds ${wrong[0]}, which is neither a string, a number nor a boolean`;
}

function bodyProblem(body: unknown): string | undefined {
  if (!isRecord(body)) return 'must be an object';
  if ('client_id' in body) return clientIdIsAdded;
  const { idempotency_key: key = '' } = body;
  if ('idempotency_key' in body && (typeof key !== 'string' || key.trim() === ''))
    return 'holds an idempotency_key that is not a non-empty string';
  try {
    JSON.stringify(body);
    return undefined;
  } catch {
    return 'cannot be written as JSON: it holds a cycle or a BigInt';
  }
}

const schema = lazily(() =>
  strictObject({
    method: custom<RequestParams['method']>((method) =>
      methods.some((known) => known === method) ? undefined : `must be one of ${methods.join(', ')}`,
    ),
    path: custom<string>(pathProblem),
    query: optional(custom<NonNullable<RequestParams['query']>>(queryProblem)),
    body: optional(custom<Record<string, unknown>>(bodyProblem)),
  }),
);

/** Checked parameters; throws every problem of every field at once. */
function checked(given: RequestParams): RequestParams {
  const result = validateParams(schema(), given);
  if (result.ok && (result.params.method !== 'GET' || result.params.body === undefined)) return result.params;
  throw refusedLocally(operationName, {
    ...(given?.method === 'GET' &&
      given.body !== undefined && { body: 'does not go with GET: give the fields as query' }),
    ...(!result.ok && result.errors),
  });
}
