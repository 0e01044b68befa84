import type { WebhookVerificationReason } from '../../errors/webhook-errors.js';

/** What a delivery is answered. */
export interface WebhookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const plain = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };

const answer = (status: number, body: string, headers: Record<string, string> = {}): WebhookAnswer => ({
  status,
  headers: { ...plain, ...headers },
  body,
});

/** Every answer a receiver gives: short, and nothing in them for an attacker. */
export const answers = {
  done: () => answer(200, 'ok'),
  unreadable: () => answer(400, 'bad request'),
  refused: () => answer(401, 'unauthorized'),
  wrongMethod: () => answer(405, 'method not allowed', { Allow: 'POST' }),
  tooLarge: () => answer(413, 'too large'),
  failed: () => answer(500, 'error'),
  comeBack: () => answer(503, 'come back later', { 'Retry-After': '30' }),
} as const;

/** The answer to a delivery that did not verify: 401 is the sender's fault, 400 the content's, 500 the receiver's own. */
export function answerTo(reason: WebhookVerificationReason | undefined): WebhookAnswer {
  switch (reason) {
    case 'missing_header':
    case 'malformed_timestamp':
    case 'timestamp_outside_tolerance':
    case 'malformed_signature':
    case 'signature_mismatch':
    case 'event_header_mismatch':
      return answers.refused();
    case 'body_not_json':
    case 'body_incomplete':
      return answers.unreadable();
    case 'body_already_parsed':
    case 'secret_is_api_key':
    case 'secret_malformed':
    case undefined:
      return answers.failed();
  }
}
