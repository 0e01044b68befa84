/** A request as `fetch` is given it, checked. */
export interface CheckedRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A copy: the caller's bytes may change before a connection stands. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly redirect: RequestRedirect;
  readonly signal: AbortSignal | undefined;
}

/** What is supported of `RequestInit`. A name that is not here is refused: it might matter. */
const names = ['method', 'headers', 'body', 'redirect', 'signal'];

/** Takes what is supported, and refuses the rest with a TypeError that names it. */
export function checkRequest(input: unknown, init: RequestInit = {}): CheckedRequest {
  for (const [name, value] of Object.entries(init)) {
    if (!names.includes(name) && value !== undefined) throw unsupported(`the option ${name}`);
  }
  const method = methodOf(init.method);
  const { body, type } = bodyOf(init.body);
  if (body && (method === 'GET' || method === 'HEAD')) throw new TypeError(`a ${method} takes no body`);
  if (init.redirect === 'follow') throw unsupported("redirect: 'follow'");
  const headers = Object.fromEntries(new Headers(init.headers));
  if (type !== undefined) headers['content-type'] ??= type;
  return {
    url: urlOf(input),
    method,
    headers,
    body,
    redirect: init.redirect ?? 'error',
    signal: init.signal ?? undefined,
  };
}

const unsupported = (what: string) => new TypeError(`nodeFetch does not support ${what}`);

function urlOf(input: unknown): URL {
  if (typeof input !== 'string' && !(input instanceof URL)) {
    throw unsupported('Request objects, whose body is a stream: pass the address and the options');
  }
  const url = new URL(input);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw unsupported(`${url.protocol} addresses, only https: and http:`);
  }
  if (url.username || url.password) throw unsupported('a user name or password in the address');
  url.hash = '';
  return url;
}

function methodOf(given = 'GET'): string {
  const method = given.toUpperCase();
  if (!/^[A-Z]+$/.test(method) || ['CONNECT', 'TRACE', 'TRACK'].includes(method)) {
    throw unsupported(`the method ${given}`);
  }
  return method;
}

function bodyOf(body: unknown): { body: Uint8Array<ArrayBuffer> | undefined; type?: string } {
  if (body === undefined || body === null) return { body: undefined };
  if (typeof body === 'string') {
    return { body: new TextEncoder().encode(body), type: 'text/plain;charset=UTF-8' };
  }
  if (body instanceof ArrayBuffer) return { body: new Uint8Array(body.slice(0)) };
  if (ArrayBuffer.isView(body)) {
    return { body: Uint8Array.from(new Uint8Array(body.buffer, body.byteOffset, body.byteLength)) };
  }
  throw unsupported(`a ${body?.constructor?.name ?? typeof body} as body, only text and bytes`);
}
