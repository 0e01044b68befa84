import type { Undocumented } from '../contract/vocabulary.js';
import { BillPayError, brand, defineHidden, type ErrorContext, redactorOf } from './base.js';

/** A code that the service does not document: any string at run time, compared as `String(error.code)`. */
export type UndocumentedCode = Undocumented;

/** What is known about a response, beside the call's own context. */
export interface ResponseContext extends ErrorContext {
  /** The HTTP status; undefined when nothing was sent. */
  status?: number | undefined;
  /** The service's `code`. */
  code?: string | undefined;
  /** The parsed JSON body, or its text where it is not JSON. */
  body?: unknown;
  /** The response's headers. */
  headers?: Headers | undefined;
}

/**
 * An error response. Thrown as itself for a status or code that the service does not document, and the parent of every class that
 * stands for a documented one.
 *
 * @example
 * ```ts
 * if (error instanceof ApiError) console.log(error.status, error.code, error.message);
 * ```
 */
export class ApiError extends BillPayError {
  static override readonly [brand]: string = 'ApiError';

  /** The HTTP status; undefined when the SDK refused the call before anything was sent. */
  readonly status: number | undefined;
  /** The parsed JSON body, or its text where it is not JSON. Printed only redacted. */
  declare readonly body: unknown;
  /** The response's headers. Printed only redacted. */
  declare readonly headers: Headers | undefined;

  constructor(message: string, context: ResponseContext = {}) {
    super(message, context);
    // A program reads the code as it was sent. Where that holds a secret, nothing that copies the fields of errors may print it.
    const { code } = context;
    if (code !== undefined && redactorOf(this).text(code) !== code) defineHidden(this, 'code', code);
    this.status = context.status;
    defineHidden(this, 'body', context.body);
    defineHidden(this, 'headers', context.headers);
  }
}
