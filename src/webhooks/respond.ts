import type { WebhookVerificationReason } from '../errors/webhook-errors.js';
import type { WebhookFailure } from './receiver-options.js';
import type { WebhookHeaders } from './request.js';

/** A delivery as an adapter passes it on. */
export interface WebhookDelivery {
  /** The HTTP method. */
  readonly method: string | undefined;
  /** The request's headers in any form that `verifyWebhook` accepts. */
  readonly headers: WebhookHeaders;
  /**
   * The raw body as text or bytes, or a stream of bytes. A parsed body cannot be verified: the response is 500, and the log
   * line says what to do.
   */
  readonly body: unknown;
}

/** The HTTP response to a delivery, for adapters that have no `Response`. */
export interface WebhookResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers to send. */
  readonly headers: Readonly<Record<string, string>>;
  /** A short text without details. */
  readonly body: string;
}

/** A function from `Request` to `Response`, as Next, Hono, Bun, Deno and Workers use it. `toNodeHandler` adapts it to Node. */
export interface WebhookHandler {
  (request: Request): Promise<Response>;
  /** The same for everything else, such as a function behind an API gateway or Fastify's own body. Never rejects. */
  receive(delivery: WebhookDelivery): Promise<WebhookResponse>;
}

const commonHeaders = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };

const respond = (status: number, body: string, headers: Record<string, string> = {}): WebhookResponse => ({
  status,
  headers: { ...commonHeaders, ...headers },
  body,
});

/** Every response of a receiver. They are short and tell an attacker nothing: the reason is in the log. */
export const responses = {
  ok: () => respond(200, 'ok'),
  badRequest: () => respond(400, 'bad request'),
  unauthorized: () => respond(401, 'unauthorized'),
  methodNotAllowed: () => respond(405, 'method not allowed', { Allow: 'POST' }),
  requestTimeout: () => respond(408, 'request timeout'),
  tooLarge: () => respond(413, 'too large'),
  failed: () => respond(500, 'error'),
  retryLater: () => respond(503, 'try again later', { 'Retry-After': '30' }),
} as const;

/** Responses that are sent before the whole body has been read: what remains of it must not be taken for the next request. */
export const leavesBodyUnread = ({ status }: WebhookResponse): boolean => status === 408 || status === 413;

/** A delivery that does not verify: `unauthorized` is the sender's fault, `badRequest` the content's, `failed` the receiver's own. */
const byReason = {
  missing_header: 'unauthorized',
  malformed_timestamp: 'unauthorized',
  timestamp_outside_tolerance: 'unauthorized',
  malformed_signature: 'unauthorized',
  signature_mismatch: 'unauthorized',
  event_header_mismatch: 'unauthorized',
  body_not_json: 'badRequest',
  body_incomplete: 'badRequest',
  body_already_parsed: 'failed',
  secret_is_api_key: 'failed',
  secret_malformed: 'failed',
} as const satisfies Record<WebhookVerificationReason, keyof typeof responses>;

/** The response to a delivery that does not verify; `undefined` is any other error. */
export const responseForReason = (reason: WebhookVerificationReason | undefined): WebhookResponse =>
  responses[reason === undefined ? 'failed' : byReason[reason]]();

/** Thrown to end a delivery before its event is handled: the response, and what is reported as a failure. */
export class Refusal {
  constructor(
    readonly response: WebhookResponse,
    readonly stage?: WebhookFailure['stage'],
    readonly error?: unknown,
  ) {}
}
