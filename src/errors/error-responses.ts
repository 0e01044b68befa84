/**
 * What an error says about sending the same request again. It says nothing about money: `mayHaveCharged` does.
 *
 * - `transient`: the service or the network failed; the same request may succeed later.
 * - `in-progress`: another request under the same idempotency_key is still being processed.
 * - `aborted`: the caller's signal ended the call.
 * - `wallet`: the wallet cannot cover the purchase (402). Concerns every purchase.
 * - `access`: the key, the client_id or the account was refused (401, 403). Concerns every purchase.
 * - `configuration`: an option of the client or of the call is wrong. Concerns every purchase that is made in the same way.
 * - `endpoint`: nothing is served at this path or for this method (404, 405), or a reference is unknown.
 * - `reused-key`: the idempotency_key belongs to another purchase.
 * - `rejected`: this request would be refused again, or an error of another kind.
 * - `foreign`: not an error of this package.
 */
export type ErrorKind =
  | 'transient'
  | 'in-progress'
  | 'aborted'
  | 'wallet'
  | 'access'
  | 'configuration'
  | 'endpoint'
  | 'reused-key'
  | 'rejected'
  | 'foreign';

interface ErrorResponse {
  readonly status: number;
  readonly code?: string;
  /** Whether every response with this status has this class, whatever its code: even a proxy's page with a 401 is an `AuthenticationError`. */
  readonly anyCode?: true;
  readonly kind: ErrorKind;
}

/** The class of each error response (docs/service.md, "Errors"). All are children of `ApiError`, the class of every other response. */
export const errorResponses = {
  BadRequestError: { status: 400, code: 'BAD_REQUEST', kind: 'rejected' },
  AuthenticationError: { status: 401, code: 'UNAUTHORIZED', anyCode: true, kind: 'access' },
  InsufficientBalanceError: { status: 402, code: 'INSUFFICIENT_BALANCE', kind: 'wallet' },
  PermissionError: { status: 403, code: 'GATEWAY_ERROR', kind: 'access' },
  AccountRestrictedError: { status: 403, code: 'ACCOUNT_RESTRICTED', kind: 'access' },
  NotFoundError: { status: 404, anyCode: true, kind: 'endpoint' },
  MethodNotAllowedError: { status: 405, code: 'METHOD_NOT_ALLOWED', anyCode: true, kind: 'endpoint' },
  AlreadyProcessingError: { status: 409, code: 'ALREADY_PROCESSING', kind: 'in-progress' },
  ValidationError: { status: 422, code: 'VALIDATION_FAILED', kind: 'rejected' },
  AmountMismatchError: { status: 422, code: 'AMOUNT_MISMATCH', kind: 'rejected' },
  VerificationFailedError: { status: 422, code: 'VERIFICATION_FAILED', kind: 'rejected' },
  UnresolvableFieldError: { status: 422, code: 'GATEWAY_ERROR', kind: 'rejected' },
  RateLimitError: { status: 429, code: 'RATE_LIMITED', anyCode: true, kind: 'transient' },
  ProviderUnavailableError: { status: 503, code: 'PROVIDER_UNAVAILABLE', kind: 'transient' },
  QueueUnavailableError: { status: 503, code: 'QUEUE_UNAVAILABLE', kind: 'transient' },
  // And every status above 500 that has no class of its own.
  ServerError: { status: 500, code: 'GATEWAY_ERROR', anyCode: true, kind: 'transient' },
} as const satisfies Readonly<Record<string, ErrorResponse>>;

/** The name of a class of error responses. */
export type ErrorResponseName = keyof typeof errorResponses;

/** The name of the class for an error response, by its status and code, never by its message. */
export function errorResponseName(status: number, code: string | undefined): ErrorResponseName | 'ApiError' {
  const rows: [string, ErrorResponse][] = Object.entries(errorResponses);
  const row = rows.find(([, one]) => one.status === status && (one.anyCode || one.code === code));
  if (row) return row[0] as ErrorResponseName;
  return status >= 500 ? 'ServerError' : 'ApiError';
}
