/** A body exactly as it came over the wire. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** The body as text or bytes, whatever realm it comes from; undefined when it is neither. */
export function rawBodyOf(body: unknown): string | Uint8Array | undefined {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  return isArrayBuffer(body) ? new Uint8Array(body) : undefined;
}

const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  Object.prototype.toString.call(value) === '[object ArrayBuffer]';

/** The JSON value of a raw body. Throws what `JSON.parse` or the decoder throws. */
export const parseJson = (body: string | Uint8Array): unknown =>
  JSON.parse(typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body));
