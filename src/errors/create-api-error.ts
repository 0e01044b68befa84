import { ApiError, type ResponseContext } from './api-error.js';
import {
  AccountRestrictedError,
  AuthenticationError,
  InsufficientBalanceError,
  PermissionError,
} from './auth-errors.js';
import {
  AlreadyProcessingError,
  ProviderUnavailableError,
  QueueUnavailableError,
  RateLimitError,
  ServerError,
} from './availability-errors.js';
import {
  AmountMismatchError,
  BadRequestError,
  MethodNotAllowedError,
  NotFoundError,
  UnresolvableFieldError,
  ValidationError,
  VerificationFailedError,
} from './request-errors.js';

/** The union of what the constructors of all classes take. */
export interface ApiErrorContext extends ResponseContext {
  errors?: Record<string, string> | undefined;
  retryAfterSeconds?: number | undefined;
}

/** The class of an error response. */
export type ApiErrorClass = new (message: string, context: ApiErrorContext) => ApiError;

/** Statuses that decide alone, even for a proxy's page. */
const byStatus: Readonly<Record<number, ApiErrorClass>> = {
  401: AuthenticationError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  429: RateLimitError,
};

/** Statuses for which the documented code decides: GATEWAY_ERROR is used with four statuses. */
const byStatusAndCode: Readonly<Record<string, ApiErrorClass>> = {
  '400 BAD_REQUEST': BadRequestError,
  '402 INSUFFICIENT_BALANCE': InsufficientBalanceError,
  '403 ACCOUNT_RESTRICTED': AccountRestrictedError,
  '403 GATEWAY_ERROR': PermissionError,
  '409 ALREADY_PROCESSING': AlreadyProcessingError,
  '422 AMOUNT_MISMATCH': AmountMismatchError,
  '422 GATEWAY_ERROR': UnresolvableFieldError,
  '422 VALIDATION_FAILED': ValidationError,
  '422 VERIFICATION_FAILED': VerificationFailedError,
  '503 PROVIDER_UNAVAILABLE': ProviderUnavailableError,
  '503 QUEUE_UNAVAILABLE': QueueUnavailableError,
};

/** The class for an error response (docs/service.md, "Errors"), by its status and code, never by its message. */
export function apiErrorClass(status: number, code: string | undefined): ApiErrorClass {
  return byStatus[status] ?? byStatusAndCode[`${status} ${code}`] ?? (status >= 500 ? ServerError : ApiError);
}
