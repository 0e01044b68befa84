import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { modules } from './modules.js';

/** How a body was coded against our wish, where there is one. */
export function codingOf({ headers, statusCode }: IncomingMessage, method: string): string | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase();
  const bodiless = method === 'HEAD' || statusCode === 204 || statusCode === 304;
  return bodiless || coding === '' || coding === 'identity' ? undefined : coding;
}

/** The body of an answer, decoded; undefined for a coding that is not supported. */
export function decoded(answer: IncomingMessage, coding: string): Readable | undefined {
  const decoder = decoderOf(coding);
  if (!decoder) return undefined;
  answer.on('error', (error) => decoder.destroy(error));
  answer.on('close', () => answer.complete || decoder.destroy());
  return answer.pipe(decoder);
}

function decoderOf(coding: string) {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return modules.zlib.createGunzip();
    case 'deflate':
      return modules.zlib.createInflate();
    case 'br':
      return modules.zlib.createBrotliDecompress();
    default:
      return undefined;
  }
}
