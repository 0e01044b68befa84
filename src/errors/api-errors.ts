import type { FieldErrors } from '../contract/read-params.js';
import type { Undocumented } from '../contract/vocabulary.js';
import { defineHidden } from '../utils/print.js';
import { BillPayError, type ErrorContext, isErrorClass, type Named } from './base.js';
import { type ErrorResponseName, type RowsOf, rowOfClass } from './error-responses.js';

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
 * An error response. Thrown as itself for a status or code that the service does not document, and the parent of the classes
 * of all documented ones.
 *
 * @example
 * ```ts
 * if (error instanceof ApiError) console.log(error.status, error.code, error.message);
 * ```
 */
export class ApiError extends BillPayError {
  /** @internal */
  static override readonly billpayName: string = 'ApiError';

  /** The HTTP status; undefined when the SDK refused the call before anything was sent. */
  readonly status: number | undefined;
  /** The parsed JSON body, or its text where it is not JSON. Never printed. */
  declare readonly body: unknown;
  /** The response's headers. Never printed. */
  declare readonly headers: Headers | undefined;

  constructor(message: string, context: ResponseContext = {}) {
    super(message, context);
    // Whatever something in between has sent as a code: a program reads it, and nothing prints it that does not look like one.
    if (!/^[A-Z_]{0,60}$/.test(context.code ?? '')) defineHidden(this, 'code', context.code);
    this.status = context.status;
    defineHidden(this, 'body', context.body);
    defineHidden(this, 'headers', context.headers);
  }
}

/** The code that a class narrows to. Where the status decides alone, there may be any code or none. */
type CodeOf<Name extends ErrorResponseName> =
  RowsOf<Name> extends infer Row
    ?
        | (Row extends { code: infer Code } ? Code : never)
        | (Row extends { anyCode: true } ? Undocumented | undefined : never)
    : never;

/** The parent of the class for an error response: name and code come from the table. */
// @__NO_SIDE_EFFECTS__
function errorResponse<Name extends ErrorResponseName>(
  name: Name,
): new (
  message: string,
  context?: ResponseContext,
) => ApiError & Named<Name, CodeOf<Name>> {
  return class extends ApiError {
    static override readonly billpayName: string = name;
    static readonly [isErrorClass] = true;
    declare readonly name: Name;
    declare readonly code: CodeOf<Name>;

    constructor(message: string, context: ResponseContext = {}) {
      const row = rowOfClass(name);
      super(message, row?.anyCode ? context : { ...context, code: context.code ?? row?.code });
    }
  };
}

/** 400 BAD_REQUEST: a required query parameter is missing. */
export class BadRequestError extends errorResponse('BadRequestError') {}

/** 401: the key is missing, malformed, invalid or suspended, or the request's address is not on the key's IP allow-list. */
export class AuthenticationError extends errorResponse('AuthenticationError') {}

/** 402 INSUFFICIENT_BALANCE: the wallet cannot cover the purchase. Nothing was charged. */
export class InsufficientBalanceError extends errorResponse('InsufficientBalanceError') {}

/**
 * 403 GATEWAY_ERROR: `clientId` is not registered, or a public key was used where a secret key is needed. The latter
 * is refused before anything is sent (`status` undefined, `attempts` 0).
 */
export class PermissionError extends errorResponse('PermissionError') {}

/** 403 ACCOUNT_RESTRICTED: the account is not verified or not in good standing. Read-only calls still work. */
export class AccountRestrictedError extends errorResponse('AccountRestrictedError') {}

/** 404: nothing is found at this path, or the reference is unknown or belongs to another client. The service documents no code. */
export class NotFoundError extends errorResponse('NotFoundError') {}

/** 405 METHOD_NOT_ALLOWED: the path is not served for this HTTP method. */
export class MethodNotAllowedError extends errorResponse('MethodNotAllowedError') {
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

/** 409 ALREADY_PROCESSING: a request with this idempotency_key is still in flight. Repeat the call shortly. */
export class AlreadyProcessingError extends errorResponse('AlreadyProcessingError') {}

/**
 * Fields are missing or invalid: 422 VALIDATION_FAILED, or found by the SDK before anything was sent (`status` undefined, `attempts` 0).
 *
 * @example
 * ```ts
 * if (error instanceof ValidationError) console.log(error.errors); // { recipient: 'must be a string, not a number: …' }
 * ```
 */
export class ValidationError extends errorResponse('ValidationError') {
  /** The problem of each invalid field, all fields at once; of a response, as the service wrote it. Never printed. */
  declare readonly errors: FieldErrors;

  constructor(message: string, context: ResponseContext & { errors?: FieldErrors | undefined } = {}) {
    super(message, context);
    defineHidden(this, 'errors', context.errors ?? {});
  }
}

/** 422 AMOUNT_MISMATCH: the amount differs from the listed price. Fetch the catalogue again and ask your customer. */
export class AmountMismatchError extends errorResponse('AmountMismatchError') {}

/** 422 VERIFICATION_FAILED: a validate call could not confirm the recipient. */
export class VerificationFailedError extends errorResponse('VerificationFailedError') {}

/** 422 GATEWAY_ERROR: a well-formed field cannot be resolved, such as an unknown product_code or an unconfigured biller. */
export class BillerNotConfiguredError extends errorResponse('BillerNotConfiguredError') {}

/**
 * 429 RATE_LIMITED: one of the service's rate limits is exceeded. With `pacing` also a grant that would come after `totalTimeout` (`status`
 * undefined, `attempts` 0).
 */
export class RateLimitError extends errorResponse('RateLimitError') {
  /** Seconds to wait, from `Retry-After` or the body's `retry_after_seconds`; undefined when neither can be read. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, context: ResponseContext & { retryAfterSeconds?: number | undefined } = {}) {
    super(message, context);
    this.retryAfterSeconds = context.retryAfterSeconds;
  }
}

/** 503 PROVIDER_UNAVAILABLE: the biller cannot be served now. The wallet was not charged. */
export class ProviderUnavailableError extends errorResponse('ProviderUnavailableError') {}

/** 503 QUEUE_UNAVAILABLE: the purchase could not be accepted. The wallet was not charged. */
export class QueueUnavailableError extends errorResponse('QueueUnavailableError') {}

/** 500, 502, 504 and any other 5xx without a class of its own. A purchase may have been charged. */
export class ServerError extends errorResponse('ServerError') {}
