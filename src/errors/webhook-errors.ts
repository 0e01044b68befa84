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

/**
 * A webhook delivery does not verify, or was handed over so that it cannot. The message holds the remedy.
 *
 * @example
 * ```ts
 * if (error instanceof WebhookVerificationError && error.reason === 'signature_mismatch') console.warn(error.message);
 * ```
 */
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
 * Thrown by your webhook handler when it cannot handle an event yet, such as one whose order has not been stored. A receiver
 * responds with 503, so that the service delivers the event again (after 1, 5, 15 and 30 minutes, 1, 6 and 24 hours), and
 * logs it as info.
 *
 * @example
 * ```ts
 * createWebhookHandler({
 *   secret,
 *   on: {
 *     'transaction.completed': async ({ data: { reference, token } }) => {
 *       const order = await findOrder(reference);
 *       if (!order) throw new RetryLaterError(`no order has the reference ${reference} yet`);
 *       await deliver(order, token);
 *     },
 *   },
 * });
 * ```
 */
export class RetryLaterError extends BillPayError {
  static override readonly [brand]: string = 'RetryLaterError';
  declare readonly name: 'RetryLaterError';
  declare readonly code: 'RETRY_LATER';

  constructor(
    message = 'the event cannot be handled yet and must be delivered again',
    options: { cause?: unknown } = {},
  ) {
    super(message, { code: 'RETRY_LATER', cause: options.cause });
  }
}

/**
 * Another run handled this event in the meantime. Thrown inside a database transaction so that the transaction is rolled back; a
 * receiver that gets it from a handler responds with 200.
 *
 * @example
 * ```ts
 * if (error instanceof AlreadyHandledError) await client.query('ROLLBACK'); // another receiver has committed
 * ```
 */
export class AlreadyHandledError extends BillPayError {
  static override readonly [brand]: string = 'AlreadyHandledError';
  declare readonly name: 'AlreadyHandledError';
  declare readonly code: 'ALREADY_HANDLED';

  constructor() {
    super('another receiver has handled this event: roll this transaction back', { code: 'ALREADY_HANDLED' });
  }
}
