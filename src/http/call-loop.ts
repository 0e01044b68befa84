import type { Purchase } from '../contract/responses.js';
import type { BillPayError } from '../errors/base.js';
import { redactText } from '../errors/redact.js';
import type { AttemptRecord } from '../options.js';
import { pauseAsAsked } from '../pacing/pause.js';
import type { RequestPriority } from '../pacing/queue.js';
import type { ClientConfig, ResolvedCallOptions } from '../resolve-options.js';
import { callSafely } from '../utils/call-safely.js';
import { isLogged, leveledLogger } from '../utils/logger.js';
import { wait } from '../utils/wait.js';
import type { CallResult } from './api-call.js';
import { attemptOnce } from './attempt.js';
import { attemptLine } from './attempt-log.js';
import { mayHaveCharged } from './charge-risk.js';
import { createError, turnPastDeadlineError } from './create-error.js';
import {
  type AttemptOutcome,
  type CallKind,
  codeOf,
  isSuccess,
  type ReceivedResponse,
  type TransportFailure,
} from './outcome.js';
import { retryAfterSeconds } from './retry-after.js';
import { nextWaitMs } from './retry-policy.js';
import type { TransportRequest } from './transport.js';

/** What a 2xx means to the caller. */
export type Verdict<T> =
  | { readonly ok: true; readonly data: T; readonly deviations: readonly string[] }
  /** Cannot be used; `final` where a repeat would not change that. */
  | { readonly ok: false; readonly problem: string; readonly final: boolean; readonly purchase?: Purchase };

/** One call, checked and ready to be sent. */
export interface PreparedCall<T> {
  readonly operation: string;
  readonly kind: CallKind;
  /** Relative to the base address, without the query: for records and log lines. */
  readonly path: string;
  readonly wire: TransportRequest;
  readonly idempotencyKey: string | undefined;
  readonly options: ResolvedCallOptions;
  /** Masked, for log lines. */
  readonly recipient: string | undefined;
  /** Reads a 2xx; throws nothing. */
  readonly read: (answer: ReceivedResponse) => Verdict<T>;
  /** Refuses a result that is not what was asked for. */
  readonly verify: (data: T, attempts: number) => BillPayError | undefined;
}

const abortedBeforehand = (signal: AbortSignal): TransportFailure => ({
  kind: 'failure',
  why: 'aborted',
  mayHaveArrived: false,
  cause: signal.reason,
});

/** The loop: attempt, decide, wait, until the call succeeds, is refused, or its time is up. */
export async function runCallLoop<T>(call: PreparedCall<T>, client: ClientConfig): Promise<CallResult<T>> {
  const { kind, idempotencyKey, operation, options } = call;
  const { signal, timeout, totalTimeout, maxRetries } = options;
  const startedAt = performance.now();
  const remaining = () => totalTimeout - (performance.now() - startedAt);
  const failure = {
    operation,
    kind,
    baseUrl: client.baseUrl,
    idempotencyKey,
    problem: undefined,
    timeoutMs: timeout,
  };
  // One doubtful attempt makes the call doubtful, whatever later attempts were refused for, unless one succeeds.
  let doubtful = false;
  let repeatedAtOnce = false;

  const aborted = (by: AbortSignal, attempts: number) =>
    createError({
      ...failure,
      outcome: abortedBeforehand(by),
      attempts,
      mayHaveCharged: doubtful,
      retryAfterSeconds: undefined,
      totalTimeoutMs: undefined,
    });
  if (signal?.aborted) throw aborted(signal, 0);

  const place = client.pacer?.enqueue(turnKindOf(call));
  let refusal: BillPayError | undefined;
  for (let attempt = 1; ; attempt++) {
    const joinedAt = performance.now();
    const turn = await place?.acquire(remaining(), signal);
    if (signal?.aborted) throw aborted(signal, attempt - 1);
    if (turn?.granted === false)
      throw refusal ?? turnPastDeadlineError(operation, idempotencyKey, turn.inMs ?? 0, totalTimeout);
    const waitedMs = place && performance.now() - joinedAt;
    const timeLeft = Math.max(1, remaining());
    const attemptStartedAt = performance.now();
    const outcome = await attemptOnce(client.transport, call.wire, {
      timeoutMs: Math.min(timeout, timeLeft),
      signal,
    });
    const report = (end: { waitMs?: number | undefined; error?: BillPayError | undefined }) =>
      tell(call, client, outcome, {
        attempt,
        waitedMs,
        durationMs: performance.now() - attemptStartedAt,
        ...end,
      });

    const verdict = verdictOn(call, outcome);
    if (verdict.ok) {
      const error = call.verify(verdict.data, attempt);
      report({ error });
      if (error) throw error;
      if (verdict.deviations.length > 0) warn(call, client, verdict.deviations);
      return result(verdict.data, verdict.answer, attempt);
    }

    doubtful ||= mayHaveCharged(kind, outcome);
    const floor = floorOf(outcome);
    const waitMs = nextWaitMs({
      kind,
      outcome,
      final: verdict.final,
      attempt,
      maxRetries,
      remainingMs: remaining(),
      retryAfterSeconds: floor,
      turnInMs: place?.estimateWaitMs(),
      repeatedAtOnce,
      random: Math.random(),
    });
    repeatedAtOnce ||= waitMs === 0;
    if (isRateLimited(outcome)) pausePacer(call, client, Math.max(waitMs ?? 0, (floor ?? 0) * 1000));
    refusal = createError({
      ...failure,
      outcome,
      attempts: attempt,
      mayHaveCharged: doubtful,
      problem: verdict.problem,
      purchase: verdict.purchase,
      retryAfterSeconds: floor,
      totalTimeoutMs: timeLeft < timeout ? totalTimeout : undefined,
    });
    report({ waitMs, error: refusal });
    if (waitMs === undefined) throw refusal;
    await wait(waitMs, signal);
    if (signal?.aborted) throw aborted(signal, attempt);
  }
}

