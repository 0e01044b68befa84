import type { Transaction } from '../contract/responses.js';
import { defineHidden } from '../utils/print.js';
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
