import type { WebhookVerificationReason } from '../../errors/webhook-errors.js';

/** The HTTP response to a delivery, for adapters that have no `Response`. */
export interface WebhookResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers to send. */
  readonly headers: Readonly<Record<string, string>>;
  /** A short text without details. */
  readonly body: string;
}

const commonHeaders = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };

const respond = (status: number, body: string, headers: Record<string, string> = {}): WebhookResponse => ({
  status,
  headers: { ...commonHeaders, ...headers },
  body,
});

/** Every response of a receiver. They are short and tell an attacker nothing: only a caller on this machine gets a reason. */
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

/** The header that names why a delivery does not verify, for callers on this machine. */
export const reasonHeader = 'X-Billpay-Reason';

/** The same response, with the reason of a refusal. */
export const withReason = (
  response: WebhookResponse,
  reason: WebhookVerificationReason | undefined,
): WebhookResponse =>
  reason === undefined ? response : { ...response, headers: { ...response.headers, [reasonHeader]: reason } };

/** Responses that are sent before the whole body has been read: what remains of it must not be taken for the next request. */
export const leavesBodyUnread = ({ status }: WebhookResponse): boolean => status === 408 || status === 413;

/** The response to a delivery that does not verify: 401 is the sender's fault, 400 the content's, 500 the receiver's own. */
export function responseForReason(reason: WebhookVerificationReason | undefined): WebhookResponse {
  switch (reason) {
    case 'missing_header':
    case 'malformed_timestamp':
    case 'timestamp_outside_tolerance':
    case 'malformed_signature':
    case 'signature_mismatch':
    case 'event_header_mismatch':
      return responses.unauthorized();
    case 'body_not_json':
    case 'body_incomplete':
      return responses.badRequest();
    case 'body_already_parsed':
    case 'secret_is_api_key':
    case 'secret_malformed':
    case undefined:
      return responses.failed();
  }
}
