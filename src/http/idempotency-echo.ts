import { billers } from '../contract/vocabulary.js';
import { field } from './outcome.js';

/** Education recipients are profile IDs, but for WAEC, whose PINs go to a phone (service.md, `recipient`). */
const isPhone = (product: string, biller: unknown): boolean =>
  product === 'airtime' || product === 'data' || (product === 'edu' && letters(biller) === 'WAEC');

/**
 * The fields in which an acceptance differs from what was asked. The service answers a reused idempotency_key with the
 * old transaction, whatever the new payload says (service.md, "Idempotency rules", rule 1): a difference is the only sign.
 * Fields that are missing or empty on either side are not held against each other. Nor are billers that service.md does not name:
 * they go by several names, and to take a sale for none because 9MOBILE is now called T2 would have it bought again.
 */
export function differsFromAsked(product: string, asked: object, echoed: object): string[] {
  const biller = field(asked, 'biller');
  const recipients = isPhone(product, biller) ? lastTenDigits : withoutLeadingZeros;
  return [
    ...differing('biller', documented, asked, echoed),
    ...differing('recipient', recipients, asked, echoed),
    ...differing('amount', kobo, asked, echoed),
  ];
}

function differing(
  name: string,
  normalise: (value: unknown) => string | number | undefined,
  asked: object,
  echoed: object,
): string[] {
  const wanted = normalise(field(asked, name));
  const got = normalise(field(echoed, name));
  return wanted === undefined || got === undefined || wanted === got ? [] : [name];
}

function text(value: unknown): string | undefined {
  const words = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return words === '' ? undefined : words;
}

/** Letters and digits, in capitals: `t2-mobile` and `T2 Mobile` are one. */
function letters(value: unknown): string | undefined {
  return text(value)
    ?.replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase();
}

const documentedBillers = new Set<string>(Object.values(billers).flat());

const documented = (biller: unknown): string | undefined => {
  const name = letters(biller);
  return name !== undefined && documentedBillers.has(name) ? name : undefined;
};

/** A meter or card that became a number on its way back has lost them. */
const withoutLeadingZeros = (value: unknown): string | undefined => letters(value)?.replace(/^0+/, '');

/** `0803…`, `+234803…` and `803…` are one phone. */
function lastTenDigits(value: unknown): string | undefined {
  return text(value)?.replace(/\D/g, '').slice(-10);
}

/** Whole kobo, so that 0.1 + 0.2 is 0.3. */
function kobo(value: unknown): number | undefined {
  const amount = Number(text(value) ?? Number.NaN);
  return Number.isFinite(amount) ? Math.round(amount * 100) : undefined;
}
