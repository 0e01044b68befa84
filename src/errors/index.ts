import type * as api from './api-errors.js';
import { BillPayError, type Named } from './base.js';
import type { ConfigurationError } from './configuration-error.js';
import type { ErrorResponseName } from './error-responses.js';
import type { AbortError, ConnectionError, TimeoutError } from './network-errors.js';
import type { IdempotencyKeyReusedError, UnexpectedResponseError } from './response-errors.js';
import type { WebhookVerificationError } from './webhook-errors.js';

export * from './api-errors.js';
export { BillPayError, type ErrorContext } from './base.js';
export * from './configuration-error.js';
export * from './network-errors.js';
export * from './response-errors.js';
export * from './webhook-errors.js';

/** `ApiError` itself: a status or code without a class of its own. */
export interface OtherApiError extends api.ApiError {
  readonly name: 'ApiError';
  readonly code: api.UndocumentedCode | undefined;
}

/** Every error of this package; a `switch` on `code` or `name` narrows to its class. */
export type AnyBillPayError =
  // No response, or none that can be used.
  | ConnectionError
  | TimeoutError
  | AbortError
  | UnexpectedResponseError
  | IdempotencyKeyReusedError
  // An error response: `error-responses.ts` lists them.
  | InstanceType<(typeof api)[ErrorResponseName]>
  | OtherApiError
  // No call.
  | ConfigurationError
  | WebhookVerificationError
  // Errors of orders, bulk runs and receivers, which their entry points export.
  | (BillPayError & Named<api.UndocumentedCode, api.UndocumentedCode | undefined>);

/**
 * Whether a caught value is an error of this package, whichever copy of it threw.
 *
 * @example
 * ```ts
 * if (!isBillPayError(error)) throw error;
 * switch (error.code) {
 *   case 'INSUFFICIENT_BALANCE':
 *     await topUpWallet();
 *     break;
 *   case 'VALIDATION_FAILED':
 *     showFields(error.errors);
 * }
 * ```
 */
export const isBillPayError = (value: unknown): value is AnyBillPayError => value instanceof BillPayError;
