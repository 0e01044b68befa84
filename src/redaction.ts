import { isError, readProperty } from './utils/unknown.js';

/** Takes secrets out of what is printed: messages, causes and log lines. What a program reads stays as it came. */
export interface Redactor {
  /** A text that this package wrote, or an identifier, which a reader must find whole: many digits are no secret here. */
  known(text: string): string;
  /** Text from outside, of at most `max` characters (default 10,000). A long number may be a token or a PIN, and is hidden too. */
  text(text: string, max?: number): string;
  /** A copy of a foreign error with its message, stack, causes and the fields of a system error; undefined for undefined and null. */
  cause(error: unknown): Error | undefined;
}

const redacted = '[redacted]';

// Every repetition below is bounded, or nothing after it can fail: each pattern reads a text in a time that grows with its length.

/** Keys and webhook secrets of anybody: not inside an ordinary word (`task_list`), but also right after an escape of a URL or of JSON. */
const prefixedKey =
  /(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}|\\[bfnrt]|\\u[0-9A-Fa-f]{4}))((?:sk|pk)_)[^\s"',;&<>\\]{4,}|(whsec_)[^\s"',;&<>\\]+/g;
/** Does not match "the bearer token is missing". */
const bearer = /\b(Bearer\s{1,8})(?!tokens?\b|keys?\b|auth)[^\s"',;]+/gi;
/** Eight or more digits in a row, or twelve in groups: a token, a PIN, a meter or a phone. An IP address is none. */
const longNumber = /\d{8,}|(?!\d{1,3}(?:\.\d{1,3}){3}(?![.\d]))\d(?:[-. /\u00a0\u2007\u2009\u202f]?\d){11,}/g;

/** The fields of a system error that describe what happened on the network. */
const systemFields = ['code', 'errno', 'syscall', 'address', 'port', 'hostname'];
const maxCauses = 6;
/** The end of a text that was cut short is dropped: a secret may have been cut in two. */
const droppedEnd = 500;

/** Makes a redactor that knows these secrets by value. Values shorter than 4 characters are ignored: every text has them. */
// @__NO_SIDE_EFFECTS__
export function createRedactor(secrets: readonly string[]): Redactor {
  const hide = hiding(secrets);
  // Known secrets come first: a pattern might match only half of one.
  const known = (text: string): string =>
    hide(text).replace(bearer, `$1${redacted}`).replace(prefixedKey, `$1$2${redacted}`);
  const text = (given: string, max = 10_000): string => {
    const clean = known(given.slice(0, max + droppedEnd)).replace(longNumber, redacted);
    return (given.length > max + droppedEnd ? clean.slice(0, -droppedEnd) : clean).slice(0, max);
  };
  const cause = (error: unknown, depth = 0): Error | undefined => {
    if (error === undefined || error === null || depth >= maxCauses) return undefined;
    const copy = new Error(
      text(isError(error) ? textOf(readProperty(error, 'message') ?? '') : textOf(error)),
    );
    if (!isError(error)) return copy;
    for (const name of ['name', 'stack', 'cause', ...systemFields]) {
      const given = readProperty(error, name);
      const value =
        name === 'cause' ? cause(given, depth + 1) : typeof given === 'string' ? text(given) : given;
      if (!value || (typeof value === 'object' && name !== 'cause')) continue;
      Object.defineProperty(copy, name, { value, enumerable: systemFields.includes(name) });
    }
    return copy;
  };
  return { known, text, cause: (error) => cause(error) };
}

/** Knows no secret by value. */
export const patternRedactor: Redactor = createRedactor([]);

/** Any value may be thrown, also one that cannot be converted to text. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value that has no text';
  }
}

/** What may be the base64 of a secret of twelve characters or more, in either alphabet. */
const base64Run = /[\w+/-]{16,}/g;

/** Hides these secrets: as they are, in any case, URL-encoded, escaped for JSON, digits in any groups, and in base64, in which gateways show the head of a request. */
function hiding(secrets: readonly string[]): (text: string) => string {
  // The longest first: one secret may begin with another.
  const known = secrets.filter(({ length }) => length >= 4).sort((a, b) => b.length - a.length);
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
  const separator = '[-. /\\u00a0\\u2007\\u2009\\u202f]';
  const digits = secret.replace(new RegExp(separator, 'g'), '');
  if (/^\d+$/.test(digits)) return [[...digits].join(`${separator}?`)];
  const encoded = encodeURIComponent(secret.replace(/\p{Cs}/gu, ''));
  const forms = [secret, encoded, JSON.stringify(secret).slice(1, -1)];
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
