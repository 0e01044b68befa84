import { money } from '../../../contract/money.js';
import { isRecord } from '../../../utils/unknown.js';
import type { Json, Purchase } from '../../control/types.js';
import type { SandboxDeliveryAttempt } from '../../records/delivery.js';
import type { SandboxRequest, SandboxTransaction } from '../../records/objects.js';
import { faultEffects, productNames } from '../../words.js';

/** How the page puts the sandbox's objects into words. */

export type Transaction = Json<SandboxTransaction>;
export type Attempt = Json<SandboxDeliveryAttempt>;
export type LoggedRequest = Json<SandboxRequest>;
export type Refusal = Extract<Json<Purchase>, { readonly refusal: unknown }>['refusal'];

/** How a state is coloured, beside what it says. */
export type Tone = 'good' | 'bad' | 'wait' | 'plain';

export interface Worded {
  readonly text: string;
  readonly tone: Tone;
}

/** The service's times without a zone are UTC: `2026-01-31 09:30:00`. */
const dateOf = (at: string): Date =>
  new Date(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(at) ? `${at.replace(' ', 'T')}Z` : at);

/** `09:30:00.123` today, `01-31 09:30` on another day; UTC. */
export function shortTime(at: string, today: string): string {
  const text = dateOf(at).toISOString();
  return text.slice(0, 10) === today ? text.slice(11, 23) : text.slice(5, 16).replace('T', ' ');
}

/** `2026-01-31 09:30:00.000 UTC` */
export const longTime = (at: string): string =>
  `${dateOf(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`;

/** `now`, `in 40 s`, `in 4 min`, `in 6 h`, `in 2 days`. */
export function inTime(ms: number): string {
  if (ms < 1000) return 'now';
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `in ${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `in ${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `in ${hours} h` : `in ${Math.round(hours / 24)} days`;
}

/** Callers can put anything into a field: a table shows the beginning of it. */
export const brief = (text: string, length = 40): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** Money has this form wherever it is shown. */
export const naira = (amount: unknown): string =>
  typeof amount === 'number' ? `NGN ${money(amount)}` : `NGN ${brief(String(amount), 16)}`;

/** `Airtime MTN`; a refused purchase may have no biller, or a strange one. */
export const productText = (product: string, biller: unknown): string =>
  [
    productNames[product as keyof typeof productNames] ?? product,
    typeof biller === 'string' && brief(biller, 20),
  ]
    .filter(Boolean)
    .join(' ');

const states = {
  pending: { text: 'Pending', tone: 'wait' },
  success: { text: 'Success', tone: 'good' },
  failed: { text: 'Failed', tone: 'bad' },
  refused: { text: 'Refused', tone: 'bad' },
} as const satisfies Readonly<Record<string, Worded>>;

/** The state of a purchase. A failed one was refunded: that it has happened is in its timeline. */
export const stateOf = (status: keyof typeof states): Worded => states[status];

/** Why a purchase was refused: `402 INSUFFICIENT_BALANCE: the wallet holds NGN 5.00`. */
export function refusalText({ status, code, reason }: Partial<Refusal> & Pick<Refusal, 'reason'>): string {
  const what = [status, code].filter(Boolean).join(' ');
  return what ? `${what}: ${reason}` : reason;
}

/** How an attempt ended: `200`, or why there was no response. */
export const attemptEnd = ({ status, error }: Pick<Attempt, 'status' | 'error'>): string =>
  status === undefined ? `no response: ${error ?? 'the connection closed'}` : String(status);

const corruptionNames = { 'bad-signature': 'wrong signature', 'old-timestamp': 'old timestamp' } as const;

/** `Webhook sent`, `Webhook retry 1`, `Webhook sent again (wrong signature)`. */
export function attemptTitle(attempt: Attempt, all: readonly Attempt[]): string {
  const { number, reason, corruption } = attempt;
  const retries = all.filter((one) => one.reason === 'retry' && one.number <= number).length;
  const names = {
    first: 'sent',
    retry: `retry ${retries}`,
    duplicate: 'sent twice',
    redelivery: 'sent again',
  };
  return `Webhook ${names[reason]}${corruption === undefined ? '' : ` (${corruptionNames[corruption]})`}`;
}

/** `airtime.purchase`, else the method and path. */
export const requestName = ({
  operation,
  method,
  path,
}: Pick<LoggedRequest, 'operation' | 'method' | 'path'>): string =>
  operation ?? brief(`${method} ${path}`.trim(), 60);

/** A field of a JSON object; undefined where it is none. */
export const fieldOf = (body: unknown, name: string): unknown => (isRecord(body) ? body[name] : undefined);

/** `202 PROCESSING` */
const responseText = (
  response: { readonly status?: number; readonly body?: unknown } | undefined,
): string => {
  const code = fieldOf(response?.body, 'code');
  return [response?.status, typeof code === 'string' && brief(code, 32)].filter(Boolean).join(' ');
};

/** How a request ended: `202 PROCESSING`; where the response was lost, it was never received by the caller. */
export function requestOutcome({
  response,
  outcome,
  reference,
}: Pick<LoggedRequest, 'response' | 'outcome' | 'reference'>): Worded {
  const text = responseText(response);
  if (outcome === 'closed' || response === undefined) {
    const isLost = response !== undefined || reference !== undefined;
    return {
      text: isLost ? `${text || 'response'}, never received by the caller` : 'connection closed',
      tone: 'bad',
    };
  }
  if (outcome === 'cut') return { text: `${text}, cut off: never received whole by the caller`, tone: 'bad' };
  return { text, tone: response.status < 400 ? 'good' : 'bad' };
}

/** How a call from the page ended, as a program sees it. */
export function callOutcome(response: { readonly status?: number; readonly body?: unknown }): Worded {
  if (response.status === undefined) return { text: 'connection closed', tone: 'bad' };
  return { text: responseText(response), tone: response.status < 400 ? 'good' : 'bad' };
}

type Warning = LoggedRequest['warnings'][number];

/** `recipient: 08031234567 was bought, 08030000000 was asked for` */
export const differenceText = ({
  field,
  original,
  repeated,
}: NonNullable<Warning['differences']>[number]): string =>
  `${field}: ${brief(String(original ?? 'none'))} was bought, ${brief(String(repeated ?? 'none'))} was asked for`;

const warningText = ({ message, differences = [] }: Warning): string =>
  [message, ...differences.map(differenceText)].join('. ');

/** What was special about a request. */
export function requestNotes({
  replayed,
  fault,
  warnings,
}: Pick<LoggedRequest, 'replayed' | 'fault' | 'warnings'>): readonly Worded[] {
  const notes: Worded[] = [];
  if (fault) notes.push({ text: `fault: ${faultEffects(fault)}`, tone: 'wait' });
  const isOtherPayload = warnings.some(({ code }) => code === 'key-repeated-with-other-payload');
  if (replayed && !isOtherPayload) notes.push({ text: 'key repeated: not charged again', tone: 'plain' });
  for (const warning of warnings) notes.push({ text: warningText(warning), tone: 'wait' });
  return notes;
}

/** All notes in one line. */
export function notesLine(request: Pick<LoggedRequest, 'replayed' | 'fault' | 'warnings'>): Worded {
  const notes = requestNotes(request);
  const tone = notes.some((note) => note.tone === 'wait') ? 'wait' : 'plain';
  return { text: notes.map(({ text }) => text).join('; '), tone };
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
