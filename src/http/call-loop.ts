import type { BillPayError } from '../errors/base.js';
import type { RequestPriority } from '../pacing/queue.js';
import { takePlace } from '../pacing/turn.js';
import { readProperty } from '../utils/read-property.js';
import { wait } from '../utils/wait.js';
import type { CallResult } from './api-call.js';
import { attemptOnce } from './attempt.js';
import { requestForAttempt } from './attempt-headers.js';
import { pacingLog, reportAttempt } from './attempt-log.js';
import { createCallResult } from './call-result.js';
import { mayHaveCharged } from './charge-risk.js';
import type { ClientConfig } from './client-config.js';
import { createError, turnPastDeadlineError, unsentPastDeadlineError } from './create-error.js';
import type { CallContext, Failure } from './failure.js';
import { checkLocally, refusedByTransport } from './local-refusal.js';
import { type AttemptOutcome, isSuccess } from './outcome.js';
import type { PreparedCall } from './prepared-call.js';
import { reportDifferences } from './response-differences.js';
import { retryAfterSeconds } from './retry-after.js';
import { customDelayMs } from './retry-delay.js';
import { nextWaitMs } from './retry-policy.js';
import type { TransportFailure } from './transport.js';

/** The loop: attempt, decide, wait, until the call succeeds, is refused, or its time is up. */
export async function runCallLoop<T>(call: PreparedCall<T>, config: ClientConfig): Promise<CallResult<T>> {
  const { kind, idempotencyKey, operation, options } = call;
  const { signal, timeout, totalTimeout, maxRetries, resume } = options;
  const { baseUrl, redactor } = config;
  const context: CallContext = { operation, kind, baseUrl, idempotencyKey, resume, redactor };
  const startedAt = performance.now();
  const remaining = () => totalTimeout - (performance.now() - startedAt);
  // One doubtful attempt makes the call doubtful, whatever refuses later attempts, unless one of them succeeds.
  let chargePossible = false;
  let repeatedAtOnce = false;
  let lastError: BillPayError | undefined;

  const fail = (outcome: AttemptOutcome, attempts: number, details: Partial<Failure> = {}) =>
    createError({
      ...unexplained,
      ...context,
      timeoutMs: timeout,
      outcome,
      attempts,
      chargePossible,
      ...details,
    });
  const throwIfAborted = (attempts: number) => {
    if (signal?.aborted) throw fail(abortedBetweenAttempts(signal), attempts);
  };

  throwIfAborted(0);
  const place = config.pacer && takePlace(config.pacer, priorityOf(call), pacingLog(config, operation));
  for (let attempt = 1; ; attempt++) {
    const queuedAt = performance.now();
    const turn = await place?.turn(remaining(), signal);
    throwIfAborted(attempt - 1);
    if (turn?.granted === false) {
      if (lastError) throw lastError;
      throw turn.inMs === undefined
        ? unsentPastDeadlineError(context, totalTimeout)
        : turnPastDeadlineError(context, turn.inMs, totalTimeout);
    }
    const unsentContext = () => ({
      operation,
      idempotencyKey,
      attempts: attempt - 1,
      mayHaveCharged: chargePossible || resume,
    });
    const request = checkLocally(unsentContext, () => requestForAttempt(call, attempt));
    const remainingMs = remaining();
    // Timers are late where the process was busy or suspended, and nothing may be sent after the deadline.
    if (remainingMs <= 0) throw lastError ?? unsentPastDeadlineError(context, totalTimeout);
    const attemptStartedAt = performance.now();
    const waitedMs = place && attemptStartedAt - queuedAt;
    const bounds = { timeoutMs: Math.min(timeout, remainingMs), signal };
    let outcome: AttemptOutcome;
    try {
      outcome = await attemptOnce(config.transport, request, bounds, redactor);
    } catch (error) {
      // The transport refused the request before it sent anything. What earlier attempts did is as open as before.
      throw refusedByTransport(error, unsentContext());
    }
    const report = (end: { retryInMs?: number | undefined; error?: BillPayError }) =>
      reportAttempt(call, config, {
        attempt,
        outcome,
        waitedMs,
        durationMs: performance.now() - attemptStartedAt,
        ...end,
      });

    const interpretation = interpretationOf(call, outcome);
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
      remainingMs: remaining(),
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
      retryAfterSeconds: retryAfter,
      totalTimeoutMs: remainingMs < timeout ? totalTimeout : undefined,
    });
    report({ retryInMs, error: lastError });
    if (retryInMs === undefined) throw lastError;
    await wait(retryInMs, signal);
    throwIfAborted(attempt);
  }
}

const unexplained = { problem: undefined, retryAfterSeconds: undefined, totalTimeoutMs: undefined };

/** An abort while no request was in flight: what it means for the money depends on the attempts before it. */
const abortedBetweenAttempts = (signal: AbortSignal): TransportFailure => ({
  kind: 'failure',
  why: 'aborted',
  mayHaveArrived: false,
  cause: readProperty(signal, 'reason'),
});

/** Status lookups yield to all other requests: learning of a settlement a little later costs nobody money. */
const priorityOf = ({ kind, operation }: PreparedCall<unknown>): RequestPriority =>
  kind === 'purchase' ? 'purchase' : operation === 'transactions.status' ? 'poll' : 'read';

const isRateLimited = (outcome: AttemptOutcome): boolean =>
  outcome.kind === 'response' && outcome.status === 429;

/** What a 2xx means, with the response itself; undefined for any other outcome. */
function interpretationOf<T>(call: PreparedCall<T>, outcome: AttemptOutcome) {
  if (outcome.kind === 'failure' || !isSuccess(outcome.status)) return undefined;
  return { ...call.interpret(outcome), response: outcome };
}
