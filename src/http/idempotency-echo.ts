import { commission } from '../contract/limits.js';
import { toKobo } from '../contract/money.js';
import { billers } from '../contract/vocabulary.js';
import type { PurchaseDifference } from '../errors/response-errors.js';
import { field } from '../utils/field.js';
import { compareRecipients } from './recipient-echo.js';

/** What a purchase response echoes differently from what was asked. */
export interface EchoComparison {
  /** Differences that another purchase explains, and nothing else does: the key had been used before. */
  readonly conflicts: readonly PurchaseDifference[];
  /** Differences that service.md leaves room for: commission, rounding, a ported number. */
  readonly tolerated: readonly PurchaseDifference[];
}

/**
 * Compares the echo of a purchase with what was asked. The service returns the original transaction for a repeated idempotency_key,
 * whatever the new payload says (service.md, "Idempotency rules", rule 1), so a difference is the only sign of a reused key.
 *
 * | field | differs only if |
 * |---|---|
 * | biller | both names are documented and not the same; with airtime a full match of the phone number and an amount within the room excuse it, because numbers are ported |
 * | recipient | neither is the other in another form: masked, with a prefix, suffix or country code, without leading zeros |
 * | amount | it is not between the asked amount less the commission (a tenth, at most 150 NGN) and the asked amount, both rounded outwards to whole NGN |
 *
 * Fields that are absent, empty or unreadable on either side are not compared.
 */
export function compareEcho(product: string, asked: object, echoed: object): EchoComparison {
  const recipient = compareRecipient(product, asked, echoed);
  const amount = compareAmount(asked, echoed);
  const mayBePorted =
    product === 'airtime' && recipient === 'same' && amount !== 'unknown' && amount !== 'conflict';
  const biller = compareBiller(asked, echoed, mayBePorted);
  const fields = { biller, recipient, amount };
  const differences = (result: FieldResult) =>
    comparedFields.filter((name) => fields[name] === result).map((name) => difference(name, asked, echoed));
  return { conflicts: differences('conflict'), tolerated: differences('tolerated') };
}

const comparedFields = ['biller', 'recipient', 'amount'] as const;

/** `same` is evidence that it is the same sale; `unknown` is no evidence at all. */
type FieldResult = 'same' | 'tolerated' | 'conflict' | 'unknown';

const difference = (
  name: PurchaseDifference['field'],
  asked: object,
  echoed: object,
): PurchaseDifference => ({
  field: name,
  asked: field(asked, name),
  echoed: field(echoed, name),
});

const documentedBillers = new Set<string>(Object.values(billers).flat());

/** Billers that service.md does not name go by several names (9MOBILE is now T2), and are not compared. */
function compareBiller(asked: object, echoed: object, mayBePorted: boolean): FieldResult {
  const wanted = alphanumeric(field(asked, 'biller'));
  const got = alphanumeric(field(echoed, 'biller'));
  if (!documentedBillers.has(wanted) || !documentedBillers.has(got)) return 'unknown';
  if (wanted === got) return 'same';
  return mayBePorted ? 'tolerated' : 'conflict';
}

/** Education recipients are profile IDs, except for WAEC, whose PINs go to a phone (service.md, `recipient`). */
const isPhone = (product: string, biller: unknown): boolean =>
  product === 'airtime' || product === 'data' || (product === 'edu' && alphanumeric(biller) === 'WAEC');

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
  return lowest <= got && got <= Math.ceil(wanted) ? 'tolerated' : 'conflict';
}

/** Letters and digits in capitals: `t2-mobile` and `T2 Mobile` are one name. */
const alphanumeric = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase() : '';

/** A finite number, also where it comes as text; `1,000.00` is not read. */
function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
