/** Recognises secrets that are not known by value: by the name of their field and, in free text, by their look. */

export const redacted = '[redacted]';

/** `pinNo`, `pin_1` and `PINs` as words in lower case, without numbers. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);

/** Also matches the end of a word: `epin`, `accesstoken`. */
const secretWord = /(?:token|secret|pin|pincode|password|passwd|passcode|voucher|credential)s?$/;
const secretWholeWord = /^(?:serials?|authorization|cookie|otps?|cvv|cvc)$/;
const secretKey = /(?:api|secret|private|access|signing|activation|licen[cs]e)keys?$/;
const secretCode = /(?:card|activation|recharge|access|scratch|unlock|redemption)codes?$/;
/** A name that ends in one of these words describes a secret and does not hold one: `tokens_left`, `pin_required`. */
const aboutSecret =
  /^(?:at|counts?|expired|expires|expiry|format|in|left|length|limits?|name|remaining|required|state|status|types?|urls?|used|version)$/;

/** Whether a field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const joined = words.join('');
  if (joined === 'idempotencykey' || aboutSecret.test(words.at(-1) ?? '')) return false;
  return (
    words.some((word) => secretWord.test(word) || secretWholeWord.test(word)) ||
    secretKey.test(joined) ||
    secretCode.test(joined) ||
    /^serialn(?:o|umber)s?$/.test(joined)
  );
}

/** Whether a field of this name holds cards, whose `code` or `number` is their value. */
export const isCardName = (name: string): boolean => /^cards?$/.test(wordsOf(name).at(-1) ?? '');

/** Whether a field of a card holds its value. Elsewhere `code` is the code of an error. */
export const isCardValueName = (name: string): boolean =>
  /^(?:codes?|digits?|keys?|nos?|numbers?|values?)$/.test(wordsOf(name).at(-1) ?? '');

/** `"name":` in a JSON text, also within a string of JSON. */
const jsonName = /\\{0,3}"([^"\\]{1,80})\\{0,3}"\s{0,8}:\s{0,8}/g;
/** The value behind it, which may be cut off anywhere. */
const jsonValue = /\\{0,3}"(?:[^"\\]|\\.)*"?|\[[^\]]*\]?|\{[^}]*\}?|[^,}\]\s]+/y;

/** Redacts `"token": "..."` in a JSON text that could not be parsed. */
function redactJsonFields(text: string): string {
  let clean = '';
  let done = 0;
  for (const match of text.matchAll(jsonName)) {
    const start = match.index + match[0].length;
    const name = match[1] ?? '';
    const holdsList = text[start] === '[' || text[start] === '{';
    if (match.index < done || !(isSecretName(name) || (holdsList && isCardName(name)))) continue;
    jsonValue.lastIndex = start;
    const value = jsonValue.exec(text)?.[0];
    if (value === undefined || value === 'null') continue;
    clean += `${text.slice(done, start)}"${redacted}"`;
    done = start + value.length;
  }
  return clean + text.slice(done);
}

/** Not inside an ordinary word (`task_list`), but also right after an escape of a URL or of JSON, which ends in a letter or digit. */
const prefixedKey =
  /(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}|\\[bfnrt]|\\u[0-9A-Fa-f]{4}))(sk|pk)_[^\s"',;&<>\\]*|(whsec)_[^\s"',;&<>\\]*/g;
/** Does not match "the bearer token is missing". */
const bearer = /\bBearer\s+(?!tokens?\b|keys?\b|auth)[^\s"',;]+/gi;
/** Does not match "basic authentication". */
const basic = /\bBasic\s+(?!auth)(?=[A-Za-z0-9+/_-]*[A-Z0-9+/=])[A-Za-z0-9+/_-]{8,}={0,2}/g;

const separator = '[-. /\\u00a0\\u2007\\u2009\\u202f]';
const labelledValue = `(?=[\\w-]*\\d)[\\w-]{4,}(?:${separator}\\d{2,})*`;
/** The value behind a label, if it contains a digit: `PIN: 48210937`, `Your PIN is 48210937`, `access_token=AB12-CD34`. */
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
export function redactPatterns(text: string): string {
  return redactCredentials(redactJsonFields(text))
    .replace(longDigits, (digits) => (ipAddress.test(digits) ? digits : redacted))
    .replace(labelled, `$1$2${redacted}`);
}
