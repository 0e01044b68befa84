import type { Purchase } from '../contract/responses.js';
import { RateLimitError } from '../errors/availability-errors.js';
import type { BillPayError, ErrorContext } from '../errors/base.js';
import { apiErrorClass } from '../errors/create-api-error.js';
import { AbortError, ConnectionError, TimeoutError } from '../errors/network-errors.js';
import {
  IdempotencyKeyReusedError,
  type PurchaseDifference,
  UnexpectedResponseError,
} from '../errors/response-errors.js';
import * as messages from './error-messages.js';
import type { CallContext, Failure } from './failure.js';
import { codeOf, type ReceivedResponse } from './outcome.js';
import type { TransportFailure } from './transport.js';

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
    cause: response.bodyFailure?.cause,
  });

function apiError(failure: Failure, response: ReceivedResponse): BillPayError {
  const code = codeOf(response.json);
  const ErrorClass = apiErrorClass(response.status, code);
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
