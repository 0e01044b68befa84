import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Ending, type Fault, none, type Welcome } from './faults.js';
import { exchangeApart, Link } from './link.js';

export interface ProxyOptions {
  /** Where the service listens on loopback. */
  readonly targetPort: number;
  /** What happens to a request; nothing by default. */
  readonly faultFor?: (request: Buffer) => Fault;
  /** Changes every message of the service before anything else happens to it. */
  readonly rewrite?: (response: Buffer) => Buffer;
  /** What happens to connection n (1 for the first); served by default. */
  readonly welcome?: (n: number) => Welcome;
  /** Ends a client's connection after so many ms without a request; undefined for never. */
  readonly idle?: { readonly ms: number; readonly how: Ending };
}

/** A TCP proxy on loopback that imitates a bad network. */
export class FaultyProxy {
  readonly #options: ProxyOptions;
  readonly #sockets = new Set<Socket>();
  readonly #links = new Set<Link>();
  readonly #work = new Set<Promise<unknown>>();
  #server: Server | undefined;
  #connections = 0;
  #port = 0;
  /** While true, everything passes unchanged. */
  healthy = false;

  private constructor(options: ProxyOptions) {
    this.#options = options;
  }

  static async start(options: ProxyOptions): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(options);
    await proxy.#listen();
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  /** How many connections it has accepted. */
  get connections(): number {
    return this.#connections;
  }

  /** Resets every connection and refuses new ones for so many ms, as a restarting proxy does. */
  async outage(ms: number): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    server.close();
    for (const link of this.#links) link.end('rst');
    await delay(ms);
    await this.#listen();
  }

  /** From now on everything passes unchanged. Resolves when no earlier request is under way any more. */
  async heal(): Promise<void> {
    this.healthy = true;
    // Connections are accepted in turn, here and in the service: a response to this one means that all earlier ones were accepted.
    await exchangeApart(this.#port, Buffer.from('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'));
    for (const link of this.#links) link.unstall();
    await this.#settled();
  }

  async #settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  /** Ends every connection and frees the port. */
  async close(): Promise<void> {
    this.#server?.close();
    for (const link of this.#links) link.end('rst');
    for (const socket of this.#sockets) socket.destroy();
    await this.#settled();
  }

  async #listen(): Promise<void> {
    const server = createServer((socket) => this.#accept(socket));
    for (;;) {
      try {
        // Below the ports that outgoing connections get: the number must be free again after an outage.
        server.listen(this.#port || 12_000 + Math.floor(Math.random() * 18_000), '127.0.0.1', 4096);
        await once(server, 'listening');
        break;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
        await delay(5);
      }
    }
    this.#port = portOf(server);
    this.#server = server;
  }

  #accept(client: Socket): void {
    this.#connections += 1;
    this.#sockets.add(client);
    client.once('close', () => this.#sockets.delete(client));
    const welcome = this.healthy ? 'served' : (this.#options.welcome?.(this.#connections) ?? 'served');
    if (welcome !== 'served') {
      client.on('error', () => undefined);
      if (welcome === 'reset') client.resetAndDestroy();
      else client.resume();
      return;
    }
    const link = new Link({
      client,
      targetPort: this.#options.targetPort,
      idle: this.#options.idle,
      rewrite: this.#options.rewrite,
      faultFor: (request) => (this.healthy ? none : (this.#options.faultFor?.(request) ?? none)),
      track: (work) => {
        this.#work.add(work);
        work.finally(() => this.#work.delete(work));
      },
    });
    this.#links.add(link);
    client.once('close', () => this.#links.delete(link));
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
