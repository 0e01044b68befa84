import { readProperty } from '../utils/read-property.js';
import { isError } from './is-error.js';
import { createSecretReplacer } from './known-secrets.js';
import {
  isCardName,
  isCardValueName,
  isSecretName,
  redactCredentials,
  redacted,
  redactPatterns,
} from './secret-patterns.js';

/** Keeps secrets out of everything printable: known ones by value, others by pattern. */
export interface Redactor {
  /** Replaces known secrets only, in text and in the texts of lists and objects: for what this package wrote itself. */
  known<T>(value: T): T;
  /** Free text from outside without known secrets and without anything that looks like one. */
  text(text: string): string;
  /** A reference or another identifier from outside, which a reader must find whole: many digits are no secret here. */
  identifier(text: string): string;
  /** A copy of any value that may be printed: secret fields redacted, free text cleaned and cut short. */
  value(value: unknown): unknown;
  /**
   * A copy of a foreign error that is safe to print: name, message, stack, system fields and its own cause. Transports attach whole
   * requests to their errors, bearer key included; those are left out. Undefined for undefined and null.
   */
  cause(error: unknown): Error | undefined;
}

const maxText = 500;
const maxDepth = 6;
/** Fields and list items of one value; the rest is left out. */
const maxEntries = 2000;
/** Only the beginning of a longer text is read, and the end of that is dropped, where a secret may have been cut in two. */
const maxTextRead = 50_000;
const droppedEnd = 500;

/** The fields of a system error that tell what happened on the network, and nothing else. */
const causeFields = ['code', 'errno', 'syscall', 'address', 'port', 'hostname'] as const;

/** Stands for a value whose properties cannot be listed. */
export const unreadable = '[unreadable]';

/**
 * Makes a redactor that knows these secrets by value. Cheap: nothing is compiled before the first use.
 *
 * @param secrets - values shorter than 4 characters are ignored, because they would be found in every text.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const replaceKnown = createSecretReplacer(secrets, redacted);

  const known = (value: unknown, depth = 0): unknown => {
    if (typeof value === 'string') return replaceKnown(value);
    if (depth >= maxDepth) return value;
    if (Array.isArray(value)) return value.map((item) => known(item, depth + 1));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.keys(value).map((name) => [name, known(readProperty(value, name), depth + 1)]),
    );
  };

  const text = (given: string): string => {
    const isLong = given.length > maxTextRead;
    const clean = redactPatterns(replaceKnown(isLong ? given.slice(0, maxTextRead) : given));
    return isLong ? clean.slice(0, -droppedEnd) : clean;
  };

  const identifier = (given: string): string => redactCredentials(replaceKnown(given));

  const shortText = (given: string): string => {
    const clean = text(given);
    return clean.length > maxText ? `${clean.slice(0, maxText)}… (${given.length} characters)` : clean;
  };

  /** Any value may be thrown, also one that cannot be converted to text. */
  const textOf = (value: unknown): string => {
    try {
      return text(String(value));
    } catch {
      return 'a value that has no text';
    }
  };

  const cause = (error: unknown, depth = 0): Error | undefined => {
    if (error === undefined || error === null || depth >= maxDepth) return undefined;
    if (!isError(error)) return new Error(textOf(error).slice(0, maxText));
    const inner = cause(readProperty(error, 'cause'), depth + 1);
    const copy = new Error(
      textOf(readProperty(error, 'message') ?? ''),
      inner ? { cause: inner } : undefined,
    );
    const name = textOf(readProperty(error, 'name') ?? 'Error');
    const stack = readProperty(error, 'stack');
    Object.defineProperty(copy, 'name', { value: name, enumerable: false });
    if (stack) Object.defineProperty(copy, 'stack', { value: textOf(stack), enumerable: false });
    for (const field of causeFields) {
      const value = readProperty(error, field);
      if (typeof value === 'string') Object.assign(copy, { [field]: text(value) });
      if (typeof value === 'number') Object.assign(copy, { [field]: value });
    }
    return copy;
  };

  const printable = (given: unknown): unknown => {
    let entriesLeft = maxEntries;

    const walk = (value: unknown, depth: number, ofCard: boolean): unknown => {
      if (typeof value === 'string') return shortText(value);
      if (typeof value === 'number' || typeof value === 'bigint') return numberOf(value);
      if (typeof value !== 'object' || value === null) return value;
      if (isError(value)) return cause(value, depth);
      if (depth >= maxDepth) return '[…]';
      if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
      if (value instanceof Date) return new Date(value);
      if (Array.isArray(value) || value instanceof Set) {
        return kept([...value]).map((item) =>
          ofCard && isScalar(item) ? hidden(item) : walk(item, depth + 1, ofCard),
        );
      }
      const entries: [string, unknown][] =
        value instanceof Headers || value instanceof Map
          ? [...value].map(([name, item]) => [String(name), item])
          : Object.keys(value).map((name) => [name, readProperty(value, name)]);
      return Object.fromEntries(kept(entries).map(([name, item]) => field(name, item, depth, ofCard)));
    };

    const field = (name: string, item: unknown, depth: number, ofCard: boolean): [string, unknown] => {
      if (typeof item === 'string' && isIdentifierName(name)) return [name, identifier(item)];
      if (isSecretName(name)) return [text(name), hidden(item)];
      if (ofCard && isScalar(item) && isCardValueName(name)) return [text(name), hidden(item)];
      const isCard = isCardName(name);
      return [text(name), isCard && isScalar(item) ? hidden(item) : walk(item, depth + 1, isCard || ofCard)];
    };

    const kept = <T>(items: T[]): T[] => {
      const some = items.slice(0, Math.max(0, entriesLeft));
      entriesLeft -= some.length;
      return some;
    };

    try {
      return walk(given, 0, false);
    } catch {
      return unreadable;
    }
  };

  const numberOf = (value: number | bigint): unknown => {
    const isWhole = typeof value === 'bigint' || Number.isInteger(value);
    const digits = String(value);
    return isWhole && (value >= 1e11 || replaceKnown(digits) !== digits) ? redacted : value;
  };

  return {
    known: (value) => known(value) as typeof value,
    text,
    identifier,
    value: printable,
    cause: (error) => cause(error),
  };
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Identifiers that a reader must find whole, however many digits they have. */
const isIdentifierName = (name: string): boolean => /^idempotency_?key$|reference$/i.test(name);

/** The placeholder for a secret; null and the like are kept, because they show that there is no secret yet. */
const hidden = (value: unknown): unknown =>
  value === null || value === undefined || value === '' || typeof value === 'boolean' ? value : redacted;

/** Knows no secret by value. */
export const patternRedactor: Redactor = createRedactor([]);

export const redactText = patternRedactor.text;
export const redactValue = patternRedactor.value;
export const safeCause = patternRedactor.cause;
