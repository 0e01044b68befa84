import { assertOption } from '../../validation/options.js';
import { type NodeWebhookResponse, writeNodeResponse } from './node-response.js';
import type { WebhookHandler } from './receiver.js';

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
  /** The connection: a caller on this machine learns why a delivery does not verify. */
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
  /** The bytes of the body, where nothing has read them. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array>;
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
    const delivery = { method, headers, body: bodyOf(request), isLocal: isLocal(request) };
    writeNodeResponse(response, await handler.receive(delivery));
  };
}

const loopback = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;
const loopbackHost = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/** Whether the caller is on this machine, and does not pass on the request of another, as a proxy does. */
function isLocal({ socket, headers }: NodeWebhookRequest): boolean {
  const isPassedOn = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => headers[name]);
  return (
    !isPassedOn && loopback.test(socket?.remoteAddress ?? '') && loopbackHost.test(String(headers['host']))
  );
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
