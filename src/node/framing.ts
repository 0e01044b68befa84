import { ConfigurationError } from '../errors/configuration-error.js';

/** Headers that frame a request and manage its connection. Node sets them; a second set could smuggle a request. */
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

/** The headers of a request, together with those that frame it. */
export function framed(headers: Readonly<Record<string, string>>, body: string | undefined) {
  const all: Record<string, string | number> = { 'accept-encoding': 'identity' };
  for (const [name, value] of Object.entries(headers)) {
    if (framing.has(name.toLowerCase())) {
      throw new ConfigurationError('headers', `must not contain ${name}: nodeTransport sets it itself`);
    }
    all[name] = value;
  }
  if (body) all['content-length'] = Buffer.byteLength(body);
  return all;
}
