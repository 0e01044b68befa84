import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyText, failure, type HttpResponse, isBodiless } from '../service/responses.js';
import type { RefusedRequest, ServiceRequest, ServiceResponse } from './serve.js';

/** Responds to a request of the caller at an address; rejects where the connection closes without a response. */
export type Respond = (request: ServiceRequest, address: string) => Promise<Response | ServiceResponse>;

interface ServerOptions {
  readonly port: number;
  readonly host: string;
  readonly respond: Respond;
  /** Called with each request that node:http refuses, because it cannot be parsed. */
  readonly onRefused: (refused: RefusedRequest) => void;
}

/** A body that is larger than any documented call needs. */
export class BodyTooLarge extends Error {}

/** Larger bodies are refused. */
const maxBodyBytes = 1024 * 1024;

/** No client is read any longer than this. */
const maxDrainedBytes = 64 * 1024 * 1024;

/** The origin of every URL: the guard judges the `Host` header, so that the URL does not depend on it. */
const urlOrigin = 'http://sandbox';

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

/** Listens on a port of this machine. Resolves to the port, and to what closes it with all its connections. */
export async function startServer({ port, host, respond, onRefused }: ServerOptions) {
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer((incoming, outgoing) => {
    // Whatever fails here (a caller that went away, a fault that closes the connection) concerns this connection alone.
    respond(requestOf(incoming), addressOf(incoming.socket))
      .then((response) =>
        response instanceof Response ? send(response, outgoing) : sendWhole(response, outgoing),
      )
      .then(() => incoming.resume())
      .catch(() => outgoing.destroy());
  });

  server.on('clientError', (error, socket) => {
    if (!socket.writable) return;
    const code = 'code' in error ? String(error.code) : '';
    const { reason, response } = refusals[code] ?? { reason: 'Bad Request', response: unparsable };
    onRefused({ method: '', url: urlOrigin, address: addressOf(socket), response });
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
  let closing: Promise<void> | undefined;
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () => {
      closing ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closing;
    },
  };
}

const addressOf = (socket: object): string =>
  'remoteAddress' in socket ? String(socket.remoteAddress ?? '').replace(/^::ffff:/, '') : '';

function requestOf(incoming: IncomingMessage): ServiceRequest {
  const headers = new Map<string, string>();
  for (const name in incoming.headers) {
    headers.set(name, String(incoming.headers[name]));
  }
  const { method = 'GET' } = incoming;
  return { method, url: urlOf(incoming), headers, text: () => readBody(incoming) };
}

/** `//` is a path here, and no host. */
function urlOf({ url = '/' }: IncomingMessage): string {
  if (url.startsWith('/')) return `${urlOrigin}${url}`;
  return URL.canParse(url) ? url : urlOrigin;
}

/** The body of a request as text; rejects with `BodyTooLarge` where it is larger than 1 MiB. */
function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBodyBytes) chunks.push(chunk);
      // The rest is read and dropped: a client that is still sending when the connection closes never sees the 413.
      else if (length > maxDrainedBytes) incoming.destroy();
    });
    incoming.on('end', () => {
      if (length > maxBodyBytes) reject(new BodyTooLarge());
      else resolve(Buffer.concat(chunks).toString('utf8'));
    });
    // After its end that changes nothing.
    incoming.on('close', () => reject(incoming.errored));
  });
}

/** Writes a response of the service; a connection that a fault breaks is closed after so many bytes. */
function sendWhole(response: ServiceResponse, outgoing: ServerResponse): void {
  const { status, headers, bytes } = response;
  const body = bodyText(response);
  const length = isBodiless(status) ? {} : { 'content-length': Buffer.byteLength(body) };
  outgoing.writeHead(status, { ...headers, ...length });
  if (bytes === undefined) outgoing.end(body);
  else outgoing.write(Buffer.from(body).subarray(0, bytes), () => outgoing.destroy());
}

/** Writes a `Response` as it comes. A stream that nobody reads any more is cancelled; one that breaks off closes the connection. */
async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  const reader = response.body?.getReader();
  outgoing.on('close', () => void reader?.cancel().catch(() => undefined));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).flushHeaders();
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    await flushed(outgoing, next.value);
  }
  outgoing.end();
}

/** Writes a part of a stream; resolves when it was handed to the network, or the connection is closed. */
const flushed = (outgoing: ServerResponse, chunk: Uint8Array | string): Promise<void> =>
  new Promise((resolve) => {
    outgoing.write(chunk, () => resolve());
  });
