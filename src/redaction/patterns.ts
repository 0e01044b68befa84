/** Recognises secrets that are not known by value: by the name of their field and, in free text, by their look. */

export const redacted = '[redacted]';

/** Matched against the words of a name: `pin no` of `pinNo`, `pins` of `PINs`. A word may end in these: `epin`, `accesstoken`. */
const secretName = new RegExp(
  [
    '(?:token|secret|pin|pincode|password|passwd|passcode|voucher|credential)s?\\b',
    '\\b(?:serial(?:n(?:o|umber))?s?|otps?|authorization|cookie|cvv|cvc)\\b',
    '(?:api|secret|private|access|signing|activation|licen[cs]e) ?keys?$',
    '(?:activation|recharge|access|scratch|unlock|redemption|card) ?codes?$',
    '\\bcards?$',
  ].join('|'),
);
/** A name that ends in one of these words describes a secret and does not hold one: `tokens_left`, `pin_required`. */
const aboutSecret =
  /\b(?:at|counts?|expired|expires|expiry|format|in|left|length|limits?|name|remaining|required|state|status|types?|urls?|used|version)$/;

/** Whether a field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const words = name
    .slice(0, 80)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
  return secretName.test(words) && !aboutSecret.test(words);
}

// Every repetition below is bounded, or nothing after it can fail: each pattern reads a text in a time that grows with its length.

/** A field of a JSON text that could not be parsed: the name, and the value, which may be cut off anywhere. */
const jsonField =
  /(\\{0,3}"([^"\\]{0,40}(?:token|secret|pin|pass|voucher|credential|serial|otp|cv[vc]|authorization|cookie|key|code|card)[^"\\]{0,40})\\{0,3}"\s{0,8}:\s{0,8})(?!null\b)(?:\\{0,3}"(?:[^"\\]|\\.)*"?|\[[^\]]*\]?|\{[^}]*\}?|[^,}\]\s]+)/gi;
/** Not inside an ordinary word (`task_list`), but also right after an escape of a URL or of JSON, which ends in a letter or digit. */
const prefixedKey =
  /(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}|\\[bfnrt]|\\u[0-9A-Fa-f]{4}))(sk|pk)_[^\s"',;&<>\\]*|(whsec)_[^\s"',;&<>\\]*/g;
/** Does not match "the bearer token is missing". */
const bearer = /\bBearer\s{1,8}(?!tokens?\b|keys?\b|auth)[^\s"',;]+/gi;
/** Does not match "basic authentication". */
const basic = /\bBasic\s{1,8}(?!auth)(?=[A-Za-z0-9+/_-]{0,99}[A-Z0-9+/=])[A-Za-z0-9+/_-]{8,}={0,2}/g;

const separator = '[-. /\\u00a0\\u2007\\u2009\\u202f]';
const labelledValue = `(?=[\\w-]{0,40}\\d)[\\w-]{4,}(?:${separator}\\d{2,})*`;
/** The value behind a label, if it has a digit: `PIN: 48210937`, `Your PIN is 48210937`, `access_token=AB12-CD34`. */
const labelled = new RegExp(
  `\\b(\\w{0,24}(?:pins?|tokens?|vouchers?|passwords?|passcodes?|otps?))((?:[\\s:=#>"'.-]|\\b(?:codes?|nos?|numbers?|values?|is|are|was|were)\\b){1,24})${labelledValue}(?:\\s{0,4}(?:,|;|&|\\band\\b)\\s{0,4}${labelledValue})*`,
  'gi',
);
/** Twelve or more digits, in a row or in groups: long enough for a token or PIN, too long for a phone number. */
const longDigits = new RegExp(`\\d(?:${separator}?\\d){11,}`, 'g');
/** An address such as `192.168.100.200` has twelve digits too. */
const ipAddress = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

/** Text without API keys, webhook secrets and the values of authorization headers. */
export const redactCredentials = (text: string): string =>
  text
    .replace(bearer, `Bearer ${redacted}`)
    .replace(basic, `Basic ${redacted}`)
    .replace(prefixedKey, (_, key: string | undefined, secret: string) => `${key ?? secret}_${redacted}`);

/** Free text from outside without anything that looks like a secret. */
export const redactPatterns = (text: string): string =>
  redactCredentials(
    text.replace(jsonField, (all, name: string, words: string) =>
      isSecretName(words) ? `${name}"${redacted}"` : all,
    ),
  )
    .replace(longDigits, (digits) => (ipAddress.test(digits) ? digits : redacted))
    .replace(labelled, `$1$2${redacted}`);
