import type { WebhookEvent } from '../contract/events.js';
import { webhookSecretPrefix } from '../contract/vocabulary.js';
import { WebhookVerificationError, type WebhookVerificationReason } from '../errors/webhook-errors.js';
import { createRedactor, secretsInToken } from '../redaction.js';
import { callSafely } from '../utils/functions.js';
import { isError, readProperty } from '../utils/unknown.js';
import { RetryLaterError } from './errors.js';
import type { ReceiverSettings, WebhookFailure, WebhookLogger } from './receiver-options.js';
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

/** Reports a failure. Never throws. */
export type Report = (error: unknown, failure: WebhookFailure) => void;

/** Each failure is one log line and one call of `onError`. A `RetryLaterError` is a normal case: a line at info level alone. */
export function createReporter({ logger, onError, secrets: whole }: ReceiverSettings): Report {
  // Libraries for webhooks strip the prefix of a secret.
  const secrets = whole.flatMap((secret) => [secret, secret.slice(webhookSecretPrefix.length)]);
  // The messages of verification are written in this package and quote nothing. Anybody can cause them, so they must be cheap.
  const cleanFor = (error: unknown, event: WebhookEvent | undefined): ((text: string) => string) =>
    error instanceof WebhookVerificationError
      ? (text) => text
      : createRedactor([...secrets, ...(event ? secretFieldsOf(event) : [])]).text;

  return (error, failure) => {
    callSafely(() => writeLine(logger, cleanFor(error, failure.event), error, failure));
    if (!(error instanceof RetryLaterError)) callSafely(() => onError?.(error, failure));
  };
}

/** Forged, late and broken deliveries are the sender's fault. The other stages need somebody to look at this server. */
const levels = {
  request: 'error',
  read: 'warn',
  verify: 'warn',
  dedupe: 'error',
  handle: 'error',
  timeout: 'warn',
} as const satisfies Record<WebhookFailure['stage'], keyof WebhookLogger>;

/** Fields of a transaction that are no secret. Any other, such as the token, may be worth money. */
const plainFields = ['reference', 'status', 'service_type', 'amount', 'completed_at'];

const secretFieldsOf = ({ data }: WebhookEvent): string[] =>
  Object.entries(data).flatMap(([name, value]) =>
    plainFields.includes(name) || value === null ? [] : secretsInToken(value),
  );

/** Whatever a handler's error quotes: neither the event's token nor a secret of the subscription gets into the line. */
function writeLine(
  logger: WebhookLogger,
  clean: (text: string) => string,
  error: unknown,
  { stage, event }: WebhookFailure,
): unknown {
  const level = error instanceof RetryLaterError ? 'info' : levels[stage];
  const reason = verificationReason(error);
  const stack = level === 'error' ? stackOf(error) : undefined;
  return logger[level](`billpay webhooks: ${clean(summaryOf(error))}`, {
    stage,
    ...(reason && { reason }),
    ...(event && { event: event.event, reference: event.data.reference }),
    ...(stack && { stack: clean(stack) }),
  });
}

/** The reason of a `WebhookVerificationError`; undefined for any other error. */
export const verificationReason = (error: unknown) =>
  error instanceof WebhookVerificationError ? error.reason : undefined;

/** The name and message of an error, or the text of any other value. Never throws, as the getters of an error may. */
function summaryOf(error: unknown): string {
  try {
    return isError(error) ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return 'an error that cannot be read';
  }
}

/** A chain of causes may be endless. */
const maxCauses = 5;

/** The stacks of an error and of its causes, as far as they can be read; undefined when there is none. */
function stackOf(error: unknown): string | undefined {
  const stacks: string[] = [];
  let at = error;
  while (isError(at) && stacks.length <= maxCauses) {
    const stack = readProperty(at, 'stack');
    if (typeof stack !== 'string') break;
    stacks.push(stack);
    at = readProperty(at, 'cause');
  }
  return stacks.length === 0 ? undefined : stacks.join('\ncaused by: ');
}
