import { ValidationError } from '../errors/api-errors.js';

/**
 * Rewrites a Nigerian phone number in the form that the service's documentation uses: 11 digits that begin with 0. The client
 * never does this by itself: call it where your customers type numbers in.
 *
 * Spaces, hyphens, dots, slashes and parentheses are removed, and `+234`, `234` or `00234` becomes `0`. Only the length is
 * checked. Prefixes are not, because new ones are issued and numbers move between networks.
 *
 * @throws `ValidationError` with the reason in `errors.phone`. The message does not contain the number.
 *
 * @example
 * ```ts
 * import { normalizePhone } from 'billpay';
 *
 * normalizePhone('+234 803 123 4567'); // '08031234567'
 * ```
 */
export function normalizePhone(phone: string): string {
  const digits = digitsOf(phone);
  const national = digits.replace(/^0(?=\d{10}$)|^(?:00|\+)?2340?(?=\d{10}$)/, '');
  if (/^[1-9]\d{9}$/.test(national) && !/^234/.test(national)) return `0${national}`;
  throw refusal(
    /^(?:\+|00)(?!234)/.test(digits)
      ? 'has a country code other than +234'
      : 'must be 11 digits that begin with 0, or +234 and 10 digits, such as 08031234567',
  );
}

/** The digits of a number, with the plus sign that may precede them. */
function digitsOf(phone: unknown): string {
  if (typeof phone === 'number' || typeof phone === 'bigint') {
    throw refusal('must be a string, not a number: a number loses its leading zero');
  }
  if (typeof phone !== 'string') throw refusal('must be a string, such as 08031234567');
  const digits = phone.replace(/[\s\-.()/\u2010-\u2015]/gu, '');
  if (digits === '') throw refusal('must not be empty: give a phone number, such as 08031234567');
  if (!/^\+?[0-9]+$/.test(digits)) {
    throw refusal(
      'must consist of digits; only spaces, hyphens, dots, slashes and parentheses may stand between them',
    );
  }
  return digits;
}

const refusal = (problem: string): ValidationError =>
  new ValidationError(`The phone number ${problem}.`, { errors: { phone: problem } });
