import { parseExactly } from '../utils/exact-json.js';

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