/** Status looks yield to everything else: nobody loses money by learning a little later. */
const turnKindOf = <T>({ kind, operation }: PreparedCall<T>): RequestPriority =>
  kind === 'purchase' ? 'purchase' : operation === 'transactions.status' ? 'poll' : 'read';

const isRateLimited = (outcome: AttemptOutcome): boolean =>
  outcome.kind === 'response' && outcome.status === 429;

function pausePacer<T>({ operation }: PreparedCall<T>, client: ClientConfig, askedMs: number): void {
  if (!client.pacer) return;
  const logger = leveledLogger(client.logger, client.logLevel);
  pauseAsAsked(client.pacer, askedMs, (message) =>
    logger.warn(`billpay ${operation}: ${message}`, { operation }),
  );
}

type Judged<T> =
  | {
      readonly ok: true;
      readonly data: T;
      readonly deviations: readonly string[];
      readonly answer: ReceivedResponse;
    }
  | {
      readonly ok: false;
      readonly problem: string | undefined;
      readonly final: boolean;
      readonly purchase?: Purchase | undefined;
    };

function verdictOn<T>(call: PreparedCall<T>, outcome: AttemptOutcome): Judged<T> {
  if (outcome.kind === 'failure' || !isSuccess(outcome.status)) {
    return { ok: false, problem: undefined, final: false };
  }
  const verdict = call.read(outcome);
  return verdict.ok ? { ...verdict, answer: outcome } : verdict;
}

const floorOf = (outcome: AttemptOutcome): number | undefined =>
  outcome.kind === 'response' ? retryAfterSeconds(outcome.headers, outcome.json, Date.now()) : undefined;

interface AttemptEnd {
  readonly attempt: number;
  readonly waitedMs?: number | undefined;
  readonly durationMs: number;
  readonly waitMs?: number | undefined;
  readonly error?: BillPayError | undefined;
}

/** Tells the callback and the logger of an attempt. Neither can break the call. */
function tell<T>(
  call: PreparedCall<T>,
  client: ClientConfig,
  outcome: AttemptOutcome,
  end: AttemptEnd,
): void {
  const level = end.error ? 'info' : 'debug';
  // By default nobody listens, and a record costs.
  if (!client.onAttempt && !isLogged(level, client.logLevel)) return;
  const record = recordOf(call, outcome, end);
  const logger = leveledLogger(client.logger, client.logLevel);
  callSafely(
    () => client.onAttempt?.(record),
    (error) => {
      const name = error instanceof Error ? error.name : typeof error;
      logger.error(`billpay onAttempt threw (${name}); the call goes on`, { operation: call.operation });
    },
  );
  const fields = call.recipient === undefined ? record : { ...record, recipient: call.recipient };
  logger[level](attemptLine(record), fields);
}

function recordOf<T>(call: PreparedCall<T>, outcome: AttemptOutcome, end: AttemptEnd): AttemptRecord {
  const code = outcome.kind === 'response' ? codeOf(outcome.json) : undefined;
  return {
    operation: call.operation,
    attempt: end.attempt,
    method: call.wire.method,
    path: call.path,
    ...(outcome.kind === 'response' && { status: outcome.status }),
    ...(code !== undefined && { code: redactText(code) }),
    ...(end.waitedMs !== undefined && { waitedMs: end.waitedMs }),
    durationMs: end.durationMs,
    willRetry: end.waitMs !== undefined,
    ...(end.waitMs !== undefined && { retryInMs: end.waitMs }),
    ...(call.idempotencyKey !== undefined && { idempotencyKey: call.idempotencyKey }),
    ...(end.error && { error: end.error.name }),
  };
}

function warn<T>(call: PreparedCall<T>, client: ClientConfig, deviations: readonly string[]): void {
  const message = `billpay ${call.operation}: the answer differs from what is documented in ${deviations.join(', ')}`;
  leveledLogger(client.logger, client.logLevel).warn(message, {
    operation: call.operation,
    fields: deviations,
  });
}

/** Statuses that a Response must not be given a body for. */
const bodiless = [204, 205, 304];

function result<T>(data: T, answer: ReceivedResponse, attempts: number): CallResult<T> {
  let response: Response | undefined;
  return {
    data,
    attempts,
    // Rebuilt only for those who ask: the original's body has been read.
    get response() {
      response ??= rebuilt(answer);
      return response;
    },
  };
}

/** What a Response takes as its status text; a socket may bring anything. */
const statusWords = /^[\t\x20-\x7e\x80-\xff]*$/;

function rebuilt({ status, statusText, headers, text, url }: ReceivedResponse): Response {
  const response = new Response(bodiless.includes(status) ? null : text, {
    status,
    statusText: statusWords.test(statusText) ? statusText : '',
    headers,
  });
  return Object.defineProperty(response, 'url', { value: url });
}
