import type { BillPayError, ErrorContext } from '../errors/base.js';
import { type RequestPriority, takeTicket } from '../pacing/tickets.js';
import { callSafely } from '../utils/functions.js';
import { isLogged } from '../utils/logger.js';
import { nameOfThrown, readProperty } from '../utils/unknown.js';
import { wait } from '../utils/wait.js';
import type { Call, ClientConfig } from './call.js';
import { createError, type Failure, refusedByTransport, unsentInTime, withContext } from './error.js';
import { requestForAttempt } from './prepare.js';
import { pacingLog, reportAttempt, reportDifferences } from './report.js';
import { interpret } from './response.js';
import { mayHaveCharged, nextWaitMs, retryAfterSeconds } from './rules.js';
import {
  type AttemptOutcome,
  failure,
  type ReceivedResponse,
  sendOnce,
  type TransportRequest,
} from './transport.js';

/** How a call succeeded. */
export interface Success {
  readonly data: unknown;
  readonly response: ReceivedResponse;
  readonly attempts: number;
}

/** The loop: attempt, decide, wait, until the call succeeds, is refused, or its time is up. */
export async function runCall(call: Call, config: ClientConfig): Promise<Success> {
  const { kind, operation, signal, timeout, totalTimeout, maxRetries } = call;
  const { redactor } = config;
  const deadline = performance.now() + totalTimeout;
  // One attempt that may have charged makes the call `mayHaveCharged`, whatever refuses later attempts, unless one of them succeeds.
  let chargePossible = false;
  let repeatedAtOnce = false;
  let lastError: BillPayError | undefined;

  const aborted = (attempts: number) =>
    createError(call, config, {
      outcome: failure('aborted', false, readProperty(signal, 'reason')),
      attempts,
      chargePossible,
    });

  if (signal?.aborted) throw aborted(0);
  const ticket = config.pacer && takeTicket(config.pacer, priorityOf(call), pacingLog(config, operation));
  for (let attempt = 1; ; attempt++) {
    const queuedAt = performance.now();
    const grant = await ticket?.grant(deadline - queuedAt, signal);
    if (signal?.aborted) throw aborted(attempt - 1);
    if (grant?.granted === false) throw lastError ?? unsentInTime(call, grant.inMs);
    const unsent = () => ({
      operation,
      idempotencyKey: call.idempotencyKey,
      attempts: attempt - 1,
      mayHaveCharged: chargePossible || call.resume,
    });
    const request = call.headers.length === 0 ? call.request : headersAdded(call, attempt, unsent);
    const startedAt = performance.now();
    const timeLeftMs = deadline - startedAt;
    // Timers are late where the process was busy or suspended, and nothing may be sent after the deadline.
    if (timeLeftMs <= 0) throw lastError ?? unsentInTime(call);
    const bounds = { timeoutMs: Math.min(timeout, timeLeftMs), signal };
    let outcome: AttemptOutcome;
    try {
      outcome = await sendOnce(config.transport, request, bounds, redactor);
    } catch (error) {
      // The transport refused the request before it sent anything. What earlier attempts did is as open as before.
      throw refusedByTransport(error, unsent());
    }
    const report = (end: { retryInMs?: number | undefined; error?: BillPayError }) => {
      const durationMs = performance.now() - startedAt;
      reportAttempt(call, config, {
        attempt,
        outcome,
        waitedMs: ticket && startedAt - queuedAt,
        durationMs,
        ...end,
      });
    };

    const meaning = interpret(call.expected, outcome, redactor);
    if (meaning?.ok) {
      // By default nobody listens, and a record costs time.
      if (config.onAttempt || isLogged('debug', config.logLevel)) report({});
      if (meaning.deviations.length > 0 || meaning.tolerated.length > 0)
        reportDifferences(call, config, meaning);
      return { data: meaning.data, response: meaning.response, attempts: attempt };
    }

    chargePossible ||= mayHaveCharged(kind, outcome);
    const asked =
      outcome.kind === 'response' ? retryAfterSeconds(outcome.headers, outcome.json, Date.now()) : undefined;
    const retryInMs = nextWaitMs({
      kind,
      outcome,
      final: meaning?.final ?? false,
      attempt,
      maxRetries,
      remainingMs: deadline - performance.now(),
      retryAfterSeconds: asked,
      delayMs: customDelayMs(config, attempt),
      grantInMs: ticket?.forecastMs(),
      repeatedAtOnce,
      random: Math.random(),
    });
    repeatedAtOnce ||= retryInMs === 0;
    if (outcome.kind === 'response' && outcome.status === 429)
      ticket?.pause(Math.max(retryInMs ?? 0, (asked ?? 0) * 1000));
    const failed: Failure = {
      outcome,
      attempts: attempt,
      chargePossible,
      unusable: meaning,
      retryAfterSeconds: asked,
      isTotal: timeLeftMs < timeout,
    };
    lastError = createError(call, config, failed);
    if (config.onAttempt || isLogged('info', config.logLevel)) report({ retryInMs, error: lastError });
    if (retryInMs === undefined) throw lastError;
    await wait(retryInMs, signal);
    if (signal?.aborted) throw aborted(attempt);
  }
}

/** The request of this attempt, with the headers that the caller's functions return. */
function headersAdded(call: Call, attempt: number, unsent: () => ErrorContext): TransportRequest {
  try {
    return requestForAttempt(call, attempt);
  } catch (error) {
    throw withContext(error, unsent());
  }
}

/** Status checks yield to all other requests: learning of a settlement a little later costs nobody money. */
const priorityOf = ({ kind, operation }: Call): RequestPriority =>
  kind === 'purchase' ? 'purchase' : operation === 'transactions.status' ? 'poll' : 'read';

/** The result of the caller's `retryDelay`; undefined without one, or if it throws or returns something other than ms. */
function customDelayMs({ retryDelay, logger, redactor }: ClientConfig, attempt: number): number | undefined {
  if (!retryDelay) return undefined;
  let ms: unknown;
  callSafely(
    () => {
      ms = retryDelay(attempt);
      return ms;
    },
    (error) => {
      const name = redactor.text(nameOfThrown(error));
      logger.error(`billpay retryDelay threw (${name}); the built-in backoff is used`);
    },
  );
  if (typeof ms === 'number' && ms >= 0) return ms;
  if (ms !== undefined)
    logger.error('billpay retryDelay did not return a number of ms; the built-in backoff is used');
  return undefined;
}
