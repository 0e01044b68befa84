import { textOfErrors } from '../contract/read-params.js';
import type { Purchase, PurchaseDifference } from '../contract/responses.js';
import * as apiErrors from '../errors/api-errors.js';
import { PermissionError, RateLimitError, ValidationError } from '../errors/api-errors.js';
import { BillPayError, type ErrorContext } from '../errors/base.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { errorResponseName } from '../errors/error-responses.js';
import { AbortError, ConnectionError, TimeoutError } from '../errors/network-errors.js';
import { IdempotencyKeyReusedError, UnexpectedResponseError } from '../errors/response-errors.js';
import { readProperty } from '../utils/read-property.js';
import type { CallContext, Failure } from './call.js';
import * as messages from './error-messages.js';
import { codeOf } from './proof.js';
import type { ReceivedResponse, TransportFailure } from './transport.js';

/** The error that a call ends in. */
export function createError(failure: Failure): BillPayError {
  const { outcome, purchase, differences } = failure;
  if (purchase && differences) return keyReusedError(failure, purchase, differences);
  if (outcome.kind === 'failure') return networkError(failure, outcome);
  return outcome.status < 400 ? unusableResponse(failure, outcome) : apiError(failure, outcome);
}

/** A call whose turn at the pacer would come after its deadline: refused here, like a 429 before it happens. */
export function turnPastDeadlineError(
  call: CallContext,
  turnInMs: number,
  totalTimeoutMs: number,
): RateLimitError {
  const retryAfterSeconds = Math.ceil(turnInMs / 1000);
  return new RateLimitError(messages.turnPastDeadline(call, retryAfterSeconds, totalTimeoutMs), {
    ...contextOf({ ...call, attempts: 0, chargePossible: false }),
    code: 'RATE_LIMITED',
    retryAfterSeconds,
  });
}

/** A call whose deadline passed before it was sent, because the process was busy. */
export const unsentPastDeadlineError = (call: CallContext, totalTimeoutMs: number): TimeoutError =>
  new TimeoutError(
    messages.unsentPastDeadline(call, totalTimeoutMs),
    contextOf({ ...call, attempts: 0, chargePossible: false }),
  );

const keyReusedError = (
  failure: Failure,
  purchase: Purchase,
  differences: readonly PurchaseDifference[],
): IdempotencyKeyReusedError =>
  new IdempotencyKeyReusedError(messages.keyReused(failure, purchase, differences), {
    ...contextOf(failure),
    purchase,
    differences,
  });

/** Doubt is sticky: a call cannot clear what an earlier call under its key left open, unless it succeeds. */
const contextOf = (call: CallContext & Pick<Failure, 'attempts' | 'chargePossible'>): ErrorContext => ({
  operation: call.operation,
  attempts: call.attempts,
  idempotencyKey: call.idempotencyKey,
  mayHaveCharged: call.chargePossible || call.resume,
  redactor: call.redactor,
});

function networkError(failure: Failure, outcome: TransportFailure): BillPayError {
  const context = { ...contextOf(failure), cause: outcome.cause };
  const message = messages.networkFailure(failure, outcome);
  switch (outcome.why) {
    case 'aborted':
      return new AbortError(message, context);
    case 'timeout':
      return new TimeoutError(message, context);
    case 'connection':
      return new ConnectionError(message, context);
  }
}

const unusableResponse = (failure: Failure, response: ReceivedResponse): BillPayError =>
  new UnexpectedResponseError(messages.unusableResponse(failure, response), {
    ...contextOf(failure),
    ...responseFields(response),
    purchase: failure.purchase,
    otherReference: failure.otherReference,
    cause: response.bodyFailure?.cause,
  });

/** What the constructors of all classes of error responses take. */
type ApiErrorClass = new (
  message: string,
  context: apiErrors.ResponseContext & {
    errors?: Record<string, string> | undefined;
    retryAfterSeconds?: number | undefined;
  },
) => apiErrors.ApiError;

function apiError(failure: Failure, response: ReceivedResponse): BillPayError {
  const code = codeOf(response.json);
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: any response may come, so every class is needed here.
  const ErrorClass: ApiErrorClass = apiErrors[errorResponseName(response.status, code)];
  return new ErrorClass(messages.errorResponse(failure, response), {
    ...contextOf(failure),
    ...responseFields(response),
    code,
    errors: messages.fieldErrors(response.json),
    retryAfterSeconds: failure.retryAfterSeconds,
    cause: response.bodyFailure?.cause,
  });
}

const responseFields = ({ status, json, text, headers }: ReceivedResponse) => ({
  status,
  body: json ?? text,
  headers,
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
