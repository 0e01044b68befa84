/** A phone number in the form of the service's documentation, or what is wrong with it. */
export type ReadPhone = { readonly phone: string } | { readonly problem: string };

/** Reads a Nigerian phone number; `normalizePhone` says in which forms it may be. */
export function readPhone(given: unknown): ReadPhone {
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
