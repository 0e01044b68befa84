import type { Sandbox, SandboxInterceptOptions } from '../types.js';
import type { SendEvent } from './event-stream.js';

/**
 * Webhooks over an event stream: a program that no request can reach, behind a router or outside of a container, receives each
 * delivery as an event and posts the response that the receiver gave.
 */

interface Exchange {
  readonly respond: (response: Response) => void;
  readonly fail: (error: Error) => void;
}

/** How a receiver responded: with a status and the beginning of a body, or not at all. */
export interface ReceiverEnd {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  readonly body?: string | undefined;
}

/** The deliveries that wait for the response of a listening program. */
export class ForwardedWebhooks {
  readonly #exchanges = new Map<string, Exchange>();

  /** Intercepts a client's webhooks and sends each one as an event `delivery`, after `ready` with the signing secret; returns what ends that. */
  open(sandbox: Sandbox, send: SendEvent, options: Omit<SandboxInterceptOptions, 'handler'>): () => void {
    const own = new Set<string>();
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
          send('delivery', { id, now: sandbox.now, headers, body });
        });
      } finally {
        own.delete(id);
        this.#exchanges.delete(id);
      }
    };
    const { clientId: client_id, secret, stop } = sandbox.webhooks.intercept({ ...options, handler });
    send('ready', { client_id, secret, now: sandbox.now });
    return () => {
      stop();
      for (const id of own) this.#exchanges.get(id)?.fail(new Error('the listening program disconnected'));
    };
  }

  /** Ends a delivery with the response of its receiver, or with the reason why there was none; false if none waits any more. */
  end(id: string, { status, error, body }: ReceiverEnd): boolean {
    const exchange = this.#exchanges.get(id);
    if (!exchange) return false;
    if (status === undefined) exchange.fail(new Error(error ?? 'no response'));
    // Only the body of a refusal is of interest; a 304 cannot have one.
    else exchange.respond(new Response(status < 300 || status === 304 ? null : body, { status }));
    return true;
  }
}
