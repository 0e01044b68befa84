import { type DeliveryFacts, deliveryWords } from '../../words/webhooks.js';
import { faultWords, money, productNames } from '../../words/words.js';
import type { Attempt, LoggedRequest, Transaction } from './resources.js';

/** How the page puts resources into words. */

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

/** Callers can put anything into a field: a table shows the beginning of it. */
export const brief = (text: string, length = 40): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** Money has this form wherever it is shown. */
export const naira = (amount: unknown): string =>
  typeof amount === 'number' ? `NGN ${money(amount)}` : `NGN ${brief(String(amount), 16)}`;

/** `Airtime MTN` */
export const productText = ({ product, biller }: Pick<Transaction, 'product' | 'biller'>): string =>
  `${productNames[product]} ${brief(biller, 20)}`;

export function transactionState({ state, refunded }: Pick<Transaction, 'state' | 'refunded'>): Worded {
  if (state === 'success') return { text: 'Success', tone: 'good' };
  if (state === 'failed') return { text: refunded ? 'Refunded' : 'Failed', tone: 'bad' };
  return { text: 'Pending', tone: 'wait' };
}

/** How the webhook of a transaction is doing: `200`, or `503, again in 4 min`. */
export function webhookState(
  { delivery, state }: Pick<Transaction, 'state'> & { readonly delivery: DeliveryFacts | null },
  now: number,
): Worded {
  if (delivery) return deliveryState(delivery, now);
  return { text: state === 'pending' ? 'when settled' : 'not subscribed', tone: 'plain' };
}

/** A delivery is red from its first failed attempt until an attempt succeeds, also where an earlier attempt had succeeded. */
export function deliveryState(delivery: DeliveryFacts, now: number): Worded {
  const { last_delivered } = delivery;
  const tone = last_delivered === null ? 'wait' : last_delivered ? 'good' : 'bad';
  return { text: deliveryWords(delivery, now), tone };
}

/** How an attempt ended: `200`, or why there was no response. */
export const attemptEnd = ({ status, error }: Pick<Attempt, 'status' | 'error'>): string =>
  status === null ? `no response: ${error ?? 'the connection closed'}` : String(status);

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
  return `Webhook ${names[reason]}${corruption === null ? '' : ` (${corruptionNames[corruption]})`}`;
}

/** `airtime.purchase`, else the method and path. */
export const requestName = ({ operation, method, path }: LoggedRequest): string =>
  operation ?? brief(`${method} ${path}`.trim(), 60);

/** How a request ended: `202 PROCESSING`; where the response was lost, it was never received by the caller. */
export function requestOutcome({
  status,
  code,
  outcome,
  reference,
}: Pick<LoggedRequest, 'status' | 'code' | 'outcome' | 'reference'>): Worded {
  const text = [status, typeof code === 'string' && brief(code, 32)].filter(Boolean).join(' ');
  if (outcome === 'closed' || status === null) {
    const isLost = status !== null || reference !== null;
    const what = text || 'response';
    return { text: isLost ? `${what}, never received by the caller` : 'connection closed', tone: 'bad' };
  }
  if (outcome === 'cut') return { text: `${text}, cut off: never received whole by the caller`, tone: 'bad' };
  return { text, tone: status < 400 ? 'good' : 'bad' };
}

type Warning = LoggedRequest['warnings'][number];

/** `recipient: 08031234567 was bought, 08030000000 was asked for` */
export const differenceText = ({
  field,
  original,
  repeated,
}: NonNullable<Warning['differences']>[number]): string =>
  `${field}: ${brief(String(original ?? 'none'))} was bought, ${brief(String(repeated ?? 'none'))} was asked for`;

export const warningText = ({ message, differences = [] }: Warning): string =>
  [message, ...differences.map(differenceText)].join('. ');

/** What was special about a request. */
export function requestNotes({
  replayed,
  fault,
  warnings,
}: Pick<LoggedRequest, 'replayed' | 'fault' | 'warnings'>): readonly Worded[] {
  const notes: Worded[] = [];
  if (fault) {
    const { times: _, ...options } = fault;
    notes.push({ text: `fault: ${faultWords(options)}`, tone: 'wait' });
  }
  const isOtherPayload = warnings.some(({ code }) => code === 'key-repeated-with-other-payload');
  if (replayed && !isOtherPayload) notes.push({ text: 'key repeated: not charged again', tone: 'plain' });
  for (const warning of warnings) notes.push({ text: warningText(warning), tone: 'wait' });
  return notes;
}

/** All notes in one line. */
export function notesLine(request: LoggedRequest): Worded {
  const notes = requestNotes(request);
  const tone = notes.some((note) => note.tone === 'wait') ? 'wait' : 'plain';
  return { text: notes.map(({ text }) => text).join('; '), tone };
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
