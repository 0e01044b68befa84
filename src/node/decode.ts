import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { modules } from './modules.js';

/** The content encoding of a body that came encoded although none was requested; undefined for a plain or an absent body. */
export function encodingOf({ headers, statusCode }: IncomingMessage, method: string): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  const bodiless = method === 'HEAD' || statusCode === 204 || statusCode === 304;
  return bodiless || encoding === '' || encoding === 'identity' ? undefined : encoding;
}

/** The decoded body of a response; undefined for an encoding that is not supported. */
export function decoded(response: IncomingMessage, encoding: string): Readable | undefined {
  const decoder = decoderOf(encoding);
  if (!decoder) return undefined;
  response.on('error', (error) => decoder.destroy(error));
  response.on('close', () => response.complete || decoder.destroy());
  return response.pipe(decoder);
}

function decoderOf(encoding: string) {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return modules.zlib().createGunzip();
    case 'deflate':
      return modules.zlib().createInflate();
    case 'br':
      return modules.zlib().createBrotliDecompress();
    default:
      return undefined;
  }
}
