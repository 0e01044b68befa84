import type { Undocumented } from '../contract/vocabulary.js';
import { BillPayError, brand, defineHidden, type ErrorContext } from './base.js';

/** A code that the service does not document: any string at run time, compared as `String(error.code)`. */
export type UndocumentedCode = Undocumented;

/** What an answer said, beside the call's own context. */
export interface AnswerContext extends ErrorContext {
  /** The HTTP status; undefined when nothing was sent. */
  status?: number | undefined;
  /** The service's `code`. */
  code?: string | undefined;
  /** The parsed JSON body, else its text. */
  body?: unknown;
  /** The answer's headers. */
  headers?: Headers | undefined;
}

/**
 * The service answered with an error. Thrown as itself for a status or code that service.md does not document, and
 * the parent of every class that it does.
 */
export class ApiError extends BillPayError {
  static override readonly [brand]: string = 'ApiError';

  /** The HTTP status; undefined when the SDK refused the call before anything was sent. */
  readonly status: number | undefined;
  /** The parsed JSON body, else its text. Printed only redacted. */
  declare readonly body: unknown;
  /** The answer's headers. Printed only redacted. */
  declare readonly headers: Headers | undefined;

  constructor(message: string, context: AnswerContext = {}) {
    super(message, context);
    this.status = context.status;
    defineHidden(this, 'body', context.body);
    defineHidden(this, 'headers', context.headers);
  }
}
