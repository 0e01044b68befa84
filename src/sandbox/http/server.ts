import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RefusedRequest } from '../records/record-request.js';
import type { HttpRequest } from '../rules/parse-request.js';
import { bodyText, failure, type HttpResponse, isBodiless } from '../rules/responses.js';
import { currentPrefix } from '../rules/routes.js';
import type { ServedResponse } from '../rules/serve.js';
import { callerOf, serviceRefusal } from './guard.js';

/** A sandbox on a port. */
export interface Listening {
  /** The base address to give to a client: `http://127.0.0.1:4010/api/v1`. */
  readonly baseUrl: string;
  /** The port that it got. */
  readonly port: number;
  /** The token that requests to `/_sandbox` need; undefined where they need none. */
  readonly controlToken: string | undefined;
  /** Closes the port and all connections. The sandbox itself keeps running. */
  close(): Promise<void>;
}

/** Sees a request before the API does; true when it has taken it over. */
export type FrontHandler = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

interface ServerOptions {
  readonly controlToken?: string | undefined;
  readonly port: number;
  readonly host: string;
  readonly handleRequest: (request: HttpRequest) => ServedResponse | Promise<ServedResponse>;
  /** Handlers that see a request before the service does, in this order. */
  readonly fronts: readonly FrontHandler[];
  /** Called with each request that is refused before it can be handled. */
  readonly onRefused: (refused: RefusedRequest) => void;
}

/** Larger bodies are refused: no documented call comes near. */
const maxBodyBytes = 1024 * 1024;

/** No client is read any longer than this. */
const maxDrainedBytes = 64 * 1024 * 1024;

const tooLarge = failure(413, 'PAYLOAD_TOO_LARGE', 'The body is larger than 1 MiB.');
const unparsable = failure(400, 'BAD_REQUEST', 'This is not an HTTP request that can be parsed.');

/** The requests that node:http itself refuses, by the code of its error. */
const refusals: Readonly<Record<string, { readonly reason: string; readonly response: HttpResponse }>> = {
  HPE_HEADER_OVERFLOW: {
    reason: 'Request Header Fields Too Large',
    response: failure(431, 'BAD_REQUEST', 'The headers are larger than 16 KiB.'),
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    reason: 'Request Timeout',
    response: failure(408, 'BAD_REQUEST', 'The request did not arrive in time.'),
  },
};

const addressOf = (socket: object): string =>
  'remoteAddress' in socket ? String(socket.remoteAddress ?? '').replace(/^::ffff:/, '') : '';

export async function startServer({
  port,
  host,
  handleRequest,
  fronts,
  onRefused,
  controlToken,
}: ServerOptions): Promise<Listening> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (const front of fronts) if (await front(request, response)) return;
    const refuse = (refusal: HttpResponse) => {
      const { method, path, ip } = toHttpRequest(request, '');
      onRefused({ method, path, ip, response: refusal });
      request.resume();
      sendRefusal(response, refusal);
    };
    // A control token protects a sandbox that is used by other names.
    const wrongHost = controlToken === undefined ? serviceRefusal(callerOf(request), host) : undefined;
    if (wrongHost !== undefined) return refuse(failure(403, 'GATEWAY_ERROR', wrongHost));
    const body = await readBody(request);
    if (body === undefined) return refuse(tooLarge);
    send(response, await handleRequest(toHttpRequest(request, body)));
  };
  // Looked up here and not imported: `createSandbox().fetch` also works where there is no node:http.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer((request, response) => {
    // Whatever fails here (a caller that went away, a handler that threw) concerns this connection alone.
    respond(request, response).catch(() => response.destroy());
  });

  server.on('clientError', (error, socket) => {
    if (!socket.writable) return;
    const code = 'code' in error ? String(error.code) : '';
    const { reason, response } = refusals[code] ?? { reason: 'Bad Request', response: unparsable };
    onRefused({ method: '', path: '', ip: addressOf(socket), response });
    const body = bodyText(response);
    socket.end(
      `HTTP/1.1 ${response.status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
  });

  // Node's default of 5 seconds closes connections while callers pause, which causes failures that no test planned.
  server.keepAliveTimeout = 60_000;

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actualPort = typeof address === 'object' && address !== null ? address.port : port;
  let closing: Promise<void> | undefined;
  return {
    baseUrl: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}${currentPrefix}`,
    port: actualPort,
    controlToken,
    close: () => {
      closing ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closing;
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length <= maxBodyBytes) chunks.push(chunk);
    // The rest is read and dropped: a client that is still sending when the connection closes never sees the 413.
    else if (length > maxDrainedBytes) break;
  }
  return length > maxBodyBytes ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** `//` is a path here, and no host: the URL of a request is resolved by hand. */
export function targetUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): URL {
  const text = url.startsWith('/') ? `http://sandbox${url}` : url;
  return URL.canParse(text) ? new URL(text) : new URL('http://sandbox/');
}

function toHttpRequest(request: IncomingMessage, body: string): HttpRequest {
  const url = targetUrl(request);
  const headers = Object.entries(request.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: Object.fromEntries([...url.searchParams].reverse()),
    headers: Object.fromEntries(headers),
    body,
    ip: addressOf(request.socket),
  };
}

function send(target: ServerResponse, served: ServedResponse): void {
  if (served.kind === 'closed') {
    target.destroy();
    return;
  }
  const { response } = served;
  const body = Buffer.from(bodyText(response));
  const length = isBodiless(response.status) ? {} : { 'content-length': body.length };
  target.writeHead(response.status, { ...response.headers, ...length });
  if (served.kind === 'complete') {
    target.end(body);
    return;
  }
  target.write(body.subarray(0, served.bytes), () => target.destroy());
}

function sendRefusal(target: ServerResponse, refusal: HttpResponse): void {
  target.writeHead(refusal.status, { ...refusal.headers, connection: 'close' });
  target.end(bodyText(refusal));
}
