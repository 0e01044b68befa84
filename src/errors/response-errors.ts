import type { Purchase } from '../contract/responses.js';
import type { AnswerContext } from './api-error.js';
import { BillPayError, brand, defineHidden, type ErrorContext } from './base.js';

/**
 * An answer below 400 that cannot be used: HTML from a proxy, cut or invalid JSON, a purchase without its reference,
 * a redirect, a body over the cap.
 */
export class UnexpectedResponseError extends BillPayError {
  static override readonly [brand]: string = 'UnexpectedResponseError';
  declare readonly name: 'UnexpectedResponseError';
  declare readonly code: 'UNEXPECTED_RESPONSE';
  /** The HTTP status. */
  readonly status: number | undefined;
  /** The parsed JSON body, else its text. Printed only redacted. */
  declare readonly body: unknown;
  /** The answer's headers. Printed only redacted. */
  declare readonly headers: Headers | undefined;
  /** With `strictResponses`: the purchase that was accepted all the same. */
  declare readonly purchase: Purchase | undefined;

  constructor(
    message: string,
    context: Omit<AnswerContext, 'code'> & { purchase?: Purchase | undefined } = {},
  ) {
    super(message, { ...context, code: 'UNEXPECTED_RESPONSE' });
    this.status = context.status;
    defineHidden(this, 'body', context.body);
    defineHidden(this, 'headers', context.headers);
    defineHidden(this, 'purchase', context.purchase);
  }
}

/**
 * The idempotency_key had been used for another purchase, which the service gave back instead of buying this one.
 * This call bought nothing; the order needs a key of its own.
 */
export class IdempotencyKeyReusedError extends BillPayError {
  static override readonly [brand]: string = 'IdempotencyKeyReusedError';
  declare readonly name: 'IdempotencyKeyReusedError';
  declare readonly code: 'IDEMPOTENCY_KEY_REUSED';
  /** The older purchase that the key returned. */
  declare readonly purchase: Purchase;

  constructor(message: string, context: ErrorContext & { purchase: Purchase }) {
    super(message, { ...context, code: 'IDEMPOTENCY_KEY_REUSED' });
    defineHidden(this, 'purchase', context.purchase);
  }
}
