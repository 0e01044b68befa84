import { WebhookVerificationError, type WebhookVerificationReason } from '../errors/webhook.js';

/** What a delivery is answered. */
export interface WebhookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const answer = (status: number, body: string, headers: Record<string, string> = {}): WebhookAnswer => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  body,
});

/** Every answer a receiver gives: short, and nothing in them for an attacker. */
export const answers = {
  done: answer(200, 'ok'),
  unreadable: answer(400, 'bad request'),
  refused: answer(401, 'unauthorized'),
  wrongMethod: answer(405, 'method not allowed', { Allow: 'POST' }),
  tooLarge: answer(413, 'too large'),
  failed: answer(500, 'error'),
  comeBack: answer(503, 'come back later', { 'Retry-After': '30' }),
} as const;

/** What is answered where a delivery does not verify: 401 is the sender's fault, 400 the content's, 500 the receiver's own. */
const byReason = {
  missing_header: answers.refused,
  malformed_timestamp: answers.refused,
  timestamp_outside_tolerance: answers.refused,
  malformed_signature: answers.refused,
  signature_mismatch: answers.refused,
  event_header_mismatch: answers.refused,
  body_not_json: answers.unreadable,
  body_incomplete: answers.unreadable,
  body_already_parsed: answers.failed,
  secret_is_api_key: answers.failed,
  secret_malformed: answers.failed,
} as const satisfies Record<WebhookVerificationReason, WebhookAnswer>;

/** The answer to a delivery that did not verify. */
export const answerTo = (error: unknown): WebhookAnswer =>
  error instanceof WebhookVerificationError ? byReason[error.reason] : answers.failed;
