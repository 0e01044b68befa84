import { textOfErrors } from '../contract/read-params.js';
import {
  type ApiError,
  apiErrorClasses,
  PermissionError,
  RateLimitError,
  type ResponseContext,
  ValidationError,
} from '../errors/api-errors.js';
import { BillPayError, type ErrorContext } from '../errors/base.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { errorResponseName } from '../errors/error-responses.js';
import { AbortError, ConnectionError, TimeoutError } from '../errors/network-errors.js';
import { IdempotencyKeyReusedError, UnexpectedResponseError } from '../errors/response-errors.js';
import { readProperty } from '../utils/read-property.js';
import type { CallContext, Failure } from './call.js';
import * as messages from './error-messages.js';
import { codeOf } from './proof.js';

/** What the constructors of all classes of error responses take. */
type ApiErrorClass = new (
  message: string,
  context: ResponseContext & {
    errors?: Record<string, string> | undefined;
    retryAfterSeconds?: number | undefined;
  },
) => ApiError;

/** The error that a call ends in. */
export function createError(failure: Failure): BillPayError {
  const { outcome, purchase, differences, otherReference, retryAfterSeconds } = failure;
  const call = contextOf(failure);
  if (purchase && differences) {
    const message = messages.keyReused(failure, purchase, differences);
    return new IdempotencyKeyReusedError(message, { ...call, purchase, differences });
  }
  if (outcome.kind === 'failure') {
    const message = messages.networkFailure(failure, outcome);
    return new networkErrors[outcome.why](message, { ...call, cause: outcome.cause });
  }
  const { status, json, text, headers, bodyFailure } = outcome;
  const context = { ...call, status, body: json ?? text, headers, cause: bodyFailure?.cause };
  if (status < 400) {
    const message = messages.unusableResponse(failure, outcome);
    return new UnexpectedResponseError(message, { ...context, purchase, otherReference });
  }
  const code = codeOf(json);
  const name = errorResponseName(status, code);
  const ErrorClass: ApiErrorClass = apiErrorClasses[name];
  return new ErrorClass(messages.errorResponse(name, failure, outcome), {
    ...context,
    code,
    errors: messages.fieldErrors(json),
    retryAfterSeconds,
  });
}

const networkErrors = { aborted: AbortError, timeout: TimeoutError, connection: ConnectionError } as const;

/**
 * A call whose deadline comes before it can be sent: its turn at the pacer would come too late, which is like a 429 before it happens, or
 * the process was busy.
 *
 * @param turnInMs - when the turn would come; undefined without one.
 */
export function unsentInTime(call: CallContext, totalTimeoutMs: number, turnInMs?: number): BillPayError {
  const unsent = { ...call, attempts: 0, chargePossible: false };
  const context = contextOf(unsent);
  if (turnInMs === undefined) return new TimeoutError(messages.unsentInTime(unsent, totalTimeoutMs), context);
  const retryAfterSeconds = Math.ceil(turnInMs / 1000);
  return new RateLimitError(messages.unsentInTime(unsent, totalTimeoutMs, retryAfterSeconds), {
    ...context,
    code: 'RATE_LIMITED',
    retryAfterSeconds,
  });
}

/** Doubt is sticky: a call cannot clear what an earlier call under its key left open, unless it succeeds. */
const contextOf = (call: CallContext & Pick<Failure, 'attempts' | 'chargePossible'>): ErrorContext => ({
  operation: call.operation,
  attempts: call.attempts,
  idempotencyKey: call.idempotencyKey,
  mayHaveCharged: call.chargePossible || call.resume,
  redactor: call.redactor,
});

/** The error of a call for which the service would respond with 403 (docs/service.md, "Authentication", rule 4). */
export const secretKeyNeeded = (operation: string, what: string = operation): PermissionError =>
  new PermissionError(
    `${what} needs a secret key (sk_…), and this client has a public one (pk_…), which may call catalogues and validate calls only. Nothing was sent.`,
    { operation, code: 'GATEWAY_ERROR' },
  );

/** A `ValidationError` for parameters that were refused before anything was sent. */
export function refusedLocally(operation: string, errors: Record<string, string>): ValidationError {
  return new ValidationError(`${operation} was not sent: ${textOfErrors(errors)}.`, { operation, errors });
}

/**
 * Adds the context of a call to an error of its checks, which was made without it: when a call that resumes a doubtful sale is refused
 * before anything is sent, the sale stays in doubt.
 */
export function withContext(error: unknown, context: ErrorContext): unknown {
  if (!(error instanceof BillPayError)) return error;
  // V8 keeps ten frames: without those of the checks, the caller's are among them.
  if ('captureStackTrace' in Error) Error.captureStackTrace(error, withContext);
  return Object.assign(error, context);
}

/**
 * The error of one call for one that its transport threw. A transport may throw the same error at every call, so each call gets a copy:
 * observers fix what it says about the money.
 */
export function refusedByTransport(error: unknown, context: ErrorContext): unknown {
  if (!(error instanceof ConfigurationError)) return error;
  const copy = new ConfigurationError(error.option, error.message.slice(error.message.indexOf(': ') + 2));
  const stack = readProperty(error, 'stack');
  return Object.assign(
    stack === undefined ? copy : Object.defineProperty(copy, 'stack', { value: stack }),
    context,
  );
}
