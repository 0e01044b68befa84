import { assertOption } from '../validation/options.js';
import { leavesBodyUnread, type WebhookHandler, type WebhookResponse } from './respond.js';

/** The part of Node's `IncomingMessage` that is used, with what Express, Nest and others add to it. */
export interface NodeWebhookRequest {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The headers in Node's form. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What a body parser left here. Used when it is raw. */
  readonly body?: unknown;
  /** The raw body where a framework keeps it beside the parsed one (Nest with `rawBody: true`). */
  readonly rawBody?: unknown;
  /** Whether something has read the stream already. */
  readonly readableDidRead?: boolean;
  /** The bytes of the body, where nothing has read them. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array>;
}

/** The part of Node's `ServerResponse` that is used. */
export interface NodeWebhookResponse {
  /** The HTTP status. */
  statusCode: number;
  /** Whether something has responded already. */
  readonly headersSent: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Sends the response. */
  end(body: string): unknown;
}

/** A listener for node:http. Resolves when the response has been written, and never rejects. */
export type NodeWebhookHandler = (
  request: NodeWebhookRequest,
  response: NodeWebhookResponse,
) => Promise<void>;

/**
 * Adapts a webhook handler to node:http, Express 4 and 5 (before a body parser, or after one that leaves the raw body),
 * Fastify's `reply.hijack()` and NestJS with `rawBody: true`.
 *
 * @throws ConfigurationError unless `handler` was returned by `createWebhookHandler`.
 * @example
 * ```ts
 * import http from 'node:http';
 *
 * const webhooks = toNodeHandler(createWebhookHandler({ secret, on }));
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
    writeNodeResponse(response, await handler.receive({ method, headers, body: bodyOf(request) }));
  };
}

const isRaw = (body: unknown): boolean => typeof body === 'string' || ArrayBuffer.isView(body);

/** The raw body if there is one, else the stream, else what a parser left. */
function bodyOf(request: NodeWebhookRequest): unknown {
  if (isRaw(request.rawBody)) return request.rawBody;
  if (isRaw(request.body)) return request.body;
  return request.readableDidRead ? request.body : withoutReturn(request);
}

/** The stream without its `return`, which would destroy the connection before a response to a body that is too large. */
function withoutReturn(request: NodeWebhookRequest): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = request[Symbol.asyncIterator]();
      return { next: () => chunks.next() };
    },
  };
}

/** Whether a value can be written to as a Node response: one of node:http, Express, Nest or Next's `pages/api`. */
export const isNodeResponse = (value: unknown): value is NodeWebhookResponse =>
  ['setHeader', 'end'].every((name) => typeof Reflect.get(Object(value), name) === 'function');

/** Writes a response, unless something has begun one already. */
export function writeNodeResponse(target: NodeWebhookResponse, response: WebhookResponse): void {
  if (target.headersSent) return;
  target.statusCode = response.status;
  for (const [name, value] of Object.entries(response.headers)) target.setHeader(name, value);
  if (leavesBodyUnread(response)) target.setHeader('Connection', 'close');
  target.end(response.body);
}
