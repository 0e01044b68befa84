import * as z from 'zod/mini';
import { readParams } from '../contract/read-params.js';
import { field } from '../utils/field.js';
import { isRecord } from '../utils/is-record.js';
import { refusedLocally } from './local-refusal.js';
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

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

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
function readRequestBody(body: unknown): Read<SerialisedObject | undefined> {
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
export interface CheckedRequest {
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

/** Reads the parameters of a call of `operation` once. Throws every problem of every field at once. */
export function checkRequest(operation: string, given: RequestParams): CheckedRequest {
  const own = ownFields(given);
  const params = readParams(schema, own);
  const query = readQuery(field(own, 'query'));
  const body = readRequestBody(field(own, 'body'));
  const bodyOfGet = field(own, 'method') === 'GET' && field(own, 'body') !== undefined;
  if (params.ok && 'value' in query && 'value' in body && !bodyOfGet) {
    const { method, path } = params.params;
    return { method, path, query: query.value, body: body.value };
  }
  throw refusedLocally(operation, {
    ...(!params.ok && params.errors),
    ...('problem' in query && { query: query.problem }),
    ...(bodyOfGet && { body: 'must not be set with GET: pass the fields as query' }),
    ...('problem' in body && { body: body.problem }),
  });
}
