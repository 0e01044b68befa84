import type { WebhookEvent } from '../contract/events.js';
import { webhookSecretPrefix } from '../contract/vocabulary.js';
import { WebhookVerificationError } from '../errors/webhook-errors.js';
import { createRedactor, secretsInToken } from '../redaction.js';
import { callSafely } from '../utils/functions.js';
import { isError, readProperty } from '../utils/unknown.js';
import { RetryLaterError } from './errors.js';
import type { ReceiverSettings, WebhookFailure, WebhookLogger } from './receiver-options.js';

/** Reports a failure. Never throws. */
export type Report = (error: unknown, failure: WebhookFailure) => void;

/** Each failure is one log line and one call of `onError`. A `RetryLaterError` is a normal case: a line at info level alone. */
export function createReporter({ logger, onError, secrets: whole }: ReceiverSettings): Report {
  // Libraries for webhooks strip the prefix of a secret.
  const secrets = whole.flatMap((secret) => [secret, secret.slice(webhookSecretPrefix.length)]);
  // The messages of verification are written in this package and quote nothing. Anybody can cause them, so they must be cheap.
  const cleanFor = (error: unknown, event: WebhookEvent | undefined): ((text: string) => string) =>
    error instanceof WebhookVerificationError
      ? (text) => text
      : createRedactor([...secrets, ...(event ? secretFieldsOf(event) : [])]).text;

  return (error, failure) => {
    callSafely(() => writeLine(logger, cleanFor(error, failure.event), error, failure));
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

/** Fields of a transaction that are no secret. Any other, such as the token, may be worth money. */
const plainFields = ['reference', 'status', 'service_type', 'amount', 'completed_at'];

const secretFieldsOf = ({ data }: WebhookEvent): string[] =>
  Object.entries(data).flatMap(([name, value]) =>
    plainFields.includes(name) || value === null ? [] : secretsInToken(value),
  );

/** Whatever a handler's error quotes: neither the event's token nor a secret of the subscription gets into the line. */
function writeLine(
  logger: WebhookLogger,
  clean: (text: string) => string,
  error: unknown,
  { stage, event }: WebhookFailure,
): unknown {
  const level = error instanceof RetryLaterError ? 'info' : levels[stage];
  const reason = verificationReason(error);
  const stack = level === 'error' ? stackOf(error) : undefined;
  return logger[level](`billpay webhooks: ${clean(summaryOf(error))}`, {
    stage,
    ...(reason && { reason }),
    ...(event && { event: event.event, reference: event.data.reference }),
    ...(stack && { stack: clean(stack) }),
  });
}

/** The reason of a `WebhookVerificationError`; undefined for any other error. */
export const verificationReason = (error: unknown) =>
  error instanceof WebhookVerificationError ? error.reason : undefined;

/** The name and message of an error, or the text of any other value. Never throws, as the getters of an error may. */
function summaryOf(error: unknown): string {
  try {
    return isError(error) ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return 'an error that cannot be read';
  }
}

/** A chain of causes may be endless. */
const maxCauses = 5;

/** The stacks of an error and of its causes, as far as they can be read; undefined when there is none. */
function stackOf(error: unknown): string | undefined {
  const stacks: string[] = [];
  let at = error;
  while (isError(at) && stacks.length <= maxCauses) {
    const stack = readProperty(at, 'stack');
    if (typeof stack !== 'string') break;
    stacks.push(stack);
    at = readProperty(at, 'cause');
  }
  return stacks.length === 0 ? undefined : stacks.join('\ncaused by: ');
}
