import { operations } from '../contract/operations.js';
import { readParams } from '../contract/read-params.js';
import type { PurchaseOptions } from '../options.js';
import { once } from '../utils/functions.js';
import { isRecord, readProperty } from '../utils/unknown.js';
import { type OptionShape, oneOf, optional, optionsOf, type Read, readBy } from '../validation/options.js';
import type { Call, ClientConfig } from './call.js';
import { refusedLocally, secretKeyNeeded } from './error.js';
import { missingError, prepareRequest } from './prepare.js';

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

const schema = once(() =>
  optionsOf({
    method: oneOf(methods),
    path: readBy(readPath),
    query: optional(readBy(readQuery)),
    body: optional(readBy(readBody)),
  } satisfies OptionShape<RequestParams>),
);

function readPath(path: unknown): Read<string> {
  if (typeof path !== 'string' || !path.startsWith('/'))
    return {
      problem:
        "must be a string that begins with a slash, relative to the base address, such as '/data/variations'",
    };
  if (/[?#\s\\]/.test(path))
    return {
      problem: 'must not contain a query, a fragment, whitespace or backslashes: pass the query as query',
    };
  return /\/\/|\/\.{1,2}(\/|$)|%2e|%2f/i.test(path)
    ? { problem: 'must not leave the base address: no empty, . or .. segments' }
    : { value: path };
}

const clientIdIsAdded = { problem: 'must not contain client_id: the client adds its own clientId' };

/** The entries of a query, as text; each is read once. */
function readQuery(query: unknown): Read<[name: string, value: string][]> {
  if (!isRecord(query)) return { problem: 'must be an object of strings, numbers and booleans' };
  const entries = Object.entries(query);
  if (entries.some(([name]) => name === 'client_id')) return clientIdIsAdded;
  const wrong = entries.find(
    ([, value]) => !['string', 'number', 'boolean', 'undefined'].includes(typeof value),
  );
  if (wrong) return { problem: `contains ${wrong[0]}, which is neither a string, a number nor a boolean` };
  return {
    value: entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  };
}

/** The body as it will be sent, and the key in it. */
function readBody(body: unknown): Read<{ readonly text: string; readonly key: string | undefined }> {
  const serialised = serialiseOnce(body);
  if ('problem' in serialised) return serialised;
  const { text, fields } = serialised.value;
  if ('client_id' in fields) return clientIdIsAdded;
  if ('idempotency_key' in fields) {
    const key = fields['idempotency_key'];
    return typeof key === 'string' && key.trim() !== '' ? { value: { text, key } } : keyIsNotText;
  }
  // A purchase that is sent without the key that its caller relies on could be made twice.
  const lost = valueIn(body, 'idempotency_key');
  if (lost === absent) return { value: { text, key: undefined } };
  return lost === undefined ? keyIsNotText : keyIsLost;
}

const keyIsNotText = { problem: 'contains an idempotency_key that is not a non-empty string' };
const keyIsLost = {
  problem:
    'contains an idempotency_key that JSON leaves out, because it is inherited, not enumerable or dropped by toJSON: pass a plain object',
};

const isNoObject = { problem: 'must be an object' };

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

/** The JSON text of an object, and the object that this text describes. */
interface SerialisedObject {
  /** What is sent. */
  readonly text: string;
  /** A parsed copy of `text`: everything that is decided about a request is decided by it. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Serialises an object exactly once. Accessors, `toJSON`, prototypes and proxies can give another value at each
 * reading, so the caller's object must not be read again afterwards: what is checked has to be what is sent.
 */
function serialiseOnce(given: unknown): Read<SerialisedObject> {
  let nonFinite: string | undefined;
  const replacer = (name: string, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) nonFinite ??= `${value} at '${name}'`;
    return value;
  };
  let text: string | undefined;
  try {
    if (!isRecord(given)) return isNoObject;
    text = JSON.stringify(given, replacer);
  } catch (error) {
    return {
      problem:
        error instanceof TypeError
          ? 'cannot be written as JSON: it contains a cycle or a BigInt'
          : 'cannot be written as JSON: reading one of its fields failed',
    };
  }
  if (nonFinite !== undefined) {
    return { problem: `contains ${nonFinite}, which JSON would turn into null: pass a finite number` };
  }
  // `toJSON` may give nothing at all, or something that is not an object.
  if (text === undefined) return isNoObject;
  const fields: unknown = JSON.parse(text);
  return isRecord(fields) ? { value: { text, fields } } : isNoObject;
}

const operation = 'request';

/** Makes a call of an endpoint that has no method of its own ready to be sent, with the same key, checks, retries and errors. */
export function prepareRaw(
  config: ClientConfig,
  given: RequestParams,
  options: PurchaseOptions | undefined,
): Call {
  if (config.missing) throw missingError(config.missing);
  const read = readParams(schema(), given);
  const isBodyOfGet = read.ok
    ? read.params.method === 'GET' && read.params.body !== undefined
    : readProperty(given, 'method') === 'GET' && readProperty(given, 'body') !== undefined;
  if (!read.ok || isBodyOfGet) {
    throw refusedLocally(operation, {
      ...(isBodyOfGet && { body: 'must not be set with GET: pass the fields as query' }),
      ...(!read.ok && read.errors),
    });
  }
  const { method, path, query = [], body } = read.params;
  if (config.keyKind !== 'secret' && needsSecretKey(method, path)) {
    throw secretKeyNeeded(operation, `${operation} ${method} ${path}`);
  }
  const idempotencyKey = body?.key;
  const kind = kindOf(method, idempotencyKey);
  return {
    ...prepareRequest(config, options, resumableOf[kind], { method, path, query, body: body?.text }),
    operation,
    kind,
    idempotencyKey,
    recipient: undefined,
    expected: undefined,
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
