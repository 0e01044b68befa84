import { readProperty } from '../../utils/read-property.js';
import type { SandboxDelivery, SandboxDeliveryAttempt } from '../deliveries/delivery.js';
import type { PayloadDifference, SandboxWarning } from '../lab/warnings.js';
import type { SandboxActivity } from '../records/activity.js';
import type { SandboxRequest } from '../records/request-log.js';
import type { SandboxTransaction } from '../rules/transactions.js';
import { faultWords } from '../words/words.js';

/** What may be printed about an activity, by its JSON name: no key, no token, no whole recipient. */

/** Callers can put anything into a field, and a terminal obeys the control characters in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const maxTextLength = 80;

/** A text without what a terminal obeys. */
export const printable = (text: string): string => text.replace(unsafe, '?');

/** A text of a caller, as it may be printed. */
export function safe(text: string): string {
  const shown = printable(text);
  return shown.length > maxTextLength ? `${shown.slice(0, maxTextLength - 1)}…` : shown;
}

/** A phone, smartcard, meter or profile number by its last characters. */
const masked = (recipient: string, length = 4): string => `…${safe(recipient.slice(-length))}`;

/** A field of a request or a response that is a text, as it may be printed. */
function textOf(value: unknown, name: string): string | undefined {
  const field = readProperty(value, name);
  return typeof field === 'string' && field !== '' ? safe(field) : undefined;
}

/** A webhook's address without its query, which may hold a secret. */
function addressOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** The fields that a 422 names. */
function invalidFields(body: unknown): readonly string[] | undefined {
  const errors = readProperty(body, 'errors');
  return typeof errors === 'object' && errors !== null ? Object.keys(errors).map(safe) : undefined;
}

/** The two values of a field, masked where they are recipients, with as many characters as it takes to tell them apart. */
function shownDifference({ field, original, repeated }: PayloadDifference): PayloadDifference {
  if (field !== 'recipient') {
    const shown = (value: PayloadDifference['original']) => (typeof value === 'string' ? safe(value) : value);
    return { field, original: shown(original), repeated: shown(repeated) };
  }
  const [first, second] = [String(original), String(repeated)];
  let length = 4;
  while (first.slice(-length) === second.slice(-length) && length < Math.max(first.length, second.length)) {
    length += 1;
  }
  return { field, original: masked(first, length), repeated: masked(second, length) };
}

/** A warning, as it may be printed. */
function warningFacts({ code, message, differences }: SandboxWarning): SandboxWarning {
  return {
    code,
    message: printable(message),
    ...(differences && { differences: differences.map(shownDifference) }),
  };
}

/** A request that got its response. */
const requestFacts = (request: SandboxRequest) => {
  const { body, response } = request;
  const recipient = readProperty(body, 'recipient');
  const amount = readProperty(readProperty(response?.body, 'data'), 'amount');
  return {
    method: request.method,
    path: safe(request.path),
    ip: request.ip,
    operation: request.operation,
    outcome: request.outcome,
    status: response?.status,
    code: textOf(response?.body, 'code'),
    invalid_fields: invalidFields(response?.body),
    client_id: request.clientId && safe(request.clientId),
    biller: textOf(body, 'biller') ?? textOf(request.query, 'biller'),
    recipient: typeof recipient === 'string' && recipient !== '' ? masked(recipient) : undefined,
    amount: request.operation?.endsWith('.purchase') && typeof amount === 'number' ? amount : undefined,
    reference: request.reference,
    idempotency_key: request.idempotency_key && safe(request.idempotency_key),
    replayed: request.replayed || undefined,
    fault: request.fault && printable(faultWords(request.fault)),
    warnings: request.warnings.length > 0 ? request.warnings.map(warningFacts) : undefined,
    duration_ms: request.durationMs,
  };
};

/** A transaction that reached a final state. */
const settlementFacts = (transaction: SandboxTransaction) => ({
  reference: transaction.reference,
  client_id: transaction.clientId,
  state: transaction.status,
  refunded: transaction.refunded,
  operation: transaction.operation,
  biller: safe(transaction.biller),
  recipient: masked(transaction.recipient),
  amount: transaction.amount,
});

/** One attempt of a webhook delivery. */
const deliveryFacts = (delivery: SandboxDelivery, attempt: SandboxDeliveryAttempt) => ({
  delivery_id: delivery.id,
  event: delivery.event,
  reference: delivery.reference,
  client_id: delivery.clientId,
  url: addressOf(attempt.url),
  attempt: attempt.number,
  reason: attempt.reason,
  corruption: attempt.corruption,
  delivered: attempt.delivered,
  status: attempt.status,
  error: attempt.error,
  next_attempt_at: delivery.nextAttemptAt,
  duration_ms: attempt.durationMs,
});

/** What is printed of an activity; undefined where nothing is. */
export function factsOf(activity: SandboxActivity) {
  const { type, at } = activity;
  if (type === 'request') return { type, at, ...requestFacts(activity.request) };
  if (type === 'delivery') return { type, at, ...deliveryFacts(activity.delivery, activity.attempt) };
  return type === 'transaction' && activity.change === 'settled'
    ? { type: 'settlement' as const, at, ...settlementFacts(activity.transaction) }
    : undefined;
}
