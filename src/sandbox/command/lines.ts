import type { Paint } from '../../cli/terminal.js';
import type { SandboxDelivery, SandboxDeliveryAttempt } from '../deliveries/delivery.js';
import type { PayloadDifference, SandboxWarning, WarningCode } from '../lab/warnings.js';
import type { SandboxActivity } from '../records/activity.js';
import type { SandboxRequest } from '../records/request-log.js';
import type { SandboxTransaction } from '../rules/transactions.js';
import { money } from '../words/words.js';
import { addressOf, deliveryFacts, requestFacts, safe, settlementFacts, warningFacts } from './facts.js';

/** One line for each request, settlement and delivery attempt. All times are UTC and end in Z. */

/** `09:30:00Z`. */
const timeOf = (at: Date): string => `${at.toISOString().slice(11, 19)}Z`;

/** The time, with its date where that is another one than that of `now`. */
function dueTime(at: Date, now: Date): string {
  const [day, today] = [at.toISOString().slice(0, 10), now.toISOString().slice(0, 10)];
  return day === today ? timeOf(at) : `${day} ${timeOf(at)}`;
}

/** Where the text of a line begins: after `09:30:00Z `. Continued lines are indented to it. */
const indent = ' '.repeat(10);

const statusColour = (status: number): 'green' | 'yellow' | 'red' =>
  status < 400 ? 'green' : status < 500 ? 'yellow' : 'red';

/** `POST /api/v1/airtime/purchase`, or what stands for it where the request could not be parsed. */
const requestLabel = ({ method, path, ip }: SandboxRequest): string =>
  method === '' ? `a request that could not be read, from ${ip}` : `${method.padEnd(4)} ${safe(path)}`;

/** The line of a request, without its warnings. */
function requestLine(request: SandboxRequest, paint: Paint): string {
  const facts = requestFacts(request);
  const { response, outcome, warnings } = request;
  const status =
    response === undefined || outcome === 'closed'
      ? paint('red', '---')
      : paint(statusColour(response.status), `${response.status}`);
  const otherPayload = warnings.some(({ code }) => code === 'key-repeated-with-other-payload');
  const details = [
    facts.biller,
    facts.recipient,
    facts.amount !== undefined && `NGN ${money(facts.amount)}`,
    facts.reference,
    response !== undefined && response.status >= 400 && facts.code,
    facts.invalid_fields && `fields: ${facts.invalid_fields.join(', ')}`,
    outcome === 'cut' && 'cut off',
    outcome === 'closed' && 'connection closed',
    // The warning says it in more words.
    request.replayed && !otherPayload && 'key repeated, not charged again',
    facts.fault && `fault: ${facts.fault}`,
  ].filter(Boolean);
  return `${status} ${requestLabel(request)}  ${details.join('  ')}  ${paint('dim', `${request.durationMs} ms`)}`;
}

const shownValue = (value: PayloadDifference['original']): string =>
  value === undefined ? 'none' : String(value);

function differenceText({ field, original, repeated }: PayloadDifference): string {
  return `${field} was ${shownValue(original)}, this request says ${shownValue(repeated)}`;
}

/** A mistake is explained where it is met first, and only named by its code from then on. Values of a request are always shown. */
const needsLine = ({ code, differences }: SandboxWarning, explained: ReadonlySet<WarningCode>): boolean =>
  !explained.has(code) || differences !== undefined || code === 'unknown-field';

/** The text of a request: its line, and a line for each warning that needs one. */
function requestLines(request: SandboxRequest, explained: Set<WarningCode>, paint: Paint): readonly string[] {
  const shown = request.warnings.map(warningFacts);
  const inWords = shown.filter((warning) => needsLine(warning, explained));
  const codes = shown.filter((warning) => !inWords.includes(warning)).map(({ code }) => code);
  for (const { code } of shown) explained.add(code);
  const known = codes.length > 0 ? `  ${paint('yellow', `warnings: ${codes.join(', ')}`)}` : '';
  return [
    `${requestLine(request, paint)}${known}`,
    ...inWords.map(({ message, differences }) => {
      const values = differences ? ` (${differences.map(differenceText).join('; ')})` : '';
      return `${indent}${paint('yellow', `warning: ${message}${values}`)}`;
    }),
  ];
}

function settlementLine(transaction: SandboxTransaction, paint: Paint): string {
  const { status, reference, refunded } = transaction;
  const facts = settlementFacts(transaction);
  const amount = `NGN ${money(transaction.amount)}`;
  const details = [reference, facts.biller, facts.recipient, refunded ? `${amount} refunded` : amount];
  const shown = paint(status === 'success' ? 'green' : 'yellow', status);
  return `    ${paint('cyan', 'settled')} as ${shown}  ${details.join('  ')}`;
}

function deliveryLine(
  delivery: SandboxDelivery,
  attempt: SandboxDeliveryAttempt,
  now: Date,
  paint: Paint,
): string {
  const { status, delivered, reason } = attempt;
  const isScheduled = reason === 'first' || reason === 'retry';
  const next = delivery.nextAttemptAt;
  const details = [
    delivery.reference,
    `attempt ${attempt.number}${reason === 'first' ? '' : ` (${reason})`}`,
    attempt.corruption,
    status === undefined && safe(String(attempt.error)),
    !delivered && 'not accepted',
    !delivered && next && `next at ${dueTime(next, now)}`,
    !delivered && isScheduled && delivery.state === 'failed' && 'given up',
  ].filter(Boolean);
  const shown = paint(delivered ? 'green' : 'red', status === undefined ? '---' : `${status}`);
  const where = `${paint('cyan', 'hook')} ${delivery.event} to ${addressOf(attempt.url)}`;
  return `${shown} ${where}  ${details.join('  ')}  ${paint('dim', `${attempt.durationMs} ms`)}`;
}

/** Returns the text of each activity that is printed, undefined for the others. A text may have several lines. */
export function readableLines(paint: Paint): (activity: SandboxActivity) => string | undefined {
  const explained = new Set<WarningCode>();
  return (activity) => {
    const text = textOf(activity, explained, paint);
    return text && `${paint('dim', timeOf(activity.at))} ${text}`;
  };
}

function textOf(activity: SandboxActivity, explained: Set<WarningCode>, paint: Paint): string | undefined {
  switch (activity.type) {
    case 'request':
      return requestLines(activity.request, explained, paint).join('\n');
    case 'transaction':
      return activity.change === 'settled' ? settlementLine(activity.transaction, paint) : undefined;
    case 'delivery':
      return deliveryLine(activity.delivery, activity.attempt, activity.at, paint);
    default:
      return undefined;
  }
}

/** The same as one JSON object. */
export function jsonLine(activity: SandboxActivity): string | undefined {
  const facts = factsOf(activity);
  return facts && JSON.stringify(facts);
}

function factsOf(activity: SandboxActivity): object | undefined {
  const { at } = activity;
  switch (activity.type) {
    case 'request':
      return { type: 'request', at, ...requestFacts(activity.request) };
    case 'transaction':
      return activity.change === 'settled'
        ? { type: 'settlement', at, ...settlementFacts(activity.transaction) }
        : undefined;
    case 'delivery':
      return { type: 'delivery', at, ...deliveryFacts(activity.delivery, activity.attempt) };
    default:
      return undefined;
  }
}
