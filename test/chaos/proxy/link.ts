import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Ending, type Fault, pageBytes } from './faults.js';
import { messageLength } from './message.js';

/** Options of a `Link`. */
export interface LinkOptions {
  readonly client: Socket;
  readonly targetPort: number;
  /** The fault for a request. */
  faultFor(request: Buffer): Fault;
  /** Ends the client's connection after so many ms without a request; undefined for never. */
  readonly idle: { readonly ms: number; readonly how: Ending } | undefined;
  /** Changes every message of the service before it is passed on. */
  readonly rewrite: ((response: Buffer) => Buffer) | undefined;
  /** Called with work that continues after the client's connection has ended. */
  track(work: Promise<unknown>): void;
}

/** One connection of a client, and the one to the service behind it. */
export class Link {
  readonly #options: LinkOptions;
  readonly #client: Socket;
  #upstream: Upstream | undefined;
  #received: Buffer = Buffer.alloc(0);
  #busy = false;
  #stalled = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#client = options.client;
    this.#client.setNoDelay(true);
    this.#client.on('error', ignore);
    this.#client.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#next();
    });
    this.#client.on('close', () => {
      clearTimeout(this.#idleTimer);
      this.#upstream?.close();
    });
    this.#awaitRequest();
  }

  /** Ends the connection if its request would wait forever. */
  unstall(): void {
    if (this.#stalled) this.end('rst');
  }

  /** Ends both connections. */
  end(how: Ending): void {
    endSocket(this.#client, how);
    this.#upstream?.end(how);
  }

  #awaitRequest(): void {
    const { idle } = this.#options;
    if (idle && !this.#client.closed) this.#idleTimer = setTimeout(() => this.end(idle.how), idle.ms);
  }

  #next(): void {
    if (this.#busy) return;
    const length = messageLength(this.#received);
    if (length === undefined) return;
    clearTimeout(this.#idleTimer);
    const request = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    this.#busy = true;
    const work = this.#exchange(request, this.#options.faultFor(request)).then(() => {
      this.#busy = false;
      this.#awaitRequest();
      this.#next();
    });
    this.#options.track(work);
  }

  /** Resolves when this connection has finished with the request. */
  async #exchange(request: Buffer, fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'cut-request':
        await this.#service().write(request.subarray(0, fault.at));
        return this.end(fault.how);
      case 'stall-request':
        await this.#service().write(request.subarray(0, fault.at));
        return this.#untilClosed();
      case 'half-open':
        await this.#service().write(request.subarray(0, fault.at));
        await delay(fault.afterMs);
        this.#service().end('rst');
        return this.#untilClosed();
      case 'drip-request':
        await drip(request, fault, (bytes) => this.#service().write(bytes));
        return this.#deliver(await this.#response());
      case 'late':
        endSocket(this.#client, fault.how);
        await delay(fault.afterMs);
        return exchangeApart(this.#options.targetPort, request);
      case 'twice': {
        const apart = exchangeApart(this.#options.targetPort, request);
        const response = await this.#ask(request);
        await apart;
        return this.#deliver(response);
      }
      case 'page':
        if (fault.forwarded) await this.#ask(request);
        this.#client.end(pageBytes(fault.status));
        return this.#untilClosed();
      default:
        return this.#respond(await this.#ask(request), fault);
    }
  }

  async #respond(response: Buffer | undefined, fault: Fault): Promise<void> {
    if (response === undefined) return this.end('fin');
    switch (fault.kind) {
      case 'cut-response':
        await write(this.#client, response.subarray(0, fault.at));
        return this.end(fault.how);
      case 'stall-response':
        await write(this.#client, response.subarray(0, fault.at));
        return this.#untilClosed();
      case 'drip-response':
        return drip(response, fault, (bytes) => write(this.#client, bytes));
      default:
        return this.#deliver(response);
    }
  }

  async #deliver(response: Buffer | undefined): Promise<void> {
    if (response === undefined) return this.end('fin');
    await write(this.#client, response);
  }

  async #ask(request: Buffer): Promise<Buffer | undefined> {
    const service = this.#service();
    await service.write(request);
    return this.#response();
  }

  /** The next message of the service, rewritten. */
  async #response(): Promise<Buffer | undefined> {
    const response = await this.#service().response();
    return response && (this.#options.rewrite?.(response) ?? response);
  }

  #service(): Upstream {
    if (!this.#upstream) {
      this.#upstream = new Upstream(this.#options.targetPort);
      // The service's own end of an idle connection reaches the client, as it would without a proxy.
      this.#upstream.whenClosed.then(() => {
        if (!this.#busy) this.#client.end();
      });
    }
    return this.#upstream;
  }

  #untilClosed(): Promise<void> {
    this.#stalled = true;
    return closed(this.#client);
  }
}

/** A connection to the service. */
class Upstream {
  readonly #socket: Socket;
  readonly whenClosed: Promise<void>;
  #received: Buffer = Buffer.alloc(0);
  #arrived: () => void = ignore;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.setNoDelay(true);
    this.#socket.on('error', ignore);
    this.#socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#arrived();
    });
    this.whenClosed = closed(this.#socket);
    this.whenClosed.then(() => this.#arrived());
  }

  write(bytes: Buffer): Promise<void> {
    return write(this.#socket, bytes);
  }

  /** The next complete response; undefined when the service closes the connection before it is complete. */
  async response(): Promise<Buffer | undefined> {
    for (;;) {
      const length = messageLength(this.#received);
      if (length !== undefined) {
        const response = this.#received.subarray(0, length);
        this.#received = this.#received.subarray(length);
        return response;
      }
      if (this.#socket.destroyed) return undefined;
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }

  /** Closes the connection after everything that was written before. */
  close(): void {
    this.#socket.end();
  }

  end(how: Ending): void {
    endSocket(this.#socket, how);
  }
}

const ignore = () => undefined;

function endSocket(socket: Socket, how: Ending): void {
  if (how === 'fin') socket.end();
  // A socket whose end was sent cannot be reset any more: Node would leave it open without an event.
  else if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** Resolves when a socket can no longer be used. One whose reset failed emits `error` and never `close`. */
const closed = (socket: Socket): Promise<void> =>
  socket.destroyed
    ? Promise.resolve()
    : new Promise((resolve) => {
        socket.once('close', () => resolve());
        socket.once('error', () => resolve());
      });

/** Resolves when the kernel has taken the bytes, or when it never can. */
const write = (socket: Socket, bytes: Buffer): Promise<void> =>
  bytes.length === 0 || !socket.writable
    ? Promise.resolve()
    : new Promise((resolve) => {
        socket.write(bytes, () => resolve());
      });

async function drip(
  message: Buffer,
  { bytes, everyMs }: { readonly bytes: number; readonly everyMs: number },
  to: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < message.length; at += bytes) {
    await to(message.subarray(at, at + bytes));
    await delay(everyMs);
  }
}

/** Sends a request over a separate connection; its response is discarded. */
export async function exchangeApart(port: number, request: Buffer): Promise<void> {
  const service = new Upstream(port);
  await service.write(request);
  await service.response();
  service.close();
}
