import type { BillPayError, ErrorContext } from '../errors/base.js';
import type { RequestPriority } from '../pacing/queue.js';
import { takePlace } from '../pacing/turn.js';
import { readProperty } from '../utils/read-property.js';
import { wait } from '../utils/wait.js';
import { type CallResult, createCallResult } from './api-promise.js';
import type { CallContext, ClientConfig, Failure, PreparedCall } from './call.js';
import { createError, refusedByTransport, unsentInTime, withContext } from './failure.js';
import { requestForAttempt } from './prepare.js';
import { mayHaveCharged } from './proof.js';
import { pacingLog, reportAttempt, reportDifferences } from './report.js';
import { interpret } from './response.js';
import { customDelayMs, nextWaitMs, retryAfterSeconds } from './retry.js';
import { type AttemptOutcome, sendOnce, type TransportFailure, type TransportRequest } from './transport.js';

/** The loop: attempt, decide, wait, until the call succeeds, is refused, or its time is up. */
export async function runCallLoop(call: PreparedCall, config: ClientConfig): Promise<CallResult<unknown>> {
  const { kind, idempotencyKey, operation, options } = call;
  const { signal, timeout, totalTimeout, maxRetries, resume } = options;
  const { baseUrl, redactor } = config;
  const context: CallContext = { operation, kind, baseUrl, idempotencyKey, resume, redactor };
  const deadline = performance.now() + totalTimeout;
  // One doubtful attempt makes the call doubtful, whatever refuses later attempts, unless one of them succeeds.
  let chargePossible = false;
  let repeatedAtOnce = false;
  let lastError: BillPayError | undefined;

  const fail = (outcome: AttemptOutcome, attempts: number, details: Partial<Failure> = {}) =>
    createError({
      ...context,
      timeoutMs: timeout,
      outcome,
      attempts,
      chargePossible,
      ...details,
    });
  const aborted = (attempts: number) => fail(abortedBetweenAttempts(signal), attempts);

  if (signal?.aborted) throw aborted(0);
  const place = config.pacer && takePlace(config.pacer, priorityOf(call), pacingLog(config, operation));
  for (let attempt = 1; ; attempt++) {
    const queuedAt = performance.now();
    const turn = await place?.turn(deadline - queuedAt, signal);
    if (signal?.aborted) throw aborted(attempt - 1);
    if (turn?.granted === false) {
      if (lastError) throw lastError;
      throw unsentInTime(context, totalTimeout, turn.inMs);
    }
    const unsent = () => ({
      operation,
      idempotencyKey,
      attempts: attempt - 1,
      mayHaveCharged: chargePossible || resume,
    });
    const request = call.headers.length === 0 ? call.request : headersAdded(call, attempt, unsent);
    const attemptStartedAt = performance.now();
    const timeLeftMs = deadline - attemptStartedAt;
    // Timers are late where the process was busy or suspended, and nothing may be sent after the deadline.
    if (timeLeftMs <= 0) throw lastError ?? unsentInTime(context, totalTimeout);
    const bounds = { timeoutMs: Math.min(timeout, timeLeftMs), signal };
    let outcome: AttemptOutcome;
    try {
      outcome = await sendOnce(config.transport, request, bounds, redactor);
    } catch (error) {
      // The transport refused the request before it sent anything. What earlier attempts did is as open as before.
      throw refusedByTransport(error, unsent());
    }
    const report = (end: { retryInMs?: number | undefined; error?: BillPayError }) =>
      reportAttempt(call, config, {
        attempt,
        outcome,
        waitedMs: place && attemptStartedAt - queuedAt,
        durationMs: performance.now() - attemptStartedAt,
        ...end,
      });

    const interpretation = interpret(call.expected, outcome);
    if (interpretation?.ok) {
      report({});
      reportDifferences(call, config, interpretation);
      return createCallResult(interpretation.data, interpretation.response, attempt);
    }

    chargePossible ||= mayHaveCharged(kind, outcome);
    const retryAfter =
      outcome.kind === 'response' ? retryAfterSeconds(outcome.headers, outcome.json, Date.now()) : undefined;
    const retryInMs = nextWaitMs({
      kind,
      outcome,
      final: interpretation?.final ?? false,
      attempt,
      maxRetries,
      remainingMs: deadline - performance.now(),
      retryAfterSeconds: retryAfter,
      delayMs: customDelayMs(config, attempt),
      turnInMs: place?.forecastMs(),
      repeatedAtOnce,
      random: Math.random(),
    });
    repeatedAtOnce ||= retryInMs === 0;
    if (isRateLimited(outcome)) place?.pause(Math.max(retryInMs ?? 0, (retryAfter ?? 0) * 1000));
    lastError = fail(outcome, attempt, {
      problem: interpretation?.problem,
      purchase: interpretation?.purchase,
      differences: interpretation?.differences,
      otherReference: interpretation?.otherReference,
      retryAfterSeconds: retryAfter,
      totalTimeoutMs: timeLeftMs < timeout ? totalTimeout : undefined,
    });
    report({ retryInMs, error: lastError });
    if (retryInMs === undefined) throw lastError;
    await wait(retryInMs, signal);
    if (signal?.aborted) throw aborted(attempt);
  }
}

/** The request of this attempt, with the headers that the caller's functions return. */
function headersAdded(call: PreparedCall, attempt: number, unsent: () => ErrorContext): TransportRequest {
  try {
    return requestForAttempt(call, attempt);
  } catch (error) {
    throw withContext(error, unsent());
  }
}

/** An abort while no request was in flight: what it means for the money depends on the attempts before it. */
const abortedBetweenAttempts = (signal: AbortSignal | undefined): TransportFailure => ({
  kind: 'failure',
  why: 'aborted',
  mayHaveArrived: false,
  cause: readProperty(signal, 'reason'),
});

/** Status lookups yield to all other requests: learning of a settlement a little later costs nobody money. */
const priorityOf = ({ kind, operation }: PreparedCall): RequestPriority =>
  kind === 'purchase' ? 'purchase' : operation === 'transactions.status' ? 'poll' : 'read';

const isRateLimited = (outcome: AttemptOutcome): boolean =>
  outcome.kind === 'response' && outcome.status === 429;
