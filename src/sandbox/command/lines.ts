import { wrapped } from '../../cli/columns.js';
import type { Paint } from '../../cli/terminal.js';
import { type OperationName, operations } from '../../contract/operations.js';
import type { PayloadDifference, SandboxWarning, WarningCode } from '../lab/warnings.js';
import type { SandboxActivity } from '../records/activity.js';
import { currentPrefix } from '../rules/routes.js';
import { money } from '../words/words.js';
import { factsOf, safe } from './facts.js';

/**
 * One line for each request, settlement and delivery attempt, and below it what needs more words. No line is longer than 80 characters.
 * All times are UTC and end in Z.
 */

type Facts = NonNullable<ReturnType<typeof factsOf>>;
type FactsOf<Type extends Facts['type']> = Extract<Facts, { readonly type: Type }>;

/** Where the text of a line begins: after `09:30:00Z `. */
const indent = ' '.repeat(10);
const textWidth = 80 - indent.length;

/** A shorter duration is left out where the line has no room for it. */
const longMs = 1000;

/** `09:30:00Z`. */
const timeOf = (at: Date): string => `${at.toISOString().slice(11, 19)}Z`;

/** The time, with its date where that is another one than that of `now`. */
function dueTime(at: Date, now: Date): string {
  const [day, today] = [at.toISOString().slice(0, 10), now.toISOString().slice(0, 10)];
  return day === today ? timeOf(at) : `${day} ${timeOf(at)}`;
}

/** Texts in lines that fit behind the time; what is missing is left out. */
const fitting = (...texts: readonly unknown[]): readonly string[] =>
  wrapped(texts.filter(Boolean).join(' '), textWidth);

/** The same with a duration at the end. */
function timed(durationMs: number, paint: Paint, ...texts: readonly unknown[]): readonly string[] {
  const lines = fitting(...texts);
  const withTime = fitting(...texts, paint('dim', `${durationMs} ms`));
  return withTime.length === lines.length || durationMs >= longMs ? withTime : lines;
}

const statusColour = (status: number): 'green' | 'yellow' | 'red' =>
  status < 400 ? 'green' : status < 500 ? 'yellow' : 'red';

/** `airtime/purchase`; a request that is none of the calls, or not quite, is shown as it came. */
export function requestLabel({
  method,
  path,
  operation,
}: {
  readonly method: string;
  readonly path: string;
  readonly operation?: OperationName | null | undefined;
}): string {
  const call = operation && operations[operation];
  const isAsDocumented = call?.method === method && path === currentPrefix + call.path;
  return isAsDocumented ? call.path.slice(1) : `${method} ${path}`;
}

const shownValue = (value: PayloadDifference['original']): string =>
  value === undefined ? 'none' : String(value);

function differenceText({ field, original, repeated }: PayloadDifference): string {
  return `${field} was ${shownValue(original)}, this request says ${shownValue(repeated)}`;
}

/** A mistake is explained where it is met first, and only named by its code from then on. Values of a request are always shown. */
const needsLine = ({ code, differences }: SandboxWarning, explained: ReadonlySet<WarningCode>): boolean =>
  !explained.has(code) || differences !== undefined || code === 'unknown-field';

/** A sentence for each warning that needs one, and the codes of the others. */
function warningTexts(warnings: readonly SandboxWarning[], explained: Set<WarningCode>): readonly string[] {
  const inWords = warnings.filter((warning) => needsLine(warning, explained));
  const codes = warnings.filter((warning) => !inWords.includes(warning)).map(({ code }) => code);
  for (const { code } of warnings) explained.add(code);
  const sentences = inWords.map(({ message, differences }) => {
    const values = differences ? ` (${differences.map(differenceText).join('; ')})` : '';
    return `warning: ${message}${values}`;
  });
  return codes.length > 0 ? [`warnings: ${codes.join(', ')}`, ...sentences] : sentences;
}

function requestLines(
  facts: FactsOf<'request'>,
  explained: Set<WarningCode>,
  paint: Paint,
): readonly string[] {
  const { status, outcome, warnings = [], amount } = facts;
  const isRefused = status !== undefined && status >= 400;
  // The warning says it in more words.
  const otherPayload = warnings.some(({ code }) => code === 'key-repeated-with-other-payload');
  return [
    ...timed(
      facts.duration_ms,
      paint,
      status === undefined || outcome === 'closed'
        ? paint('red', '---')
        : paint(statusColour(status), `${status}`),
      facts.method === '' ? `a request that could not be read, from ${facts.ip}` : requestLabel(facts),
      facts.biller,
      facts.recipient,
      amount !== undefined && `NGN ${money(amount)}`,
      facts.reference,
      isRefused && facts.code,
      facts.invalid_fields && `fields: ${facts.invalid_fields.join(', ')}`,
      outcome === 'cut' && 'cut off',
      outcome === 'closed' && 'connection closed',
    ),
    ...fitting(facts.replayed && !otherPayload && 'key repeated, not charged again'),
    ...fitting(facts.fault && `fault: ${facts.fault}`),
    ...warningTexts(warnings, explained)
      .flatMap((text) => fitting(text))
      .map((line) => paint('yellow', line)),
  ];
}

function settlementLines(facts: FactsOf<'settlement'>, paint: Paint): readonly string[] {
  const { state, refunded, reference, biller, recipient } = facts;
  const end = paint(state === 'success' ? 'green' : 'yellow', refunded ? `${state}, refunded` : state);
  return fitting('   ', end, reference, biller, recipient, `NGN ${money(facts.amount)}`);
}

function deliveryLines(facts: FactsOf<'delivery'>, paint: Paint): readonly string[] {
  const { status, delivered, reason, corruption, url, next_attempt_at: next } = facts;
  const isScheduled = reason === 'first' || reason === 'retry';
  const which = reason === 'first' ? '' : ` (${reason})`;
  const details = [
    `attempt ${facts.attempt}${which} to ${url}`,
    corruption,
    status === undefined && safe(String(facts.error)),
    !delivered && next && `next at ${dueTime(next, facts.at)}`,
    !delivered && isScheduled && !next && 'given up',
  ].filter(Boolean);
  const shown = paint(delivered ? 'green' : 'red', `${status ?? '---'}`);
  return [
    ...timed(facts.duration_ms, paint, shown, '<-', facts.event, facts.reference),
    ...(delivered && reason === 'first' && !corruption ? [] : fitting(details.join(', '))),
  ];
}

/** Returns the text of each activity that is printed, undefined for the others. A text may have several lines. */
export function readableLines(paint: Paint): (activity: SandboxActivity) => string | undefined {
  const explained = new Set<WarningCode>();
  const linesOf = (facts: Facts): readonly string[] => {
    switch (facts.type) {
      case 'request':
        return requestLines(facts, explained, paint);
      case 'settlement':
        return settlementLines(facts, paint);
      case 'delivery':
        return deliveryLines(facts, paint);
    }
  };
  return (activity) => {
    const facts = factsOf(activity);
    return facts && `${paint('dim', timeOf(facts.at))} ${linesOf(facts).join(`\n${indent}`)}`;
  };
}

/** The same as one JSON object. */
export function jsonLine(activity: SandboxActivity): string | undefined {
  const facts = factsOf(activity);
  return facts && JSON.stringify(facts);
}
