import type { Transaction } from '../contract/responses.js';
import { BillPayError, brand, defineHidden, type ErrorContext } from './base.js';

/** No answer came: refused, reset, cut off, DNS, TLS. `mayHaveCharged` is false only where the connection never came to be. */
export class ConnectionError extends BillPayError {
  static override readonly [brand]: string = 'ConnectionError';
  declare readonly name: 'ConnectionError';
  declare readonly code: 'CONNECTION_FAILED';

  constructor(message: string, context: ErrorContext = {}) {
    super(message, { ...context, code: 'CONNECTION_FAILED' });
  }
}

/** An attempt, the whole call, or a wait took longer than it was allowed to. For a purchase: unknown, not failed. */
export class TimeoutError extends BillPayError {
  static override readonly [brand]: string = 'TimeoutError';
  declare readonly name: 'TimeoutError';
  declare readonly code: 'TIMEOUT';
  /** From `waitUntilSettled`: the transaction as last seen. Printed only redacted. */
  declare readonly transaction: Transaction | undefined;

  constructor(message: string, context: ErrorContext & { transaction?: Transaction | undefined } = {}) {
    super(message, { ...context, code: 'TIMEOUT' });
    defineHidden(this, 'transaction', context.transaction);
  }
}

/** The caller's signal ended the call. For a purchase that was under way: unknown, not failed. */
export class AbortError extends BillPayError {
  static override readonly [brand]: string = 'AbortError';
  declare readonly name: 'AbortError';
  declare readonly code: 'ABORTED';

  constructor(message: string, context: ErrorContext = {}) {
    super(message, { ...context, code: 'ABORTED' });
  }
}
