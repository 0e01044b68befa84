import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { bodyText, failure, isBodiless } from './answers.js';
import type { Exchange } from './call.js';
import { currentPrefix } from './routes.js';
import type { Outcome } from './service.js';

/** A sandbox on a port. */
export interface Listening {
  /** The base address to give to a client: `http://127.0.0.1:4010/api/v1`. */
  readonly baseUrl: string;
  /** The port that it got. */
  readonly port: number;
  /** Leaves the port; open connections are closed. The sandbox itself goes on. */
  close(): Promise<void>;
}

/** Sees a request before the API does; true when it has taken it over. */
export type FrontHandler = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

interface ServerOptions {
  readonly port: number;
  readonly host: string;
  readonly exchange: (request: Exchange) => Outcome | Promise<Outcome>;
  readonly front: FrontHandler;
}

/** Larger bodies are refused: no documented call comes near. */
const largestBody = 1024 * 1024;

export async function startServer({ port, host, exchange, front }: ServerOptions): Promise<Listening> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (await front(request, response)) return;
    const body = await readBody(request);
    if (body === undefined) return tooLarge(response);
    send(response, await exchange(exchangeOf(request, body)));
  };
  const server = createServer((request, response) => {
    // Whatever fails here (a caller that went away, a handler that threw) concerns this connection alone.
    answer(request, response).catch(() => response.destroy());
  });

  // Node's 5 seconds close connections under callers that pause: failures that nobody asked for.
  server.keepAliveTimeout = 60_000;

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actualPort = typeof address === 'object' && address !== null ? address.port : port;
  let closing: Promise<void> | undefined;
  return {
    baseUrl: `http://${isIP(host) === 6 ? `[${host}]` : host}:${actualPort}${currentPrefix}`,
    port: actualPort,
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
    if (length > largestBody) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function exchangeOf(request: IncomingMessage, body: string): Exchange {
  const url = new URL(request.url ?? '/', 'http://sandbox');
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
    ip: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
  };
}

function send(response: ServerResponse, outcome: Outcome): void {
  if (outcome.kind === 'closed') {
    response.destroy();
    return;
  }
  const { answer } = outcome;
  const body = Buffer.from(bodyText(answer));
  const length = isBodiless(answer.status) ? {} : { 'content-length': body.length };
  response.writeHead(answer.status, { ...answer.headers, ...length });
  if (outcome.kind === 'answer') {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, outcome.bytes), () => response.destroy());
}

function tooLarge(response: ServerResponse): void {
  const answer = failure(413, 'PAYLOAD_TOO_LARGE', 'The body is larger than 1 MiB.');
  response.writeHead(answer.status, { ...answer.headers, connection: 'close' });
  response.end(bodyText(answer));
}
