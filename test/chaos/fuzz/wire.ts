import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Transport } from '../../../src/index.js';
import { Random } from '../../support/random.js';
import { messageLength } from '../proxy/message.js';
import { callProblem, fuzzedClient } from './calls.js';
import { anyBody, anyHeaders, anyStatus, mutated } from './values.js';

/** Bytes that a socket may bring as a response: HTTP, almost HTTP, or random. */
function anyBytes(random: Random): Buffer {
  if (random.chance(0.08)) return random.bytes(random.int(0, 400));
  const body = anyBody(random);
  const chunked = random.chance(0.15);
  const framed = chunked ? `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
  const lines = [
    `HTTP/1.1 ${random.chance(0.95) ? anyStatus(random) : random.int(0, 2000)} ${random.pick(['OK', '', 'é\u0000'])}`,
    ...(chunked ? ['transfer-encoding: chunked'] : []),
    ...(random.chance(0.6)
      ? [`content-length: ${Buffer.byteLength(body) + random.pick([0, 0, 0, 0, 7, -3])}`]
      : []),
    ...anyHeaders(random).map(([name, value]) => `${name}: ${value}`),
  ];
  const early = random.chance(0.05) ? 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(random.int(1, 3)) : '';
  const text = `${early}${lines.join('\r\n')}\r\n\r\n${framed}`;
  return Buffer.from(random.chance(0.2) ? mutated(random, text) : text);
}

/** Responds to each request with the bytes of the case named in its recipient, and closes the connection. */
export class GarbageServer {
  readonly #server: Server;
  readonly #transport: Transport | undefined;

  private constructor(server: Server, transport: Transport | undefined) {
    this.#server = server;
    this.#transport = transport;
  }

  static async start(seed: string, transport: Transport | undefined): Promise<GarbageServer> {
    const server = createServer((socket) => {
      let received: Buffer = Buffer.alloc(0);
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        if (messageLength(received) === undefined) return;
        const n = /case-(\d+)/.exec(received.toString('latin1'))?.[1] ?? 'none';
        const random = new Random(`${seed} bytes ${n}`);
        socket.end(anyBytes(random));
        if (random.chance(0.1)) socket.destroySoon();
      });
    });
    server.listen(0, '127.0.0.1', 1024);
    await once(server, 'listening');
    return new GarbageServer(server, transport);
  }

  /** Runs case n; resolves to what is wrong with how the call ended, or to nothing. */
  async problem(seed: string, n: number): Promise<string | undefined> {
    const { port } = this.#server.address() as AddressInfo;
    const client = fuzzedClient({
      baseUrl: `http://127.0.0.1:${port}/api/v1`,
      transport: this.#transport,
      timeout: 10_000,
      // Also for calls without a recipient.
      headers: { 'x-case': `case-${n}` },
    });
    return callProblem(client, new Random(`${seed} wire ${n}`), `08031234567`);
  }

  async close(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}
