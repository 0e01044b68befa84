import { readPhone } from '../contract/phone.js';
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
