import { readProperty } from '../utils/read-property.js';
import { createSecretReplacer } from './known-secrets.js';
import { redactedError } from './redacted-error.js';
import { createTextRedactor, type TextRedactor } from './redacted-text.js';
import { redactedValue, unreadable } from './redacted-value.js';
import { redacted } from './secret-patterns.js';

/** Keeps secrets out of everything printable: known ones by value, others by pattern. */
export interface Redactor extends TextRedactor {
  /** Replaces known secrets only, in text and in the texts of lists and plain objects: for what this package wrote itself. */
  known<T>(value: T): T;
  /** A copy of any value that may be printed: secret fields redacted, free text cleaned and cut short. */
  value(value: unknown): unknown;
  /** A copy of a foreign error that is safe to print; undefined for undefined and null. */
  cause(error: unknown): Error | undefined;
}

/**
 * Makes a redactor that knows these secrets by value. Cheap: nothing is compiled before the first use.
 *
 * @param secrets - values shorter than 4 characters are ignored, because they would be found in every text.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const redactor = createTextRedactor(createSecretReplacer(secrets, redacted));
  return {
    known: <T>(value: T) => withoutKnown(value, redactor) as T,
    text: redactor.text,
    identifier: redactor.identifier,
    value: (value) => redactedValue(value, redactor),
    cause: (error) => redactedError(error, redactor),
  };
}

const maxDepth = 6;

function withoutKnown(value: unknown, redactor: TextRedactor, depth = 0): unknown {
  if (typeof value === 'string') return redactor.known(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '[…]';
  try {
    if (Array.isArray(value)) return value.map((item) => withoutKnown(item, redactor, depth + 1));
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(
      Object.keys(value).map((name) => [name, withoutKnown(readProperty(value, name), redactor, depth + 1)]),
    );
  } catch {
    return unreadable;
  }
}

/** Knows no secret by value. */
export const patternRedactor: Redactor = createRedactor([]);
