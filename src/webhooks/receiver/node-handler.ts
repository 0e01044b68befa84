import { assertOption } from '../../validation/options.js';
import type { WebhookHandler } from './receiver.js';

/** What is used of Node's `IncomingMessage`, and of what Express, Nest and others make of it. */
export interface NodeWebhookRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What a body parser left here: a raw one is used. */
  readonly body?: unknown;
  /** The raw body where a framework keeps it beside the parsed one (Nest with `rawBody: true`). */
  readonly rawBody?: unknown;
  /** Whether something has read the stream already. */
  readonly readableDidRead?: boolean;
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array>;
}

/** What is used of Node's `ServerResponse`. */
export interface NodeWebhookResponse {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** What `toNodeHandler` gives. Resolves when the answer has been written; never rejects. */
export type NodeWebhookHandler = (
  request: NodeWebhookRequest,
  response: NodeWebhookResponse,
) => Promise<void>;

/**
 * Makes a webhook handler into one for node:http, Express 4 and 5 (before a body parser or after one that leaves the raw
 * body), Fastify's `reply.hijack()` and NestJS with `rawBody: true`.
 *
 * @throws ConfigurationError when it is given anything but what `createWebhookHandler` returned.
 * @example
 * ```ts
 * const webhooks = toNodeHandler(createWebhookHandler({ secret, on: { ... } }));
 * http.createServer(webhooks).listen(3000);
 * app.post('/webhooks/billpay', webhooks); // Express: before app.use(express.json())
 * ```
 */
export function toNodeHandler(handler: WebhookHandler): NodeWebhookHandler {
  assertOption(
    typeof handler === 'function' && typeof handler.receive === 'function',
    'handler',
    'must be what createWebhookHandler returned',
  );
  return async (request, response) => {
    const { method, headers } = request;
    const answer = await handler.receive({ method, headers, body: bodyOf(request) });
    if (response.headersSent) return;
    response.statusCode = answer.status;
    for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
    // What was not read of the body would stand before the next request of this connection.
    if (answer.status === 413) response.setHeader('Connection', 'close');
    response.end(answer.body);
  };
}

const isRaw = (body: unknown): boolean => typeof body === 'string' || ArrayBuffer.isView(body);

/** The raw body where there is one, else the stream, else what a parser left. */
function bodyOf(request: NodeWebhookRequest): unknown {
  if (isRaw(request.rawBody)) return request.rawBody;
  if (isRaw(request.body)) return request.body;
  return request.readableDidRead ? request.body : unread(request);
}

/** The stream without the `return` that would, on a body too large, destroy the connection before it is answered. */
function unread(request: NodeWebhookRequest): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = request[Symbol.asyncIterator]();
      return { next: () => chunks.next() };
    },
  };
}
