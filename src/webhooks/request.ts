import { parseExactly } from '../utils/exact-json.js';

/** Request headers of any framework: a `Headers`, Node's header object, any plain object, or a list of pairs. Names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | readonly (readonly [name: string, value: string])[];

/** One value as text. Several values are joined as `Headers` joins them; no check accepts the result as one value. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (!Array.isArray(value)) return undefined;
  return textOf(value.filter((item) => typeof item === 'string').join(', '));
}

/** The value of a header, whose name is wanted in lower case; undefined when it is absent or empty. */
export function headerOf(headers: unknown, wanted: string): string | undefined {
  if (!isObject(headers)) return undefined;
  // Node's form first: it is the most frequent one.
  const plain = textOf(headers[wanted]);
  if (plain !== undefined) return plain;
  if (typeof headers['get'] === 'function') return textOf(headers['get'](wanted));
  if (Array.isArray(headers)) {
    const values = headers.filter((pair) => Array.isArray(pair) && isNamed(pair[0], wanted));
    return textOf(values.map((pair) => pair[1]));
  }
  const key = Object.keys(headers).find((candidate) => isNamed(candidate, wanted));
  return key === undefined ? undefined : textOf(headers[key]);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isNamed = (candidate: unknown, wanted: string): boolean =>
  typeof candidate === 'string' && candidate.toLowerCase() === wanted;

/** A body exactly as it arrived. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** The body as text or bytes, from any realm; undefined when it is neither. */
export function rawBodyOf(body: unknown): string | Uint8Array | undefined {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  return isArrayBuffer(body) ? new Uint8Array(body) : undefined;
}

const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  Object.prototype.toString.call(value) === '[object ArrayBuffer]';

/** Parses a raw body, long whole numbers as texts. @throws SyntaxError or TypeError when it is not JSON in UTF-8. */
export const parseJson = (body: string | Uint8Array): unknown =>
  parseExactly(typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body));
