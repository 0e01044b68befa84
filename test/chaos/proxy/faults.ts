/** How a connection ends: closed in order, or reset. */
export type Ending = 'fin' | 'rst';

/** What the proxy does to one request and its response. Offsets are in bytes and end at the message's end. */
export type Fault =
  | { readonly kind: 'none' }
  /** The other side gets the first `at` bytes, then the connection ends on both. */
  | {
      readonly kind: 'cut-request' | 'cut-response';
      readonly at: number;
      readonly how: Ending;
    }
  /** The other side gets the first `at` bytes; then nothing, and the connection stays open. */
  | { readonly kind: 'stall-request' | 'stall-response'; readonly at: number }
  /** The service gets the first `at` bytes; `afterMs` later its connection is reset, and the client is not notified. */
  | { readonly kind: 'half-open'; readonly at: number; readonly afterMs: number }
  /** `bytes` at a time, `everyMs` apart. */
  | { readonly kind: 'drip-request' | 'drip-response'; readonly bytes: number; readonly everyMs: number }
  /** The client's connection ends at once; the service still gets the request, `afterMs` later. */
  | { readonly kind: 'late'; readonly afterMs: number; readonly how: Ending }
  /** The proxy repeats the request by itself, beside the first; the client gets the first response. */
  | { readonly kind: 'twice' }
  /** The proxy's page in place of the response; unless `forwarded`, the service never saw the request. */
  | { readonly kind: 'page'; readonly status: number; readonly forwarded: boolean };

/** What the proxy does to a connection before it has carried anything. */
export type Welcome = 'served' | 'reset' | 'silent';

export const none: Fault = { kind: 'none' };

const reasons: Readonly<Record<number, string>> = { 200: 'OK', 202: 'Accepted', 302: 'Found' };

/** A proxy's page as bytes. Without a length, as many proxies send it: it ends with the connection. */
export function pageBytes(status: number): Buffer {
  const page = `<!doctype html><html><head><title>${status}</title></head><body><h1>${status}</h1><hr>proxy</body></html>`;
  const head = [
    `HTTP/1.1 ${status} ${reasons[status] ?? 'Something'}`,
    'Content-Type: text/html',
    ...(status === 302 ? ['Location: https://portal.test/login'] : []),
    'Connection: close',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${page}`);
}
