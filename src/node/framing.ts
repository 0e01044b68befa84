import { assertOption } from '../validation/options.js';

/** Headers that say how a request is framed and kept are Node's to set; a second opinion could smuggle a request. */
const framing = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A request's headers, with those that frame it. */
export function framed(headers: Readonly<Record<string, string>>, body: string | Uint8Array | undefined) {
  const all: Record<string, string | number> = { 'accept-encoding': 'identity' };
  for (const [name, value] of Object.entries(headers)) {
    assertOption(
      !framing.has(name.toLowerCase()),
      'headers',
      `must not hold ${name}: nodeFetch sets it itself`,
    );
    all[name] = value;
  }
  if (body) all['content-length'] = Buffer.byteLength(body);
  return all;
}
