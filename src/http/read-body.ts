import { parseExactly } from '../utils/exact-json.js';
import type { BodyFailure } from './transport.js';

/** The largest body that is read, in bytes: 10 MiB. */
export const maximumBodyBytes = 10 * 1024 * 1024;

/** A body, as far as it came. */
export interface BodyText {
  readonly text: string;
  /** Why it is not complete. */
  readonly bodyFailure?: BodyFailure;
}

/** Reads a body to its end, to the cap, or to where it breaks off; never throws. */
export async function readBody(response: Response, cap = maximumBodyBytes): Promise<BodyText> {
  if (response.body === null) return { text: '' };
  if (isSmall(response.headers, cap)) {
    // One native read is several times cheaper than reading a stream chunk by chunk.
    try {
      return { text: await response.text() };
    } catch (cause) {
      return { text: '', bodyFailure: { why: 'incomplete', cause } };
    }
  }
  return readCapped(response.body, cap);
}

/** Whether the announced length can be relied on; that of a compressed body says nothing about its text. */
function isSmall(headers: Headers, cap: number): boolean {
  const length = headers.get('content-length');
  return length !== null && Number(length) <= cap && !headers.has('content-encoding');
}

async function readCapped(body: ReadableStream<Uint8Array>, cap: number): Promise<BodyText> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { text: text + decoder.decode() };
      bytes += value.byteLength;
      if (bytes > cap) {
        reader.cancel().catch(() => {});
        return { text, bodyFailure: { why: 'too-large' } };
      }
      text += decoder.decode(value, { stream: true });
    }
  } catch (cause) {
    return { text, bodyFailure: { why: 'incomplete', cause } };
  }
}

/** Parsed JSON, long whole numbers as texts; undefined for anything else. */
export function parseJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
