/** Recognises secrets: by value where they are known, else by the name of their field or by their look. */

export const redacted = '[redacted]';

/** Matched against the words of a name: `pin no` of `pinNo`. A word may end in the first of these: `epin`, `accesstoken`. */
const secretName =
  /(?:token|secret|pin|pincode|password|passwd|passcode|voucher|credential)s?\b|\b(?:serial(?:n(?:o|umber))?s?|otps?|authorization|cookie|cvv|cvc)\b|(?:api|secret|private|access|signing|activation|licen[cs]e) ?keys?$|(?:activation|recharge|access|scratch|unlock|redemption|card) ?codes?$|\bcards?$/;
/** A name that ends in one of these words describes a secret and does not hold one: `tokens_left`, `pin_required`. */
const aboutSecret =
  /\b(?:at|counts?|expired|expires|expiry|format|in|left|length|limits?|name|remaining|required|state|status|types?|urls?|used|version)$/;

/** Whether a field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const spaced = name.slice(0, 80).replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  const words = spaced
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
  return secretName.test(words) && !aboutSecret.test(words);
}

// Every repetition below is bounded, or nothing after it can fail: each pattern reads a text in a time that grows with its length.

/** Not inside an ordinary word (`task_list`), but also right after an escape of a URL or of JSON, which ends in a letter or digit. */
const prefixedKey =
  /(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}|\\[bfnrt]|\\u[0-9A-Fa-f]{4}))((?:sk|pk)_)[^\s"',;&<>\\]{4,}|(whsec_)[^\s"',;&<>\\]+/g;
/** Does not match "the bearer token is missing". */
const bearer = /\b(Bearer\s{1,8})(?!tokens?\b|keys?\b|auth)[^\s"',;]+/gi;

/** Text without API keys, webhook secrets and bearer tokens of anybody. */
export const hideCredentials = (text: string): string =>
  text.replace(bearer, `$1${redacted}`).replace(prefixedKey, `$1$2${redacted}`);

/** A field of a JSON text that could not be parsed: the name, and the value, which may be cut off anywhere. */
const jsonField =
  /(\\{0,3}"([^"\\]{0,40}(?:token|secret|pin|pass|voucher|credential|serial|otp|cv[vc]|authorization|cookie|key|code|card)[^"\\]{0,40})\\{0,3}"\s{0,8}:\s{0,8})(?!null\b)(?:\\{0,3}"(?:[^"\\]|\\.)*"?|\[[^\]]*\]?|\{[^}]*\}?|[^,}\]\s]+)/gi;
const separator = '[-. /\\u00a0\\u2007\\u2009\\u202f]';
const labelledValue = `(?=[\\w-]{0,40}\\d)[\\w-]{4,}(?:${separator}\\d{2,})*`;
/** The value behind a label, if it has a digit: `PIN: 48210937`, `Your PIN is 48210937`, `access_token=AB12-CD34`. */
const labelled = /* @__PURE__ */ new RegExp(
  `\\b(\\w{0,24}(?:pins?|tokens?|vouchers?|passwords?|passcodes?|otps?)(?:[\\s:=#>"'.-]|\\b(?:codes?|nos?|numbers?|values?|is|are|was|were)\\b){1,24})${labelledValue}(?:\\s{0,4}(?:,|;|&|\\band\\b)\\s{0,4}${labelledValue})*`,
  'gi',
);
/** Twelve or more digits, in a row or in groups: long enough for a token or PIN, too long for a phone number. An IP address is none. */
const longDigits = /* @__PURE__ */ new RegExp(
  `(?!\\d{1,3}(?:\\.\\d{1,3}){3}(?![.\\d]))\\d(?:${separator}?\\d){11,}`,
  'g',
);

/** Free text without anything that looks like a token or PIN. */
export const hideTokens = (text: string): string =>
  text
    .replace(jsonField, (all, name: string, words: string) =>
      isSecretName(words) ? `${name}"${redacted}"` : all,
    )
    .replace(longDigits, redacted)
    .replace(labelled, `$1${redacted}`);

/** Shorter values would be found in every text. */
const shortestSecret = 4;
/** What may be the base64 of a secret of twelve characters or more, in either alphabet. */
const base64Run = /[\w+/-]{16,}/g;

/**
 * Hides these secrets in a text: as they are, in any case, URL-encoded, escaped for JSON, digits in any groups, and in base64, in which gateways
 * show the head of a request. Nothing is compiled before the first use.
 */
export function hiding(secrets: readonly string[]): (text: string) => string {
  // The longest first: one secret may begin with another.
  const known = secrets.filter(({ length }) => length >= shortestSecret).sort((a, b) => b.length - a.length);
  if (known.length === 0) return (text) => text;
  let pattern: RegExp | undefined;
  const hide = (text: string): string => {
    pattern ??= new RegExp(known.flatMap(formsOf).join('|'), 'gi');
    return text.replace(pattern, redacted);
  };
  // Text right before the base64 may look like a part of it, so its groups of four characters may begin at any of four places.
  const isEncoded = (run: string): boolean =>
    [0, 1, 2, 3].map((start) => decoded(run.slice(start))).some((plain) => hide(plain) !== plain);
  return (text) => hide(text).replace(base64Run, (run) => (isEncoded(run) ? redacted : run));
}

function formsOf(secret: string): string[] {
  const digits = secret.replace(new RegExp(separator, 'g'), '');
  if (/^\d+$/.test(digits)) return [[...digits].join(`${separator}?`)];
  const forms = [
    secret,
    encodeURIComponent(secret.replace(/\p{Cs}/gu, '')),
    JSON.stringify(secret).slice(1, -1),
  ];
  return forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
}

/** One character alone in the last group of four holds no byte. */
const decoded = (run: string): string =>
  atob((run.length % 4 === 1 ? run.slice(0, -1) : run).replace(/-/g, '+').replace(/_/g, '/'));

/**
 * The secrets in the `token` of a transaction or event, whatever its type: the text, and each of its words that holds a digit, because it is
 * often several values (`Serial No:WRN182135587, pin: 373820665258`).
 */
export function secretsInToken(token: unknown): string[] {
  const text = typeof token === 'string' ? token : (JSON.stringify(token) ?? '');
  return [text, ...(text.match(/[A-Za-z0-9][A-Za-z0-9-]{3,}/g) ?? []).filter((word) => /\d/.test(word))];
}
