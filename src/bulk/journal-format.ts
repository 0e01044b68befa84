import { isRecord } from '../utils/is-record.js';
import { type BulkItem, itemErrors } from './item.js';
import { type JournalOutcome, type JournalSettlement, journalStates } from './journal.js';

/** One line of a journal file: a JSON object, ended by a line feed. */
export type JournalLine =
  | { readonly t: 'start'; readonly item: BulkItem }
  | ({ readonly t: 'end' } & JournalOutcome)
  | ({ readonly t: 'settled' } & JournalSettlement);

/** The beginning of each kind of line, as `encodeLine` writes it, by which a torn line is recognised. */
const beginnings = ['{"t":"start","item":{"product":"', '{"t":"end","state":"', '{"t":"settled","key":"'];

/** The bytes of a line. Fields are written in a fixed order, and only those of the format. */
export const encodeLine = (line: JournalLine): string => `${JSON.stringify(inOrder(line))}\n`;

function inOrder(line: JournalLine): object {
  if (line.t === 'start') {
    const { product, params, idempotency_key } = line.item;
    return { t: line.t, item: { product, params, idempotency_key } };
  }
  if (line.t === 'settled') {
    const { t, key, reference, status } = line;
    return { t, key, reference, status };
  }
  const { t, state, key } = line;
  if (line.state !== 'accepted') return { t, state, key, error: line.error };
  const { reference, amount } = line;
  return { t, state, key, reference, amount };
}

/** Reads a line without its line feed; undefined when it is not a journal's. */
export function decodeLine(text: string): JournalLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text may be the beginning of a line that a crash tore. A power cut may leave zeros behind it. */
export function isTornLine(text: string): boolean {
  const written = text.replace(/\0+$/, '');
  return beginnings.some((beginning) => written.startsWith(beginning) || beginning.startsWith(written));
}

function isLine(line: unknown): line is JournalLine {
  if (!isRecord(line)) return false;
  const { t, item, key, state, reference, amount } = line;
  if (t === 'start') return itemErrors(item) === undefined;
  if (typeof key !== 'string') return false;
  if (t === 'settled') return typeof reference === 'string';
  if (t !== 'end' || !journalStates.some((known) => known === state)) return false;
  return state !== 'accepted' || (typeof reference === 'string' && isAmount(amount));
}

/** In NGN; more than any purchase, and little enough for millions of them to be added up without loss. */
const maxAmount = 1e9;

/** Whether a value is an amount in NGN that can be added up. */
export const isAmount = (amount: unknown): amount is number =>
  typeof amount === 'number' && amount >= 0 && amount <= maxAmount;
