import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

/** A real server on a free port. */
export interface Listening {
  readonly port: number;
  /** The base address to give to a client. */
  readonly baseUrl: string;
  /** Every connection that it accepted, in order. */
  readonly sockets: readonly Socket[];
}

/** Starts servers, which are closed with all their connections after the test. */
export interface Net {
  /** An HTTP server; `requests` holds what it received, with complete bodies. */
  http(
    respond: (request: ReceivedRequest, response: ServerResponse) => void,
  ): Promise<Listening & { requests: ReceivedRequest[] }>;
  /** An HTTPS server. */
  https(options: ServerOptions, listener: RequestListener): Promise<Listening>;
  /** A TCP server that controls every byte. */
  tcp(onConnection: (socket: Socket) => void): Promise<Listening>;
}

/** A request with its body. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly socket: Socket;
}

/** The resources of a network call that keep the process alive: sockets, servers, timers, look-ups. */
function held(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) {
    if (/Timeout|TCP|TLS|GetAddrInfo|HTTP/i.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Runs `work` with servers, then checks that it left no handle, socket or timer. */
export async function leavingNothing(work: (net: Net) => Promise<void>): Promise<void> {
  const before = held();
  const servers: (() => Promise<void>)[] = [];

  const listen = async (server: Server, scheme: string): Promise<Listening> => {
    const sockets: Socket[] = [];
    const open = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.push(socket);
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      // Many of these tests are about clients that disconnect.
      socket.on('error', () => {});
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    servers.push(async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    });
    return { port, baseUrl: `${scheme}://127.0.0.1:${port}/api/v1`, sockets };
  };

  try {
    await work({
      async http(respond) {
        const requests: ReceivedRequest[] = [];
        const server = createServer((incoming, response) => {
          const chunks: Buffer[] = [];
          incoming.on('error', () => {});
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('end', () => {
            const { method, url, headers, socket } = incoming;
            const request = { method, url, headers, socket, body: Buffer.concat(chunks).toString() };
            requests.push(request);
            respond(request, response);
          });
        });
        return { ...(await listen(server, 'http')), requests };
      },
      https: (options, listener) => listen(createTlsServer(options, listener), 'https'),
      tcp: (onConnection) => listen(createTcpServer(onConnection), 'http'),
    });
  } finally {
    await Promise.all(servers.map((close) => close()));
  }
  await released(before);
}

/** Waits until nothing more is held than before. It uses no timer, which would count itself. */
async function released(before: Record<string, number>): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const left = Object.entries(held()).filter(([kind, count]) => count > (before[kind] ?? 0));
    if (left.length === 0) return;
    if (performance.now() - startedAt > 15_000) throw new Error(`left behind: ${JSON.stringify(left)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Waits until a connection has closed. */
export async function gone(socket: Socket | undefined): Promise<void> {
  if (!socket) throw new Error('there was no such connection');
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createTcpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
