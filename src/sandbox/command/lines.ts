import type { Paint } from '../../commands/terminal.js';
import { money } from '../../contract/money.js';
import { operations } from '../../contract/operations.js';
import { printable } from '../../utils/print.js';
import { readProperty } from '../../utils/unknown.js';
import type { SandboxActivity } from '../records/changes.js';
import type { SandboxDelivery, SandboxDeliveryAttempt } from '../records/delivery.js';
import type { SandboxRequest } from '../records/objects.js';
import { currentPrefix } from '../service/request.js';
import { faultEffects } from '../words.js';

/** One line for each request and for each webhook that was sent. All times are UTC and end in Z. */

/** Callers can put anything into a field: nothing that a terminal obeys, and no more than fits. */
function shown(value: unknown, length = 80): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const text = printable(String(value).replaceAll(/\s+/g, ' '));
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

const timeOf = (at: Date): string => `${at.toISOString().slice(11, 19)}Z`;

function paintedStatus(status: number | undefined, paint: Paint): string {
  if (status === undefined) return paint('red', '---');
  return paint(status < 400 ? 'green' : status < 500 ? 'yellow' : 'red', String(status));
}

const joined = (parts: readonly (string | false | undefined)[]): string => parts.filter(Boolean).join(' ');

/** Why a request was refused: `VALIDATION_FAILED: recipient: is required`. */
function refusalIn({ response }: SandboxRequest): string | undefined {
  if (!response || response.status < 400) return undefined;
  const { body } = response;
  const code = shown(readProperty(body, 'code'));
  const errors = Object.entries(readProperty(body, 'errors') ?? {});
  const reason =
    errors.map(([field, problem]) => `${field}: ${problem}`).join('; ') || readProperty(body, 'message');
  return shown(joined([code && `${code}:`, shown(reason, 200) || 'not the error of the service']), 240);
}

/** What came in, and its outcome: `202 airtime/purchase MTN 08031234567 NGN 500.00 TXN-… accepted`. */
function requestLine(request: SandboxRequest, paint: Paint): string {
  const { method, path, operation, body, query, response, reference, replayed, outcome, fault } = request;
  const call = operation && operations[operation];
  const label = call && path === currentPrefix + call.path ? call.path.slice(1) : `${method} ${shown(path)}`;
  const isPurchase = call?.kind === 'purchase';
  const amount = readProperty(readProperty(response?.body, 'data'), 'amount');
  const isWhole = outcome === 'complete';
  return joined([
    paintedStatus(outcome === 'closed' ? undefined : response?.status, paint),
    method === '' ? 'a request that could not be read' : label,
    shown(readProperty(body, 'biller') ?? query['biller']),
    shown(readProperty(body, 'recipient')),
    isPurchase && typeof amount === 'number' && `NGN ${money(amount)}`,
    reference,
    isPurchase && reference && (replayed ? 'repeated, not charged again' : 'accepted'),
    isPurchase && !reference && 'refused',
    isWhole && refusalIn(request),
    !isWhole && (outcome === 'cut' ? 'the response was cut off' : 'the connection was closed'),
    fault && paint('dim', `[fault: ${shown(faultEffects(fault))}]`),
    ...request.warnings.map(({ message }) => paint('yellow', `[${shown(message, 200)}]`)),
  ]);
}

/** What was sent, and what the receiver replied: `500 <- transaction.completed TXN-… "the database is down"`. */
function deliveryLine(
  { event, reference, nextAttemptAt, state }: SandboxDelivery,
  { status, error, reply, reason, number, delivered }: SandboxDeliveryAttempt,
  paint: Paint,
): string {
  return joined([
    delivered ? paint('green', String(status)) : paint('red', String(status ?? '---')),
    `<- ${event} ${reference}`,
    reason !== 'first' && `(${reason}, attempt ${number})`,
    shown(error),
    reply !== undefined && `"${shown(reply.trim())}"`,
    !delivered && nextAttemptAt && `next at ${nextAttemptAt.toISOString().slice(0, 19)}Z`,
    state === 'failed' && 'given up',
  ]);
}

/** The line of what happened; undefined for what has none. */
export function lineOf(activity: SandboxActivity, paint: Paint): string | undefined {
  const time = paint('dim', timeOf(activity.at));
  if (activity.type === 'request') return `${time} ${requestLine(activity.request, paint)}`;
  if (activity.type === 'delivery') {
    return `${time} ${deliveryLine(activity.delivery, activity.attempt, paint)}`;
  }
  return undefined;
}
