import { errorClass } from './base.js';

/** Why a delivery failed verification: a closed set. */
export type WebhookVerificationReason =
  | 'missing_header'
  | 'malformed_timestamp'
  | 'timestamp_outside_tolerance'
  | 'malformed_signature'
  | 'signature_mismatch'
  | 'event_header_mismatch'
  | 'body_not_json'
  | 'body_incomplete'
  | 'body_already_parsed'
  | 'secret_is_api_key'
  | 'secret_malformed';

/** A webhook delivery failed verification, or its raw body was not available. The message says what to do. */
export class WebhookVerificationError extends errorClass('WebhookVerificationError', 'WEBHOOK_VERIFICATION') {
  /** Which check failed. */
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
