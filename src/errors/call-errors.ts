import type { AcceptedPurchase, Purchase, PurchaseDifference, Transaction } from '../contract/responses.js';
import { defineHidden } from '../utils/print.js';
import type { ResponseContext } from './api-errors.js';
import { type ErrorContext, errorClass } from './base.js';

/**
 * No response was received: the connection was refused, reset or cut off, or DNS or TLS failed. `mayHaveCharged` is false only when the
 * transport proves that the request was not sent; a `fetch` of your own proves nothing.
 */
export class ConnectionError extends errorClass('ConnectionError', 'CONNECTION_FAILED') {}

/** An attempt, the whole call or a wait exceeded its time limit. Where `mayHaveCharged` is true, the outcome of a purchase is unknown, not failed. */
export class TimeoutError extends errorClass('TimeoutError', 'TIMEOUT') {
  /** The bundle holds a class of this name already, and would rename this one. */
  static override readonly name: string = 'TimeoutError';
  /** From `waitUntilSettled`: the transaction as last seen. Never printed. */
  declare readonly transaction: Transaction | undefined;

  constructor(message: string, context: ErrorContext & { transaction?: Transaction | undefined } = {}) {
    super(message, context);
    defineHidden(this, 'transaction', context.transaction);
  }
}

/** The caller's signal ended the call. Where `mayHaveCharged` is true, the outcome of a purchase is unknown, not failed. */
export class AbortError extends errorClass('AbortError', 'ABORTED') {}

/**
 * A response below 400 that cannot be used: HTML from a proxy, cut or invalid JSON, a purchase without its reference,
 * a redirect, a body over the cap.
 */
export class UnexpectedResponseError extends errorClass('UnexpectedResponseError', 'UNEXPECTED_RESPONSE') {
  /** The HTTP status. */
  readonly status: number | undefined;
  /** The parsed JSON body, or its text where it is not JSON. Never printed. */
  declare readonly body: unknown;
  /** The response's headers. Never printed. */
  declare readonly headers: Headers | undefined;
  /** What can be read of a purchase that was accepted all the same, such as from a response that was cut off. */
  declare readonly purchase: AcceptedPurchase | undefined;

  /** From a status check: the reference of the other transaction that the response is about. */
  readonly otherReference: string | undefined;

  constructor(
    message: string,
    context: Omit<ResponseContext, 'code'> & {
      purchase?: AcceptedPurchase | undefined;
      otherReference?: string | undefined;
    } = {},
  ) {
    super(message, context);
    this.status = context.status;
    this.otherReference = context.otherReference;
    defineHidden(this, 'body', context.body);
    defineHidden(this, 'headers', context.headers);
    defineHidden(this, 'purchase', context.purchase);
  }
}

/**
 * The purchase that came back under this idempotency_key is not the one that this call asked for: the key had most likely been used before.
 * What this call did is an open question (`mayHaveCharged` is true): a person must check `purchase.reference` before anything else is
 * done with the order. Do not buy the same order under another key until then.
 */
export class IdempotencyKeyReusedError extends errorClass(
  'IdempotencyKeyReusedError',
  'IDEMPOTENCY_KEY_REUSED',
) {
  /** The purchase that the key returned. */
  declare readonly purchase: Purchase;
  /** The fields that differ, with both values of each. Never printed. */
  declare readonly differences: readonly PurchaseDifference[];

  constructor(
    message: string,
    context: ErrorContext & { purchase: Purchase; differences?: readonly PurchaseDifference[] | undefined },
  ) {
    super(message, context);
    defineHidden(this, 'purchase', context.purchase);
    defineHidden(this, 'differences', context.differences ?? []);
  }
}
