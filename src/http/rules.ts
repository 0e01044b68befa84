import type { OperationKind } from '../contract/operations.js';
import { documentedResponse } from '../errors/error-responses.js';
import { field } from '../utils/unknown.js';
import { isSuccess } from './response.js';
import type { AttemptOutcome, ReceivedResponse } from './transport.js';

/** The rules about money and repeats: pure functions of how an attempt ended. */

/**
 * The kind of a call. `unknown` is a writing call through `request()` without an idempotency_key: the effect of a repeat is not
 * known.
 */
export type CallKind = OperationKind | 'unknown';

/** The `code` of a response; undefined where there is none. It may hold anything: redact it before it is printed. */
export function codeOf(json: unknown): string | undefined {
  const code = field(json, 'code');
  return typeof code === 'string' && code !== '' ? code : undefined;
}

/** Whether a response has the service's error envelope (docs/service.md, "Errors"), and is not a page of a proxy. */
export const isErrorEnvelope = (json: unknown): boolean =>
  field(json, 'status') === 'error' &&
  typeof field(json, 'code') === 'string' &&
  typeof field(json, 'message') === 'string';

/** The row of an error that the service documents: its envelope, with a code that belongs to its status. */
export const documentedError = ({ status, json }: ReceivedResponse) =>
  isErrorEnvelope(json) ? documentedResponse(status, codeOf(json)) : undefined;

/**
 * Whether an attempt that did not succeed may have moved money. Returns false only if there is proof that no money moved: nothing was
 * sent, or the service itself refused in a documented way (docs/service.md, "Errors", and "States and transitions", rule 3).
 *
 * | the attempt ended in | a purchase may have charged |
 * |---|---|
 * | nothing sent, or no connection made | no |
 * | no response after the request may have left | yes |
 * | 400, 401, 402, 403, 405, 422, 429 or 503 in the service's error envelope, with a code documented for the status | no |
 * | 409, 500, 502 | yes |
 * | any other response: a page of a proxy or firewall, an undocumented status or code, a redirect, an unusable 2xx | yes |
 *
 * A `request()` that writes without an idempotency_key is treated as a purchase; reads and subscriptions never charge.
 */
export const mayHaveCharged = (kind: CallKind, outcome: AttemptOutcome): boolean =>
  kind !== 'read' && kind !== 'subscribe' && mayHaveTakenEffect(outcome);

/** Whether the service may have carried out a request that did not succeed. */
export const mayHaveTakenEffect = (outcome: AttemptOutcome): boolean =>
  outcome.kind === 'failure' ? outcome.mayHaveArrived : !documentedError(outcome)?.noCharge;

/** Statuses after which the same request may be sent again (docs/service.md, "Errors", rule 2; 504 is a proxy's 502). */
const transientStatuses = [500, 502, 503, 504];

/**
 * The retry table: whether an attempt that did not succeed may be repeated. A 2xx is one of these when it could not be used.
 *
 * | ended in | purchase | read | subscribe | unknown |
 * |---|---|---|---|---|
 * | 409 ALREADY_PROCESSING | again | stop | stop | stop |
 * | 429 | again | again | again | again |
 * | 500 502 503 504 | again | again | again | stop |
 * | no response, time-out, incomplete or unreadable success | again | again | stop | stop |
 * | anything else | stop | stop | stop | stop |
 */
export function mayRepeat(kind: CallKind, outcome: AttemptOutcome): boolean {
  const isSafe = kind === 'read' || kind === 'purchase';
  if (outcome.kind === 'failure') return isSafe && outcome.why !== 'aborted';
  const { status } = outcome;
  if (status === 429) return true;
  if (status === 409) return kind === 'purchase' && codeOf(outcome.json) === 'ALREADY_PROCESSING';
  if (transientStatuses.includes(status)) return kind !== 'unknown';
  return isSafe && isSuccess(status);
}

/**
 * The wait before retry `n` (1 for the first), in ms: between half of d and d at random, where d = min(8 s, 0.5 s x 2^(n-1)).
 * Never shorter than the service asked for.
 *
 * @param random - in [0, 1).
 * @param minimumSeconds - what the service asked for.
 * @param d - the longest wait, in ms.
 */
export function retryWaitMs(
  n: number,
  random: number,
  minimumSeconds: number | undefined,
  d: number = Math.min(8000, 500 * 2 ** (n - 1)),
): number {
  return Math.max(Math.round(d / 2 + (random * d) / 2), Math.ceil((minimumSeconds ?? 0) * 1000));
}

/** Everything that the decision about a retry depends on. */
export interface RetryQuestion {
  readonly kind: CallKind;
  readonly outcome: AttemptOutcome;
  /** Whether a repeat would bring the same response. */
  readonly final: boolean;
  /** The attempt that failed, 1 for the first. */
  readonly attempt: number;
  readonly maxRetries: number;
  /** ms until the end of the call's `totalTimeout`. */
  readonly remainingMs: number;
  readonly retryAfterSeconds: number | undefined;
  /** What the caller's `retryDelay` returned, in place of the built-in backoff, in ms. */
  readonly delayMs?: number | undefined;
  /** ms until the pacer would grant the next attempt. */
  readonly grantInMs?: number | undefined;
  /** Whether an unsent request of this call has already been repeated at once. */
  readonly repeatedAtOnce?: boolean;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * A request that was not sent has cost the service nothing, and most often used a connection that had just been closed. A new connection
 * solves that, so it is repeated at once. Only once in a call: if that was not sent either, something else is wrong.
 */
const mayRepeatAtOnce = ({ outcome, repeatedAtOnce }: RetryQuestion): boolean =>
  outcome.kind === 'failure' && outcome.unsent === true && !repeatedAtOnce;

/** The wait before the next attempt in ms; undefined to stop now. A wait that does not fit in the `totalTimeout` is not begun. */
export function nextWaitMs(question: RetryQuestion): number | undefined {
  const { kind, outcome, attempt, maxRetries, remainingMs, random } = question;
  if (question.final || attempt > maxRetries || !mayRepeat(kind, outcome)) return undefined;
  const wait = mayRepeatAtOnce(question)
    ? 0
    : retryWaitMs(attempt, random, question.retryAfterSeconds, question.delayMs);
  return Math.max(wait, question.grantInMs ?? 0) < remainingMs ? wait : undefined;
}

/**
 * The seconds that the service asks to wait: the `Retry-After` header (seconds or an HTTP date), else the body's
 * `retry_after_seconds`. Undefined where neither can be read: an unreadable value never prevents the retry.
 *
 * @param now - the current time in ms since the epoch, for dates.
 */
export function retryAfterSeconds(headers: Headers, json: unknown, now: number): number | undefined {
  return fromHeader(headers.get('retry-after'), now) ?? fromBody(field(json, 'retry_after_seconds'));
}

const decimal = /^\d+(\.\d+)?$/;
/** The three date forms of HTTP begin with the day's name; `Date.parse` alone would accept `-5` or `2026` as a date. */
const httpDate = /^(mon|tue|wed|thu|fri|sat|sun)/i;

/** HTTP's asctime form is in GMT but does not say so, and `Date.parse` would read it as local time. */
const zoneless = /:\d\d( \d{4})?$/;

function fromHeader(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (decimal.test(text)) return Number(text);
  if (!httpDate.test(text)) return undefined;
  const at = Date.parse(zoneless.test(text) ? `${text} GMT` : text);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1000);
}

function fromBody(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && decimal.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
