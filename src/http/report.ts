import type { PurchaseDifference } from '../contract/responses.js';
import { billersOf, isUnlistedBiller, type Product } from '../contract/vocabulary.js';
import type { BillPayError } from '../errors/base.js';
import type { AttemptRecord } from '../options.js';
import type { PacingLog } from '../pacing/tickets.js';
import type { Redactor } from '../redaction.js';
import { callSafely } from '../utils/functions.js';
import { nameOfThrown } from '../utils/unknown.js';
import type { Call, ClientConfig } from './call.js';
import type { Interpretation } from './response.js';
import { codeOf } from './rules.js';
import type { AttemptOutcome } from './transport.js';

/** One readable line for an attempt. */
export function attemptLine(record: AttemptRecord): string {
  const { operation, attempt, method, path, status, code, durationMs, willRetry, retryInMs, error } = record;
  const end = [status, code, error].filter((part) => part !== undefined).join(' ');
  const next = willRetry ? `, again in ${retryInMs} ms` : '';
  return `billpay ${operation} attempt ${attempt}: ${method} ${path} -> ${end} in ${Math.round(durationMs)} ms${next}`;
}

/** How an attempt ended, for those who watch. */
export interface AttemptEnd {
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  /** ms waited for the pacer's grant. */
  readonly waitedMs?: number | undefined;
  readonly durationMs: number;
  /** ms until the next attempt; undefined where there is none. */
  readonly retryInMs?: number | undefined;
  readonly error?: BillPayError | undefined;
}

/** What is logged of a call. */
type LoggedCall = Pick<Call, 'operation' | 'request' | 'path' | 'idempotencyKey' | 'recipient'>;

/** Hands an attempt to `onAttempt` and to the logger. Neither can break the call. */
export function reportAttempt(call: LoggedCall, config: ClientConfig, end: AttemptEnd): void {
  const level = end.error ? 'info' : 'debug';
  const record = recordOf(call, end, config.redactor);
  const { logger } = config;
  callSafely(
    () => config.onAttempt?.(record),
    (error) => {
      const name = config.redactor.text(nameOfThrown(error));
      logger.error(`billpay onAttempt threw (${name}); the call continues`, { operation: call.operation });
    },
  );
  const { recipient } = call;
  logger[level](
    attemptLine(record),
    recipient === undefined ? record : { ...record, recipient: mask(recipient) },
  );
}

function recordOf(call: LoggedCall, end: AttemptEnd, redactor: Redactor): AttemptRecord {
  const { outcome, waitedMs, retryInMs, error } = end;
  const code = outcome.kind === 'response' ? codeOf(outcome.json) : undefined;
  return {
    operation: call.operation,
    attempt: end.attempt,
    method: call.request.method,
    path: redactor.known(call.path),
    ...(outcome.kind === 'response' && { status: outcome.status }),
    ...(code !== undefined && { code: redactor.text(code) }),
    ...(waitedMs !== undefined && { waitedMs }),
    durationMs: end.durationMs,
    willRetry: retryInMs !== undefined,
    ...(retryInMs !== undefined && { retryInMs }),
    ...(call.idempotencyKey !== undefined && { idempotencyKey: call.idempotencyKey }),
    ...(error && { error: error.name }),
  };
}

/** More warnings than this are forgotten and given again: no service that works differs in so many ways. */
const maxRemembered = 1000;

/** Whether a warning was not given before. A service that changed a field would otherwise fill the log with one line a call. */
function isFirst(message: string, given: Set<string>): boolean {
  if (given.has(message)) return false;
  if (given.size >= maxRemembered) given.clear();
  given.add(message);
  return true;
}

/** Logs how a usable response deviates from the documentation or from the request. */
export function reportDifferences(
  { operation, idempotencyKey }: Pick<Call, 'operation' | 'idempotencyKey'>,
  config: ClientConfig,
  { deviations, tolerated }: Extract<Interpretation<unknown>, { ok: true }>,
): void {
  const { logger } = config;
  if (deviations.length > 0) {
    const message = `billpay ${operation}: the response differs from what is documented in ${deviations.join(', ')}`;
    logger[isFirst(message, config.warnings) ? 'warn' : 'debug'](message, { operation, fields: deviations });
  }
  if (tolerated.length > 0) {
    const shown = tolerated.map(({ field, asked, echoed }) => ({
      field,
      asked: shownValue(field, asked, config.redactor),
      echoed: shownValue(field, echoed, config.redactor),
    }));
    const list = shown.map(({ field, asked, echoed }) => `${field} ${echoed} for ${asked}`);
    logger.info(
      `billpay ${operation}: the response has ${list.join(' and ')}, which is accepted as the same purchase`,
      { operation, idempotencyKey, differences: shown },
    );
  }
}

/**
 * Warns of a recipient that was probably pasted with its formatting. It is neither refused nor changed, because the formats of
 * recipients are for the service to judge.
 */
export function warnOfSeparators(config: ClientConfig, operation: string, recipient: string): void {
  config.logger.warn(
    `billpay ${operation}: the recipient contains blanks or separators; it is sent unchanged, and the service may refuse it`,
    { operation, recipient: mask(recipient) },
  );
}

/**
 * Warns, once for each client and name, of a biller that no list of the service names: it may be new, or misspelt. It is sent unchanged,
 * because the service decides.
 */
export function warnOfUnlistedBiller(
  config: ClientConfig,
  operation: string,
  product: Product,
  biller: string,
): void {
  if (!isUnlistedBiller(biller)) return;
  const message = `billpay ${operation}: the biller ${config.redactor.text(biller, 100)} is not documented, and is sent unchanged: ${billersOf(product)}`;
  if (!isFirst(message, config.warnings)) return;
  config.logger.warn(message, { operation });
}

/** The log lines of a call about its pacer. */
export const pacingLog = ({ logger }: ClientConfig, operation: string): PacingLog => ({
  failed: (name) =>
    logger.error(`billpay ${operation}: the pacer failed (${name}); the call continues without it`, {
      operation,
    }),
  shortened: (message) => logger.warn(`billpay ${operation}: ${message}`, { operation }),
});

/** Hides the middle of a caller's identifier: `0803****567`. */
export function mask(recipient: string): string {
  return recipient.length < 8
    ? '*'.repeat(recipient.length)
    : `${recipient.slice(0, 4)}${'*'.repeat(recipient.length - 7)}${recipient.slice(-3)}`;
}

/** One side of a difference as it may be printed. */
export const shownValue = (name: PurchaseDifference['field'], value: unknown, redactor: Redactor): string =>
  name === 'recipient' ? mask(String(value)) : redactor.text(String(value));
