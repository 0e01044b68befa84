import type { BillPayError } from '../errors/base.js';
import type { AttemptRecord } from '../options.js';
import type { PacingLog } from '../pacing/turn.js';
import type { Redactor } from '../redaction/redactor.js';
import { callSafely } from '../utils/call-safely.js';
import { nameOfThrown } from '../utils/is-error.js';
import { isLogged } from '../utils/logger.js';
import type { ClientConfig } from './client-config.js';
import { clientLogger } from './client-logger.js';
import { type AttemptOutcome, codeOf } from './outcome.js';
import type { PreparedCall } from './prepared-call.js';

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

/** The log lines of a call about its pacer. */
export const pacingLog = (config: ClientConfig, operation: string): PacingLog => ({
  failed: (name) =>
    clientLogger(config).error(
      `billpay ${operation}: the pacer failed (${name}); the call continues without it`,
      {
        operation,
      },
    ),
  shortened: (message) => clientLogger(config).warn(`billpay ${operation}: ${message}`, { operation }),
});
