import { isError } from '../utils/is-error.js';
import { readProperty } from '../utils/read-property.js';
import { createSecretReplacer } from './known-secrets.js';
import { isSecretName, redactCredentials, redacted, redactPatterns } from './patterns.js';

/**
 * Makes copies that may be printed, without secrets: known ones are found by value, others by the name of their field and by their look.
 * Only what is printed passes through here. What a program reads stays as it came.
 */
export interface Redactor {
  /** Replaces known secrets only: for a text that this package wrote itself. */
  known(text: string): string;
  /** Free text from outside, of at most `max` characters (default 10,000). */
  text(text: string, max?: number): string;
  /** A reference or another identifier from outside, which a reader must find whole: many digits are no secret here. */
  identifier(text: string): string;
  /** A copy of any value. With `byName: false`, fields are not hidden for their names: the texts about fields are named after these. */
  value(value: unknown, options?: { readonly byName: boolean }): unknown;
  /** A copy of a foreign error; undefined for undefined and null. */
  cause(error: unknown): Error | undefined;
}

/** Stands for a value whose properties cannot be listed. */
export const unreadable = '[unreadable]';

const maxText = 10_000;
/** Characters that are shown of one text in a value, and that are read of all its texts together. */
const maxTextInValue = 500;
const maxTextOfValue = 20_000;
/** The end of a text that was cut short is dropped: a secret may have been cut in two. */
const droppedEnd = 500;
const maxDepth = 6;
/** Fields and list items of one value; the rest is left out. */
const maxEntries = 2000;

/** The fields of a system error that describe what happened on the network. */
const systemFields = ['code', 'errno', 'syscall', 'address', 'port', 'hostname'] as const;

/**
 * Makes a redactor that knows these secrets by value. Cheap: nothing is compiled before the first use.
 *
 * @param secrets - values shorter than 4 characters are ignored, because they would be found in every text.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = createSecretReplacer(secrets, redacted);
  const identifier = (given: string): string => redactCredentials(known(given));

  const text = (given: string, max = maxText): string => {
    const isCut = given.length > max + droppedEnd;
    // Known secrets come first: a pattern might match only half of one.
    const clean = redactPatterns(known(isCut ? given.slice(0, max + droppedEnd) : given));
    return clean.slice(0, isCut ? Math.min(max, Math.max(0, clean.length - droppedEnd)) : max);
  };

  /** Numbers of twelve digits look like tokens and PINs; shorter ones may be known. */
  const number = (value: number | bigint): unknown => {
    const isWhole = typeof value === 'bigint' || Number.isInteger(value);
    return isWhole && (value >= 1e11 || known(`${value}`) !== `${value}`) ? redacted : value;
  };

  const cause = (error: unknown, depth = 0): Error | undefined => {
    if (error === undefined || error === null || depth >= maxDepth) return undefined;
    if (!isError(error)) return new Error(text(textOf(error), maxTextInValue));
    const inner = cause(readProperty(error, 'cause'), depth + 1);
    const copy = new Error(text(textOf(readProperty(error, 'message') ?? '')), inner && { cause: inner });
    for (const name of ['name', 'stack']) {
      const value = readProperty(error, name);
      if (value) Object.defineProperty(copy, name, { value: text(textOf(value)), enumerable: false });
    }
    for (const name of systemFields) {
      const value = readProperty(error, name);
      if (typeof value === 'string') Object.assign(copy, { [name]: text(value) });
      if (typeof value === 'number') Object.assign(copy, { [name]: value });
    }
    return copy;
  };

  const copied = (given: unknown, byName: boolean): unknown => {
    let entriesLeft = maxEntries;
    let textLeft = maxTextOfValue;

    const kept = <T>(items: T[]): T[] => {
      const some = items.slice(0, entriesLeft);
      entriesLeft -= some.length;
      return some;
    };

    const short = (long: string): string => {
      if (textLeft <= 0) return '[…]';
      textLeft -= Math.min(long.length, maxTextInValue + droppedEnd);
      const clean = text(long, maxTextInValue + 1);
      const isCut = clean.length > maxTextInValue || long.length > maxTextInValue + 1 + droppedEnd;
      return isCut ? `${clean.slice(0, maxTextInValue)}… (${long.length} characters)` : clean;
    };

    const copyOf = (value: unknown, depth: number): unknown => {
      try {
        return readCopy(value, depth);
      } catch {
        return unreadable;
      }
    };

    const readCopy = (value: unknown, depth: number): unknown => {
      if (typeof value === 'string') return short(value);
      if (typeof value === 'number' || typeof value === 'bigint') return number(value);
      if (typeof value !== 'object' || value === null) return value;
      if (isError(value)) return cause(value, depth);
      if (depth >= maxDepth) return '[…]';
      if (Array.isArray(value)) return kept(value).map((item) => copyOf(item, depth + 1));
      return Object.fromEntries(
        kept(entriesOf(value)).map(([name, item]) => [short(name), fieldOf(name, item, depth + 1)]),
      );
    };

    const fieldOf = (name: string, value: unknown, depth: number): unknown => {
      if (byName && isSecretName(name)) return isAbsent(value) ? value : redacted;
      const isWhole = typeof value === 'string' && value.length <= maxTextInValue && isIdentifierName(name);
      return isWhole ? identifier(value) : copyOf(value, depth);
    };

    return copyOf(given, 0);
  };

  return {
    known,
    text,
    identifier,
    value: (value, options) => copied(value, options?.byName ?? true),
    cause: (error) => cause(error),
  };
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

const entriesOf = (value: object): [name: string, value: unknown][] =>
  value instanceof Headers ? [...value] : Object.keys(value).map((name) => [name, readProperty(value, name)]);

/** Identifiers that a reader must find whole, however many digits they have. */
const isIdentifierName = (name: string): boolean =>
  /^idempotency_?key$|reference$/i.test(name) || /(?:^|_)id$|[a-z]Id$/.test(name);

/** What shows that there is no secret yet, or only whether there is one. */
const isAbsent = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || typeof value === 'boolean';
