import { styleText } from 'node:util';
import { faultWords, money } from '../console/words.js';
import type { SandboxActivity } from '../service/activity.js';
import type { SandboxDelivery, SandboxDeliveryAttempt } from '../service/delivery.js';
import type { SandboxRequest } from '../service/request-log.js';

/** One line for each request and delivery: what is worth money or names a customer does not stand in it. */

/** How a text is set off; nothing where there are no colours. */
export type Paint = (format: 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold', text: string) => string;

export const colours: Paint = (format, text) => styleText(format, text, { validateStream: false });
export const plain: Paint = (_, text) => text;

/** Callers can put anything into a field, and a terminal obeys what it is sent. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const mostText = 80;

function safe(text: string): string {
  const shown = text.replace(unsafe, '?');
  return shown.length > mostText ? `${shown.slice(0, mostText - 1)}…` : shown;
}

/** A phone, smartcard, meter or profile by its last four characters. */
const masked = (recipient: string): string => `…${safe(recipient.slice(-4))}`;

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined;

const textOf = (value: unknown, name: string): string | undefined => {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : undefined;
};

/** A webhook's address without what may be secret in it. */
const addressOf = (url: string): string => {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
};

/** What of a request may be told, by its JSON name. */
export function requestFacts(request: SandboxRequest): Record<string, unknown> {
  const { body, response } = request;
  const recipient = textOf(body, 'recipient');
  const amount = fieldOf(fieldOf(response?.body, 'data'), 'amount');
  return {
    method: request.method,
    path: safe(request.path),
    operation: request.operation,
    outcome: request.outcome,
    status: response?.status,
    code: textOf(response?.body, 'code'),
    client_id: request.clientId && safe(request.clientId),
    biller: safe(textOf(body, 'biller') ?? request.query['biller'] ?? '') || undefined,
    recipient: recipient && masked(recipient),
    amount: request.operation?.endsWith('.purchase') ? amount : undefined,
    reference: request.reference,
    idempotency_key: request.idempotency_key && safe(request.idempotency_key),
    replayed: request.replayed || undefined,
    fault: request.fault && faultWords(request.fault),
    duration_ms: request.durationMs,
  };
}

/** What of a delivery's attempt may be told, by its JSON name. */
export function deliveryFacts(
  delivery: SandboxDelivery,
  attempt: SandboxDeliveryAttempt,
): Record<string, unknown> {
  return {
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
  };
}

/** The local time of day, as the reader's own clock has it. */
const timeOf = (at: Date): string => at.toLocaleTimeString('en-GB');

const statusColour = (status: number): 'green' | 'yellow' | 'red' =>
  status < 400 ? 'green' : status < 500 ? 'yellow' : 'red';

function requestLine(request: SandboxRequest, paint: Paint): string {
  const facts = requestFacts(request);
  const { response, outcome } = request;
  const status =
    response === undefined || outcome === 'closed'
      ? paint('red', '---')
      : paint(statusColour(response.status), `${response.status}`);
  const details = [
    facts['biller'],
    facts['recipient'],
    typeof facts['amount'] === 'number' && `NGN ${money(facts['amount'])}`,
    facts['reference'],
    response !== undefined && response.status >= 400 && facts['code'],
    outcome === 'cut' && 'cut off',
    outcome === 'closed' && 'connection closed',
    request.replayed && 'key repeated, not charged again',
    facts['fault'] && `fault: ${facts['fault']}`,
  ].filter(Boolean);
  const path = safe(request.path);
  return `${status} ${request.method.padEnd(4)} ${path}  ${details.join('  ')}  ${paint('dim', `${request.durationMs} ms`)}`;
}

function deliveryLine(delivery: SandboxDelivery, attempt: SandboxDeliveryAttempt, paint: Paint): string {
  const { status, delivered } = attempt;
  const next = delivery.nextAttemptAt;
  const details = [
    delivery.reference,
    `attempt ${attempt.number}${attempt.reason === 'first' ? '' : ` (${attempt.reason})`}`,
    attempt.corruption,
    status === undefined && safe(String(attempt.error)),
    !delivered && next && `next at ${timeOf(next)}`,
    !delivered && delivery.state === 'failed' && 'given up',
  ].filter(Boolean);
  const shown = paint(delivered ? 'green' : 'red', status === undefined ? '---' : `${status}`);
  const where = `${paint('cyan', 'hook')} ${delivery.event} to ${addressOf(attempt.url)}`;
  return `${shown} ${where}  ${details.join('  ')}  ${paint('dim', `${attempt.durationMs} ms`)}`;
}

/** The line that an activity is worth, undefined for none. */
export function readableLine(activity: SandboxActivity, paint: Paint): string | undefined {
  const time = paint('dim', timeOf(activity.at));
  if (activity.type === 'request') return `${time} ${requestLine(activity.request, paint)}`;
  if (activity.type === 'delivery')
    return `${time} ${deliveryLine(activity.delivery, activity.attempt, paint)}`;
  return undefined;
}

/** The same for programs. */
export function jsonLine(activity: SandboxActivity): string | undefined {
  const { type, at } = activity;
  if (type === 'request') return JSON.stringify({ type, at, ...requestFacts(activity.request) });
  if (type === 'delivery') {
    return JSON.stringify({ type, at, ...deliveryFacts(activity.delivery, activity.attempt) });
  }
  return undefined;
}
