import type { FaultOptions } from '../../service/fault-options.js';
import { faultTarget, faultWords, money, productNames } from '../../words/words.js';
import type { Attempt, Delivery, Fault, LoggedRequest, Sale } from './resources.js';

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

/** `09:30:00` today, `01-31 09:30` on another day; UTC. */
export function shortTime(at: string, now = new Date()): string {
  const text = dateOf(at).toISOString();
  const isToday = text.slice(0, 10) === now.toISOString().slice(0, 10);
  return isToday ? text.slice(11, 19) : text.slice(5, 16).replace('T', ' ');
}

/** `2026-01-31 09:30:00.000 UTC` */
export const longTime = (at: string): string =>
  `${dateOf(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`;

/** Phones, smartcards and meters belong to customers: a list shows their last four characters. */
export const masked = (recipient: unknown): string => {
  const text = String(recipient);
  return text.length <= 4 ? text : `…${text.slice(-4)}`;
};

/** Callers can put anything into a field: a table shows the beginning of it. */
export const brief = (text: string, length = 40): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

export const naira = (amount: unknown): string =>
  typeof amount === 'number' ? `NGN ${money(amount)}` : `NGN ${brief(String(amount), 16)}`;

export const saleProduct = ({ product, biller }: Pick<Sale, 'product' | 'biller'>): string =>
  `${productNames[product]} ${brief(biller, 20)}`;

export function saleState({ state, refunded, settles_at }: Sale): Worded {
  if (state === 'success') return { text: 'success', tone: 'good' };
  if (state === 'failed') return { text: refunded ? 'failed, refunded' : 'failed', tone: 'bad' };
  return {
    text: settles_at === null ? 'pending' : `pending, settles ${shortTime(settles_at)}`,
    tone: 'wait',
  };
}

/** How an attempt ended: `200`, `500`, `no response`. */
export const attemptEnd = ({ status, error }: Pick<Attempt, 'status' | 'error'>): string =>
  status === null ? `no response: ${error ?? 'the connection closed'}` : `response ${status}`;

/** A delivery is red from its first failed attempt until an attempt succeeds, also where an earlier attempt had succeeded. */
export function deliveryState(delivery: Omit<Delivery, 'attempts'>): Worded {
  const { state, last_delivered, next_attempt_at } = delivery;
  const last = delivery.last_status === null ? 'no response' : `response ${delivery.last_status}`;
  if (state === 'delivered') {
    return last_delivered === false
      ? { text: `delivered before, redelivery failed: ${last}`, tone: 'bad' }
      : { text: 'delivered', tone: 'good' };
  }
  if (state === 'failed') return { text: `given up: ${last}`, tone: 'bad' };
  if (last_delivered === null) return { text: 'being sent', tone: 'wait' };
  const next = next_attempt_at === null ? '' : `, next attempt ${shortTime(next_attempt_at)}`;
  return { text: `failing: ${last}${next}`, tone: 'bad' };
}

/** `airtime.purchase`, else the method and path. */
export const requestName = ({ operation, method, path }: LoggedRequest): string =>
  operation ?? brief(`${method} ${path}`.trim(), 60);

/** What was asked for: `MTN, …4567, NGN 500.00`. */
export const requestSubject = ({ biller, recipient, amount }: LoggedRequest): string =>
  [
    biller !== null && brief(String(biller), 20),
    recipient !== null && masked(recipient),
    amount !== null && naira(amount),
  ]
    .filter(Boolean)
    .join(', ');

/** How a request ended: `202 PROCESSING`, `connection closed`. */
export function requestOutcome({ status, code, outcome }: LoggedRequest): Worded {
  if (outcome === 'closed' || status === null) {
    return { text: 'no response, connection closed', tone: 'bad' };
  }
  const text = [status, typeof code === 'string' && brief(code, 32)].filter(Boolean).join(' ');
  if (outcome === 'cut') return { text: `${text}, body cut off`, tone: 'bad' };
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
export function requestNotes({ replayed, fault, warnings }: LoggedRequest): readonly Worded[] {
  const notes: Worded[] = [];
  if (fault) notes.push({ text: `fault: ${faultText(fault)}`, tone: 'wait' });
  const isOtherPayload = warnings.some(({ code }) => code === 'key-repeated-with-other-payload');
  if (replayed && !isOtherPayload) notes.push({ text: 'key repeated: not charged again', tone: 'plain' });
  for (const warning of warnings) notes.push({ text: warningText(warning), tone: 'wait' });
  return notes;
}

/** What a fault does. JSON has no Infinity, so `times` differs from the option in code. */
export const faultText = ({ times: _, ...fault }: Partial<Fault>): string =>
  faultWords(fault as FaultOptions);

/** Which requests a fault meets. */
export const faultTargetText = ({ times: _, ...fault }: Fault): string => faultTarget(fault as FaultOptions);

export const faultLeftText = ({ remaining, used }: Fault): string =>
  `${remaining === 'always' ? 'until turned off' : `${remaining} more`}, met ${used}`;

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
