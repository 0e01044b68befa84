import { type AnyBillPayError, isBillPayError } from './index.js';

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

const kindByName: Readonly<Partial<Record<AnyBillPayError['name'], ErrorKind>>> = {
  AbortError: 'aborted',
  AccountRestrictedError: 'access',
  AlreadyProcessingError: 'in-progress',
  AuthenticationError: 'access',
  ConfigurationError: 'configuration',
  ConnectionError: 'transient',
  IdempotencyKeyReusedError: 'reused-key',
  InsufficientBalanceError: 'wallet',
  MethodNotAllowedError: 'endpoint',
  NotFoundError: 'endpoint',
  PermissionError: 'access',
  ProviderUnavailableError: 'transient',
  QueueUnavailableError: 'transient',
  RateLimitError: 'transient',
  RetryLaterError: 'transient',
  ServerError: 'transient',
  TimeoutError: 'transient',
  UnexpectedResponseError: 'transient',
};

/** Statuses without a class of their own. A proxy sends 408 and 425 for a request that came too slowly or too early. */
const kindByStatus: Readonly<Record<number, ErrorKind>> = {
  402: 'wallet',
  403: 'access',
  408: 'transient',
  425: 'transient',
};

/** Classifies any caught value. A pure function of the error's class and, for a plain `ApiError`, of its status. */
export function classify(error: unknown): ErrorKind {
  if (!isBillPayError(error)) return 'foreign';
  const byStatus = error.name === 'ApiError' ? kindByStatus[error.status ?? 0] : undefined;
  return byStatus ?? kindByName[error.name] ?? 'rejected';
}
