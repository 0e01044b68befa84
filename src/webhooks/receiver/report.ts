import { isError } from '../../errors/is-error.js';
import { redactText } from '../../errors/redact.js';
import { RetryLaterError, WebhookVerificationError } from '../../errors/webhook-errors.js';
import { callSafely } from '../../utils/call-safely.js';
import type { ReceiverSettings, WebhookFailure, WebhookLogger } from './receiver-options.js';

/** Reports a failure. Never throws. */
export type Report = (error: unknown, failure: WebhookFailure) => void;

/** Each failure is one log line and one call of `onError`. A `RetryLaterError` is a normal case: a line at info level alone. */
export function createReporter({ logger, onError }: ReceiverSettings): Report {
  return (error, failure) => {
    callSafely(() => writeLine(logger, error, failure));
    if (!(error instanceof RetryLaterError)) callSafely(() => onError?.(error, failure));
  };
}

/** Forged, late and broken deliveries are the sender's fault. The other stages need somebody to look at this server. */
const levels = {
  request: 'error',
  read: 'warn',
  verify: 'warn',
  dedupe: 'error',
  handle: 'error',
  timeout: 'warn',
} as const satisfies Record<WebhookFailure['stage'], keyof WebhookLogger>;

function writeLine(logger: WebhookLogger, error: unknown, { stage, event }: WebhookFailure): void {
  const level = error instanceof RetryLaterError ? 'info' : levels[stage];
  const stack = level === 'error' ? stackOf(error) : undefined;
  logger[level](`billpay webhooks: ${redactText(summaryOf(error))}`, {
    stage,
    reason: verificationReason(error),
    event: event?.event,
    reference: event?.data.reference,
    stack: stack && redactText(stack),
  });
}

/** The reason of a `WebhookVerificationError`; undefined for any other error. */
export const verificationReason = (error: unknown) =>
  error instanceof WebhookVerificationError ? error.reason : undefined;

/** Reads from an error that a handler or a store threw. Its getters, and the traps of a proxy, may throw in turn. */
function readSafely(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const summaryOf = (error: unknown): string =>
  readSafely(() => (isError(error) ? `${error.name}: ${error.message}` : String(error))) ??
  'an error that cannot be read';

/** A chain of causes may be endless. */
const maxCauses = 5;

/** The stack of an error and of its causes; undefined for anything that is not an error. */
function stackOf(error: unknown): string | undefined {
  const stacks: string[] = [];
  readSafely(() => {
    for (let cause = error; isError(cause) && stacks.length <= maxCauses; cause = cause.cause) {
      stacks.push(String(cause.stack));
    }
    return undefined;
  });
  return stacks.length === 0 ? undefined : stacks.join('\ncaused by: ');
}
