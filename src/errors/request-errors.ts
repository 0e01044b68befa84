import type { FieldErrors } from '../contract/read-params.js';
import { ApiError, type ResponseContext, type UndocumentedCode } from './api-error.js';
import { brand, defineHidden } from './base.js';

/**
 * 400 BAD_REQUEST: a required query parameter is missing.
 *
 * @example
 * ```ts
 * if (error instanceof BadRequestError) console.error(error.message, error.body);
 * ```
 */
export class BadRequestError extends ApiError {
  static override readonly [brand]: string = 'BadRequestError';
  declare readonly name: 'BadRequestError';
  declare readonly code: 'BAD_REQUEST';
}

/**
 * 404: nothing is found at this path, or the reference is unknown or belongs to another client. The service documents no code.
 *
 * @example
 * ```ts
 * if (error instanceof NotFoundError) console.error(`no transaction ${purchase.reference} belongs to this account`);
 * ```
 */
export class NotFoundError extends ApiError {
  static override readonly [brand]: string = 'NotFoundError';
  declare readonly name: 'NotFoundError';
  declare readonly code: UndocumentedCode | undefined;
}

/**
 * 405 METHOD_NOT_ALLOWED: the path is not served for this HTTP method.
 *
 * @example
 * ```ts
 * if (error instanceof MethodNotAllowedError) console.error(`the service takes ${error.allow.join(', ')} here`);
 * ```
 */
export class MethodNotAllowedError extends ApiError {
  static override readonly [brand]: string = 'MethodNotAllowedError';
  declare readonly name: 'MethodNotAllowedError';
  declare readonly code: 'METHOD_NOT_ALLOWED' | UndocumentedCode | undefined;
  /** The methods that the `Allow` header names. */
  readonly allow: readonly string[];

  constructor(message: string, context: ResponseContext = {}) {
    super(message, context);
    this.allow = (context.headers?.get('allow') ?? '')
      .split(',')
      .map((method) => method.trim().toUpperCase())
      .filter((method) => /^[A-Z-]+$/.test(method));
  }
}

/**
 * Fields are missing or invalid: 422 VALIDATION_FAILED, or found by the SDK before anything was sent (`status` undefined, `attempts` 0).
 *
 * @example
 * ```ts
 * if (error instanceof ValidationError) console.log(error.errors); // { recipient: 'must be a string, not a number: …' }
 * ```
 */
export class ValidationError extends ApiError {
  static override readonly [brand]: string = 'ValidationError';
  declare readonly name: 'ValidationError';
  declare readonly code: 'VALIDATION_FAILED';
  /** The problem of each invalid field, all fields at once; of a response, as the service wrote it. Printed only redacted. */
  declare readonly errors: FieldErrors;

  constructor(message: string, context: ResponseContext & { errors?: FieldErrors | undefined } = {}) {
    super(message, { code: 'VALIDATION_FAILED', ...context });
    defineHidden(this, 'errors', context.errors ?? {});
  }
}

/**
 * 422 AMOUNT_MISMATCH: the amount differs from the listed price. Fetch the catalogue again and ask your customer.
 *
 * @example
 * ```ts
 * if (error instanceof AmountMismatchError) await askCustomerAgain(await billpay.data.products({ biller: 'MTN' }));
 * ```
 */
export class AmountMismatchError extends ApiError {
  static override readonly [brand]: string = 'AmountMismatchError';
  declare readonly name: 'AmountMismatchError';
  declare readonly code: 'AMOUNT_MISMATCH';
}

/**
 * 422 VERIFICATION_FAILED: a validate call could not confirm the recipient.
 *
 * @example
 * ```ts
 * if (error instanceof VerificationFailedError) showFields({ recipient: 'check this number' });
 * ```
 */
export class VerificationFailedError extends ApiError {
  static override readonly [brand]: string = 'VerificationFailedError';
  declare readonly name: 'VerificationFailedError';
  declare readonly code: 'VERIFICATION_FAILED';
}

/**
 * 422 GATEWAY_ERROR: a well-formed field cannot be resolved, such as an unknown product_code or an unconfigured biller.
 *
 * @example
 * ```ts
 * if (error instanceof UnresolvableFieldError) await askCustomerAgain(await billpay.data.products({ biller: 'MTN' }));
 * ```
 */
export class UnresolvableFieldError extends ApiError {
  static override readonly [brand]: string = 'UnresolvableFieldError';
  declare readonly name: 'UnresolvableFieldError';
  declare readonly code: 'GATEWAY_ERROR';
}
