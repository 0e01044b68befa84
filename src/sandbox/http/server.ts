import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { RefusedRequest } from '../records/record-request.js';
import { bodyText, failure, type HttpResponse } from '../rules/responses.js';
import { currentPrefix } from '../rules/routes.js';
import type { Listening } from './listen-options.js';

/** What a handler of a request over the port has beside the request: node's own request and response. */
export interface ServerEnv {
  Bindings: HttpBindings;
}

/** Responds to a request, whose URL is absolute, and is given parsed, too; never rejects. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;

interface ServerOptions {
  readonly controlToken: string | undefined;
  readonly port: number;
  readonly host: string;
  /** Loads what responds to requests, which is only needed when the first one arrives. */
  readonly loadListener: () => Promise<NodeListener>;
  /** Called with each request that node:http refuses, because it cannot be parsed. */
  readonly onRefused: (refused: RefusedRequest) => void;
}

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

/** The address of a caller. */
export const addressOf = (socket: object): string =>
  'remoteAddress' in socket ? String(socket.remoteAddress ?? '').replace(/^::ffff:/, '') : '';

/** The origin of every URL: the guard judges the `Host` header, so that the URL does not depend on it. */
const urlOrigin = 'http://sandbox';

/** `//` is a path here, and no host. */
function urlOf({ url = '/' }: IncomingMessage): URL {
  try {
    return new URL(url.startsWith('/') ? `${urlOrigin}${url}` : url);
  } catch {
    return new URL(urlOrigin);
  }
}

/** Listens on a port of this machine. */
export async function startServer({
  port,
  host,
  loadListener,
  onRefused,
  controlToken,
}: ServerOptions): Promise<Listening> {
  const { createServer } = process.getBuiltinModule('node:http');
  let listener: ReturnType<typeof loadListener> | undefined;
  const server = createServer(async (request, response) => {
    listener ??= loadListener();
    const respond = await listener;
    const url = urlOf(request);
    request.url = url.href;
    void respond(request, response, url);
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

/** Larger bodies are refused: no documented call comes near. */
const maxBodyBytes = 1024 * 1024;

/** No client is read any longer than this. */
const maxDrainedBytes = 64 * 1024 * 1024;

/** The body of a request as text; undefined where it is larger than 1 MiB. */
export function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBodyBytes) chunks.push(chunk);
      // The rest is read and dropped: a client that is still sending when the connection closes never sees the 413.
      else if (length > maxDrainedBytes) request.destroy();
    });
    request.on('end', () =>
      resolve(length > maxBodyBytes ? undefined : Buffer.concat(chunks).toString('utf8')),
    );
    // After its end that changes nothing.
    request.on('close', () => reject(request.errored));
  });
}
