import { field } from '../utils/unknown.js';
import { toKobo } from './money.js';
import type { PurchaseDifference } from './responses.js';
import { commission, isDocumentedBiller, lettersAndDigits } from './vocabulary.js';

/** What a purchase response echoes differently from what was asked. */
export interface EchoComparison {
  /** Differences that another purchase explains, and nothing else does: the key had been used before. */
  readonly conflicts: readonly PurchaseDifference[];
  /** Differences that docs/service.md leaves room for: commission, a fee, rounding, a masked recipient, another name of a biller, a ported number. */
  readonly tolerated: readonly PurchaseDifference[];
}

/**
 * Compares the echo of a purchase with what was asked. The service returns the original transaction for a repeated idempotency_key,
 * whatever the new payload says (docs/service.md, "Idempotency rules", rule 1), so a difference is the only sign of a reused key.
 *
 * | field | differs only if |
 * |---|---|
 * | biller | both names are documented and not the same; with airtime a full match of the phone number and an amount within the room excuse it, because numbers are ported |
 * | recipient | neither is the other in another form: masked, with a prefix, suffix or country code, without leading zeros |
 * | amount | it is lower or higher by more than a tenth or 150 NGN, whichever is less, after rounding to a whole NGN in its favour |
 *
 * Fields that are absent, empty or unreadable on either side are not compared.
 */
export function compareEcho(product: string, asked: object, echoed: object): EchoComparison {
  // As almost always.
  if (comparedFields.every((name) => field(asked, name) === field(echoed, name))) return noDifferences;
  const recipient = compareRecipient(product, asked, echoed);
  const amount = compareAmount(asked, echoed);
  const mayBePorted =
    product === 'airtime' && recipient === 'same' && amount !== 'unknown' && amount !== 'conflict';
  const biller = compareBiller(asked, echoed, mayBePorted);
  const results = { biller, recipient, amount };
  const differing = comparedFields.filter((name) => isWrittenDifferently[name](asked, echoed, results[name]));
  const differences = (isConflict: boolean) =>
    differing
      .filter((name) => (results[name] === 'conflict') === isConflict)
      .map((name) => difference(name, asked, echoed));
  return { conflicts: differences(true), tolerated: differences(false) };
}

const comparedFields = ['biller', 'recipient', 'amount'] as const;

/** The echo reads as what was asked. */
export const noDifferences: EchoComparison = { conflicts: [], tolerated: [] };

/** `same` is evidence that it is the same purchase; `unknown` is no evidence at all. */
type FieldResult = 'same' | 'tolerated' | 'conflict' | 'unknown';

type IsDifferent = (asked: object, echoed: object, result: FieldResult) => boolean;

/** Whether the echo reads otherwise than what was asked. Case, separators in a biller's name and the form of a number do not count. */
const isWrittenDifferently: Readonly<Record<PurchaseDifference['field'], IsDifferent>> = {
  biller: (asked, echoed) => {
    const [wanted, got] = [asked, echoed].map((fields) => lettersAndDigits(field(fields, 'biller')));
    return wanted !== '' && got !== '' && wanted !== got;
  },
  recipient: (asked, echoed) => {
    const [wanted, got] = [asked, echoed].map((fields) => readableText(field(fields, 'recipient')));
    return wanted !== '' && got !== '' && wanted !== got;
  },
  amount: (_asked, _echoed, result) => result === 'tolerated' || result === 'conflict',
};

const difference = (
  name: PurchaseDifference['field'],
  asked: object,
  echoed: object,
): PurchaseDifference => ({
  field: name,
  asked: field(asked, name),
  echoed: field(echoed, name),
});

/** Billers that docs/service.md does not name go by several names (9MOBILE is now T2), and are not compared. */
function compareBiller(asked: object, echoed: object, mayBePorted: boolean): FieldResult {
  const wanted = lettersAndDigits(field(asked, 'biller'));
  const got = lettersAndDigits(field(echoed, 'biller'));
  if (!isDocumentedBiller(wanted) || !isDocumentedBiller(got)) return 'unknown';
  if (wanted === got) return 'same';
  return mayBePorted ? 'tolerated' : 'conflict';
}

/** Education recipients are profile IDs, except for WAEC, whose PINs go to a phone (docs/service.md, `recipient`). */
const isPhone = (product: string, biller: unknown): boolean =>
  product === 'airtime' || product === 'data' || (product === 'edu' && lettersAndDigits(biller) === 'WAEC');

function compareRecipient(product: string, asked: object, echoed: object): FieldResult {
  const phone = isPhone(product, field(asked, 'biller'));
  return compareRecipients(field(asked, 'recipient'), field(echoed, 'recipient'), phone);
}

