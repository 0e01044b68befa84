// Every error of this package:
//
// BillPayError                       operation, attempts, idempotencyKey, mayHaveCharged
// ├─ ApiError                        an error response: status, code, body, headers
// │  ├─ BadRequestError              400 BAD_REQUEST
// │  ├─ AuthenticationError          401
// │  ├─ InsufficientBalanceError     402 INSUFFICIENT_BALANCE
// │  ├─ PermissionError              403 GATEWAY_ERROR, or a public key where a secret one is needed
// │  ├─ AccountRestrictedError       403 ACCOUNT_RESTRICTED
// │  ├─ NotFoundError                404
// │  ├─ MethodNotAllowedError        405: allow
// │  ├─ AlreadyProcessingError       409 ALREADY_PROCESSING
// │  ├─ ValidationError              422 VALIDATION_FAILED, or parameters that are refused here: errors
// │  ├─ AmountMismatchError          422 AMOUNT_MISMATCH
// │  ├─ VerificationFailedError      422 VERIFICATION_FAILED
// │  ├─ BillerNotConfiguredError     422 GATEWAY_ERROR
// │  ├─ RateLimitError               429: retryAfterSeconds
// │  ├─ ProviderUnavailableError     503 PROVIDER_UNAVAILABLE
// │  ├─ QueueUnavailableError        503 QUEUE_UNAVAILABLE
// │  └─ ServerError                  every other 5xx
// ├─ UnexpectedResponseError         a response below 400 that cannot be used: body, purchase
// ├─ IdempotencyKeyReusedError       another purchase came back: purchase, differences
// ├─ ConnectionError                 no response
// ├─ TimeoutError                    no response in time: transaction, where a wait ended
// ├─ AbortError                      the signal of the caller ended the call
// ├─ ConfigurationError              a wrong or missing option: option
// └─ WebhookVerificationError        a delivery failed verification: reason
import type { Undocumented } from '../contract/vocabulary.js';
import type * as apiErrors from './api-errors.js';
import { BillPayError, type ConfigurationError, type Named } from './base.js';
import type {
  AbortError,
  ConnectionError,
  IdempotencyKeyReusedError,
  TimeoutError,
  UnexpectedResponseError,
} from './call-errors.js';
import type { ErrorResponseName } from './error-responses.js';
import type { WebhookVerificationError } from './webhook-errors.js';

export * from './api-errors.js';
export { BillPayError, ConfigurationError, type ErrorContext } from './base.js';
export * from './call-errors.js';
export * from './webhook-errors.js';

/** `ApiError` itself: a status or code without a class of its own. */
export interface OtherApiError extends apiErrors.ApiError {
  readonly name: 'ApiError';
  readonly code: Undocumented | undefined;
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
  | InstanceType<(typeof apiErrors)[ErrorResponseName]>
  | OtherApiError
  // No call.
  | ConfigurationError
  | WebhookVerificationError
  // Errors of orders, bulk runs and receivers, which their entry points export.
  | (BillPayError & Named<Undocumented, Undocumented | undefined>);

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
