import { isError } from '../utils/is-error.js';
import { readProperty, unreadable } from '../utils/read-property.js';
import { hideCredentials, hideTokens, hiding, isSecretName, redacted } from './patterns.js';

/** Makes copies that may be printed, without secrets. Only what is printed passes through here: what a program reads stays as it came. */
export interface Redactor {
  /** A text that this package wrote, or an identifier, which a reader must find whole: many digits are no secret here. */
  known(text: string): string;
  /** Free text from outside, of at most `max` characters (default 10,000). */
  text(text: string, max?: number): string;
  /** A copy of any value. With `byName: false`, fields are not hidden for their names: the texts about fields are named after these. */
  value(value: unknown, options?: { readonly byName: boolean }): unknown;
  /** A copy of a foreign error; undefined for undefined and null. */
  cause(error: unknown): Error | undefined;
}

/** Characters that are shown of one text in a value. */
const maxText = 500;
/** Characters that are shown of a value as a whole. Each field and item counts as a few of them. */
const maxValue = 20_000;
const entryCost = 10;
/** The end of a text that was cut short is dropped: a secret may have been cut in two. */
const droppedEnd = 500;
const maxDepth = 6;

/** The fields of a system error that describe what happened on the network. */
const systemFields = ['code', 'errno', 'syscall', 'address', 'port', 'hostname'];

/** Makes a redactor that knows these secrets by value. Values shorter than 4 characters are ignored: every text has them. */
// @__NO_SIDE_EFFECTS__
export function createRedactor(secrets: readonly string[]): Redactor {
  const hide = hiding(secrets);
  // Known secrets come first: a pattern might match only half of one.
  const known = (text: string): string => hideCredentials(hide(text));

  const text = (given: string, max = 10_000): string => {
    const clean = hideTokens(known(given.slice(0, max + droppedEnd)));
    return (given.length > max + droppedEnd ? clean.slice(0, -droppedEnd) : clean).slice(0, max);
  };

  const cause = (error: unknown, depth = 0): Error | undefined => {
    if (error === undefined || error === null || depth >= maxDepth) return undefined;
    if (!isError(error)) return new Error(text(textOf(error), maxText));
    const copy = new Error(text(textOf(readProperty(error, 'message') ?? '')));
    for (const name of ['name', 'stack', 'cause', ...systemFields]) {
      const given = readProperty(error, name);
      const value =
        name === 'cause' ? cause(given, depth + 1) : typeof given === 'string' ? text(given) : given;
      if (!value || (typeof value === 'object' && name !== 'cause')) continue;
      Object.defineProperty(copy, name, { value, enumerable: systemFields.includes(name) });
    }
    return copy;
  };

  const value = (given: unknown, { byName } = { byName: true }): unknown => {
    let left = maxValue;

    const short = (long: string): string => {
      if (left <= 0) return '[…]';
      left -= Math.min(long.length, maxText + droppedEnd);
      const clean = text(long, maxText + 1);
      const isCut = clean.length > maxText || long.length > maxText + 1 + droppedEnd;
      return isCut ? `${clean.slice(0, maxText)}… (${long.length} characters)` : clean;
    };

    const copyOf = (value: unknown, depth: number, name = ''): unknown => {
      left -= entryCost;
      if (byName && isSecretName(name)) return isAbsent(value) ? value : redacted;
      if (typeof value === 'string') {
        return value.length <= maxText && isIdentifierName(name) ? known(value) : short(value);
      }
      // A whole number may be a token or PIN as well.
      if (typeof value === 'bigint' || Number.isInteger(value)) {
        return text(String(value)) === String(value) ? value : redacted;
      }
      if (typeof value !== 'object' || value === null) return value;
      try {
        if (isError(value)) return cause(value, depth);
        if (depth >= maxDepth) return '[…]';
        const kept = Math.max(0, Math.ceil(left / entryCost));
        if (Array.isArray(value)) return value.slice(0, kept).map((item) => copyOf(item, depth + 1));
        const headers = value instanceof Headers ? value : undefined;
        const fields = [...(headers?.keys() ?? Object.keys(value))].slice(0, kept).map((field) => {
          const inner = headers ? headers.get(field) : readProperty(value, field);
          return [short(field), copyOf(inner, depth + 1, field)];
        });
        return Object.fromEntries(fields);
      } catch {
        return unreadable;
      }
    };

    return copyOf(given, 0);
  };

  return { known, text, value, cause: (error) => cause(error) };
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

/** Identifiers that a reader must find whole, however many digits they have. */
const isIdentifierName = (name: string): boolean =>
  /^idempotency_?key$|reference$/i.test(name) || /(?:^|_)id$|[a-z]Id$/.test(name);

/** What shows that there is no secret yet, or only whether there is one. */
const isAbsent = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || typeof value === 'boolean';