function compareAmount(asked: object, echoed: object): FieldResult {
  const wanted = numberIn(field(asked, 'amount'));
  const got = numberIn(field(echoed, 'amount'));
  if (wanted === undefined || got === undefined) return 'unknown';
  if (toKobo(wanted) === toKobo(got)) return 'same';
  const lowest = Math.floor(Math.max((wanted * 9) / 10, wanted - commission.capNgn));
  const highest = Math.ceil(Math.min((wanted * 11) / 10, wanted + commission.capNgn));
  return lowest <= got && got <= highest ? 'tolerated' : 'conflict';
}

/** Text, or a whole number. One beyond the safe integers has lost digits, and is not compared. */
const readableText = (value: unknown): string =>
  typeof value === 'string' || Number.isSafeInteger(value) ? String(value).trim() : '';

/** A finite number, also where it comes as text; `1,000.00` is not read. */
function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/**
 * A difference in one line, its values as `show` writes them. Where it hides what differs, the positions are named, so that no text says
 * that a value and the same value differ.
 */
export function describeDifference(
  { field: name, asked, echoed }: PurchaseDifference,
  show: (name: PurchaseDifference['field'], value: unknown) => string,
): string {
  const [wanted, got] = [show(name, asked), show(name, echoed)];
  return wanted === got
    ? `${name} ${wanted} was asked, and the one that came back differs in ${positionsOf(String(asked), String(echoed))}, which is hidden here`
    : `${name} ${wanted} was asked, ${got} came back`;
}

/** `character 6`, or `characters 6, 7`: where two texts differ, counted from 1. */
function positionsOf(one: string, other: string): string {
  const positions = Array.from({ length: Math.max(one.length, other.length) }, (_, at) => at + 1).filter(
    (position) => one[position - 1] !== other[position - 1],
  );
  return `character${positions.length === 1 ? '' : 's'} ${positions.join(', ')}`;
}

/** How an echoed recipient relates to the requested one. */
export type RecipientMatch =
  /** The same recipient, shown in full. */
  | 'same'
  /** It may be the same: masked, shortened, absent or unreadable. */
  | 'unknown'
  /** Clearly another recipient. */
  | 'conflict';

/**
 * Compares recipients in all the forms in which the service may echo one: masked (`080****4567`), with a country code, with text
 * or digits before or after it (`METER 45700123456`), only its last digits, or without leading zeros, which a number loses.
 *
 * @param isPhone - whether a Nigerian country code and a leading zero are equivalent.
 */
export function compareRecipients(asked: unknown, echoed: unknown, isPhone: boolean): RecipientMatch {
  // Letters are not compared where the recipient has none: `45700123456 (IKEDC PREPAID)`.
  const text = readableText(asked);
  const keep = isPhone || !/\p{L}/u.test(text) ? digits : lettersAndDigits;
  const wanted = keep(text);
  const parts = readableText(echoed).split(maskRun).map(keep);
  if (wanted === '' || parts.every((part) => part === '')) return 'unknown';
  const core = isPhone ? withoutZeros(wanted.slice(-phoneDigits)) : withoutZeros(wanted);
  return parts.length === 1
    ? compareWhole(core, parts[0] ?? '')
    : formsOf(wanted, core, isPhone).some((form) => matchesMask(form, parts))
      ? 'unknown'
      : 'conflict';
}

/** A Nigerian number without its country code or leading zero. */
const phoneDigits = 10;

/** Fewer characters than this do not show that one recipient is part of another. */
const minimumPart = 4;

function compareWhole(core: string, shown: string): RecipientMatch {
  const got = withoutZeros(shown);
  if (core === got) return 'same';
  if (core.length >= minimumPart && got.includes(core)) return 'same';
  return shown.length >= minimumPart && core.endsWith(shown) ? 'unknown' : 'conflict';
}

/** The forms that a recipient may have before it is masked. */
const formsOf = (wanted: string, core: string, isPhone: boolean): readonly string[] =>
  isPhone ? [wanted, core, `0${core}`, `234${core}`] : [wanted, core];

/** Whether a recipient contains the visible parts of a masked one in their order, the first at its start and the last at its end. */
function matchesMask(recipient: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (!recipient.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = recipient.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return recipient.length - last.length >= at && recipient.endsWith(last);
}

/** Characters that replace hidden ones. A single dot, dash or x is a separator or a letter. */
const maskRun = /[*•●…]+|#+|[xX]{2,}|\.{2,}|_{2,}|-{2,}/;

const digits = (text: string): string => text.replace(/\D/g, '');
const withoutZeros = (text: string): string => text.replace(/^0+/, '');
