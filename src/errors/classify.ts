import { type ErrorKind, errorResponses } from './error-responses.js';
import { isBillPayError } from './index.js';

/** What errors say that are not error responses. */
const otherKinds: Readonly<Record<string, ErrorKind>> = {
  AbortError: 'aborted',
  ConfigurationError: 'configuration',
  ConnectionError: 'transient',
  IdempotencyKeyReusedError: 'reused-key',
  RetryLaterError: 'transient',
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
  if (error.name === 'ApiError') return kindByStatus[error.status ?? 0] ?? 'rejected';
  const rows: Readonly<Record<string, { readonly kind: ErrorKind }>> = errorResponses;
  return rows[error.name]?.kind ?? otherKinds[error.name] ?? 'rejected';
}
