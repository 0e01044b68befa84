import { BillPayError, brand } from './base.js';

/** Why a delivery did not verify: a closed set. */
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

/** A webhook delivery does not verify, or was handed over so that it cannot. The message holds the remedy. */
export class WebhookVerificationError extends BillPayError {
  static override readonly [brand]: string = 'WebhookVerificationError';
  declare readonly name: 'WebhookVerificationError';
  declare readonly code: 'WEBHOOK_VERIFICATION';
  /** Which check failed. */
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message, { code: 'WEBHOOK_VERIFICATION' });
    this.reason = reason;
  }
}

/**
 * Another run handled this event in the meantime. Thrown inside a database transaction so that the transaction is rolled back; a
 * receiver that gets it from a handler responds with 200.
 */
export class AlreadyHandledError extends BillPayError {
  static override readonly [brand]: string = 'AlreadyHandledError';
  declare readonly name: 'AlreadyHandledError';
  declare readonly code: 'ALREADY_HANDLED';

  constructor() {
    super('another receiver has handled this event: roll this transaction back', { code: 'ALREADY_HANDLED' });
  }
}
