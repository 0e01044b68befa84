import type { ApiError, UndocumentedCode } from './api-error.js';
import type {
  AccountRestrictedError,
  AuthenticationError,
  InsufficientBalanceError,
  PermissionError,
} from './auth-errors.js';
import type {
  AlreadyProcessingError,
  ProviderUnavailableError,
  QueueUnavailableError,
  RateLimitError,
  ServerError,
} from './availability-errors.js';
import { BillPayError } from './base.js';
import type { ConfigurationError } from './configuration-error.js';
import type { JournalBusyError, JournalCorruptError } from './journal-errors.js';
import type { AbortError, ConnectionError, TimeoutError } from './network-errors.js';
import type {
  ContradictoryEndError,
  DuplicateOrderError,
  OrderConflictError,
  OrderNotFoundError,
  OrderStateError,
} from './order-errors.js';
import type {
  AmountMismatchError,
  BadRequestError,
  MethodNotAllowedError,
  NotFoundError,
  UnresolvableFieldError,
  ValidationError,
  VerificationFailedError,
} from './request-errors.js';
import type { IdempotencyKeyReusedError, UnexpectedResponseError } from './response-errors.js';
import type { AlreadyHandledError, RetryLaterError, WebhookVerificationError } from './webhook-errors.js';

export * from './api-error.js';
export * from './auth-errors.js';
export * from './availability-errors.js';
export { BillPayError, type ErrorContext } from './base.js';
export * from './configuration-error.js';
export * from './journal-errors.js';
export * from './network-errors.js';
export * from './order-errors.js';
export * from './request-errors.js';
export * from './response-errors.js';
export * from './webhook-errors.js';

/** `ApiError` itself: a status or code without a class of its own. */
export interface OtherApiError extends ApiError {
  readonly name: 'ApiError';
  readonly code: UndocumentedCode | undefined;
}

/** Every error of this package; a `switch` on `code` or `name` narrows to its class. */
export type AnyBillPayError =
  | AbortError
  | AccountRestrictedError
  | AlreadyHandledError
  | AlreadyProcessingError
  | AmountMismatchError
  | AuthenticationError
  | BadRequestError
  | ConfigurationError
  | ConnectionError
  | ContradictoryEndError
  | DuplicateOrderError
  | IdempotencyKeyReusedError
  | InsufficientBalanceError
  | JournalBusyError
  | JournalCorruptError
  | MethodNotAllowedError
  | NotFoundError
  | OrderConflictError
  | OrderNotFoundError
  | OrderStateError
  | OtherApiError
  | PermissionError
  | ProviderUnavailableError
  | QueueUnavailableError
  | RateLimitError
  | RetryLaterError
  | ServerError
  | TimeoutError
  | UnexpectedResponseError
  | UnresolvableFieldError
  | ValidationError
  | VerificationFailedError
  | WebhookVerificationError;

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
