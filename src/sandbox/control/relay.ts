import type { ServerResponse } from 'node:http';
import type { Sandbox, SandboxInterceptOptions } from '../types.js';
import { heartbeatMs } from './events.js';

/**
 * Webhooks over an event stream: a program that no request can reach, behind a router or outside of a container, receives each
 * delivery as an event and posts the response that the receiver gave.
 */

interface Exchange {
  readonly respond: (response: Response) => void;
  readonly fail: (error: Error) => void;
}

/** How a receiver responded: with a status and the beginning of a body, or not at all. */
export interface RelayEnd {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  readonly body?: string | undefined;
}

/** The deliveries that wait for the response of a listening program. */
export class WebhookRelays {
  readonly #exchanges = new Map<string, Exchange>();

  /**
   * Intercepts a client's webhooks until the connection closes, and sends each one as an event `delivery`. The first event is
   * `ready`, with the signing secret. Throws before anything is sent.
   */
  open(sandbox: Sandbox, response: ServerResponse, options: Omit<SandboxInterceptOptions, 'handler'>): void {
    const own = new Set<string>();
    const write = (event: string, data: object) =>
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

    const handler = async (request: Request): Promise<Response> => {
      const body = await request.text();
      const id = crypto.randomUUID();
      own.add(id);
      const headers = Object.fromEntries(request.headers);
      try {
        return await new Promise((respond, fail) => {
          this.#exchanges.set(id, { respond, fail });
          request.signal.addEventListener('abort', () => fail(new Error('no response in time')), {
            once: true,
          });
          write('delivery', { id, now: sandbox.now, headers, body });
        });
      } finally {
        own.delete(id);
        this.#exchanges.delete(id);
      }
    };

    const intercepted = sandbox.webhooks.intercept({ ...options, handler });
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const heartbeat = setInterval(() => response.write(': still here\n\n'), heartbeatMs);
    response.on('close', () => {
      clearInterval(heartbeat);
      intercepted.stop();
      for (const id of own) this.#exchanges.get(id)?.fail(new Error('the listening program disconnected'));
    });
    const { clientId: client_id, secret } = intercepted;
    write('ready', { client_id, secret, now: sandbox.now });
  }

  /** Ends a delivery with the response of its receiver, or with the reason why there was none; false if none waits any more. */
  end(id: string, { status, error, body }: RelayEnd): boolean {
    const exchange = this.#exchanges.get(id);
    if (!exchange) return false;
    if (status === undefined) exchange.fail(new Error(error ?? 'no response'));
    // Only the body of a refusal is of interest; a 304 cannot have one.
    else exchange.respond(new Response(status < 300 || status === 304 ? null : body, { status }));
    return true;
  }
}
