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
  const read = readPhone(phone);
  if ('phone' in read) return read.phone;
  const { problem } = read;
  throw new ValidationError(`The phone number ${problem}.`, { errors: { phone: problem } });
}

/** A phone number in the form of the service's documentation, or what is wrong with it. */
type ReadPhone = { readonly phone: string } | { readonly problem: string };

function readPhone(given: unknown): ReadPhone {
  if (typeof given === 'number' || typeof given === 'bigint') {
    return { problem: 'must be a string, not a number: a number loses its leading zero' };
  }
  if (typeof given !== 'string') return { problem: 'must be a string, such as 08031234567' };
  const digits = given.replace(/[\s\-.()/\u2010-\u2015]/gu, '');
  if (digits === '') return { problem: 'must not be empty: give a phone number, such as 08031234567' };
  if (!/^\+?[0-9]+$/.test(digits)) {
    return {
      problem:
        'must consist of digits; only spaces, hyphens, dots, slashes and parentheses may stand between them',
    };
  }
  const national = digits.replace(/^0(?=\d{10}$)|^(?:00|\+)?2340?(?=\d{10}$)/, '');
  if (/^[1-9]\d{9}$/.test(national) && !/^234/.test(national)) return { phone: `0${national}` };
  return {
    problem: /^(?:\+|00)(?!234)/.test(digits)
      ? 'has a country code other than +234'
      : 'must be 11 digits that begin with 0, or +234 and 10 digits, such as 08031234567',
  };
}
