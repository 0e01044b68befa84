import type { BillPayError } from '../errors/base.js';
import { nameOfThrown } from '../errors/is-error.js';
import type { Redactor } from '../errors/redact.js';
import type { AttemptRecord } from '../options.js';
import { callSafely } from '../utils/call-safely.js';
import { isLogged } from '../utils/logger.js';
import type { ClientConfig } from './client-config.js';
import { clientLogger } from './client-logger.js';
import type { Interpretation } from './interpretation.js';
import { type AttemptOutcome, codeOf } from './outcome.js';
import type { PreparedCall } from './prepared-call.js';

/** Hides the middle of a caller's identifier: `0803****567`. */
export function mask(recipient: string): string {
  return recipient.length < 8
    ? '*'.repeat(recipient.length)
    : `${recipient.slice(0, 4)}${'*'.repeat(recipient.length - 7)}${recipient.slice(-3)}`;
}

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
  /** ms waited for a turn at the pacer. */
  readonly waitedMs?: number | undefined;
  readonly durationMs: number;
  /** ms until the next attempt; undefined where there is none. */
  readonly retryInMs?: number | undefined;
  readonly error?: BillPayError | undefined;
}

/** What is logged of a call. */
type LoggedCall = Pick<
  PreparedCall<unknown>,
  'operation' | 'wire' | 'path' | 'idempotencyKey' | 'maskedRecipient'
>;

/** Hands an attempt to `onAttempt` and to the logger. Neither can break the call. */
export function reportAttempt(call: LoggedCall, config: ClientConfig, end: AttemptEnd): void {
  const level = end.error ? 'info' : 'debug';
  // By default neither listens, and a record costs time.
  if (!config.onAttempt && !isLogged(level, config.logLevel)) return;
  const record = recordOf(call, end, config.redactor);
  const logger = clientLogger(config);
  callSafely(
    () => config.onAttempt?.(record),
    (error) => {
      const name = config.redactor.text(nameOfThrown(error));
      logger.error(`billpay onAttempt threw (${name}); the call continues`, { operation: call.operation });
    },
  );
  const recipient = call.maskedRecipient;
  logger[level](attemptLine(record), recipient === undefined ? record : { ...record, recipient });
}

function recordOf(call: LoggedCall, end: AttemptEnd, redactor: Redactor): AttemptRecord {
  const { outcome, waitedMs, retryInMs, error } = end;
  const code = outcome.kind === 'response' ? codeOf(outcome.json) : undefined;
  return {
    operation: call.operation,
    attempt: end.attempt,
    method: call.wire.method,
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

/** Logs in what a usable response differs from the documents or from what was asked. */
export function reportDifferences(
  { operation, idempotencyKey }: LoggedCall,
  config: ClientConfig,
  { deviations, tolerated }: Extract<Interpretation<unknown>, { ok: true }>,
): void {
  const logger = clientLogger(config);
  if (deviations.length > 0) {
    const message = `billpay ${operation}: the response differs from what is documented in ${deviations.join(', ')}`;
    logger[isFirst(message, config.warnings) ? 'warn' : 'debug'](message, { operation, fields: deviations });
  }
  if (tolerated.length > 0) {
    const list = tolerated.map(({ field, asked, echoed }) => `${field} ${echoed} for ${asked}`);
    logger.info(
      `billpay ${operation}: the response has ${config.redactor.text(list.join(' and '))}, which is accepted as the same sale`,
      { operation, idempotencyKey, differences: tolerated },
    );
  }
}
