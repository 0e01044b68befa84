import type { Transaction } from '../contract/responses.js';
import { patternRedactor } from '../redaction/redactor.js';
import { defineHidden } from '../utils/print-as.js';
import { type ErrorContext, errorClass } from './base.js';

/**
 * No response was received: the connection was refused, reset or cut off, or DNS or TLS failed. `mayHaveCharged` is false only when the
 * transport proves that the request was not sent; a `fetch` of your own proves nothing.
 *
 * @example
 * ```ts
 * if (error instanceof ConnectionError && !error.mayHaveCharged) await queue.later(order.id, 5000); // nothing was sent
 * ```
 */
export class ConnectionError extends errorClass('ConnectionError', 'CONNECTION_FAILED', patternRedactor) {}

/**
 * An attempt, the whole call or a wait exceeded its time limit. Where `mayHaveCharged` is true, the outcome of a purchase is unknown, not failed.
 *
 * @example
 * ```ts
 * if (error instanceof TimeoutError && error.mayHaveCharged) await queue.later(order.id, 5000, { resume: true });
 * ```
 */
export class TimeoutError extends errorClass('TimeoutError', 'TIMEOUT', patternRedactor) {
  /** From `waitUntilSettled`: the transaction as last seen. Printed only redacted. */
  declare readonly transaction: Transaction | undefined;

  constructor(message: string, context: ErrorContext & { transaction?: Transaction | undefined } = {}) {
    super(message, context);
    defineHidden(this, 'transaction', context.transaction);
  }
}

/**
 * The caller's signal ended the call. Where `mayHaveCharged` is true, the outcome of a purchase is unknown, not failed.
 *
 * @example
 * ```ts
 * if (error instanceof AbortError && error.mayHaveCharged) await queue.later(order.id, 5000, { resume: true });
 * ```
 */
export class AbortError extends errorClass('AbortError', 'ABORTED', patternRedactor) {}
