import { readProperty } from '../utils/read-property.js';
import { isError } from './is-error.js';
import { redactedError } from './redacted-error.js';
import type { TextRedactor } from './redacted-text.js';
import { isCardName, isCardValueName, isSecretName, redacted } from './secret-patterns.js';

const maxText = 500;
const maxDepth = 6;
/** Fields and list items of one value; the rest is left out. */
const maxEntries = 2000;

/** Stands for a value whose properties cannot be listed. */
export const unreadable = '[unreadable]';

/** Where a value stands in the value that is being copied. */
interface Place {
  readonly depth: number;
  /** Whether it belongs to a card, whose `code` or `number` is worth money. */
  readonly ofCard: boolean;
}

/** A copy of any value that may be printed: secret fields redacted, free text cleaned and cut short. Never throws. */
export function redactedValue(given: unknown, redactor: TextRedactor): unknown {
  let entriesLeft = maxEntries;

  const kept = <T>(items: T[]): T[] => {
    const some = items.slice(0, Math.max(0, entriesLeft));
    entriesLeft -= some.length;
    return some;
  };

  const copyOf = (value: unknown, { depth, ofCard }: Place): unknown => {
    if (typeof value === 'string') return shortText(value, redactor);
    if (typeof value === 'number' || typeof value === 'bigint') return redactedNumber(value, redactor);
    if (typeof value !== 'object' || value === null) return value;
    if (isError(value)) return redactedError(value, redactor, depth);
    if (depth >= maxDepth) return '[…]';
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof Date) return new Date(value);
    const inside = { depth: depth + 1, ofCard };
    if (Array.isArray(value) || value instanceof Set) {
      return kept([...value]).map((item) => (ofCard && isScalar(item) ? hidden(item) : copyOf(item, inside)));
    }
    return Object.fromEntries(
      kept(entriesOf(value)).map(([name, item]) => [redactor.text(name), fieldOf(name, item, inside)]),
    );
  };

  const fieldOf = (name: string, value: unknown, place: Place): unknown => {
    if (typeof value === 'string' && isIdentifierName(name)) return redactor.identifier(value);
    if (isSecretName(name)) return hidden(value);
    const isCard = isCardName(name);
    const isCardValue = isCard || (place.ofCard && isCardValueName(name));
    if (isCardValue && isScalar(value)) return hidden(value);
    return copyOf(value, { ...place, ofCard: place.ofCard || isCard });
  };

  try {
    return copyOf(given, { depth: 0, ofCard: false });
  } catch {
    return unreadable;
  }
}

function shortText(text: string, redactor: TextRedactor): string {
  const clean = redactor.text(text);
  return clean.length > maxText ? `${clean.slice(0, maxText)}… (${text.length} characters)` : clean;
}

/** Numbers of twelve digits look like tokens and PINs; shorter ones may be known. */
function redactedNumber(value: number | bigint, redactor: TextRedactor): unknown {
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  const digits = String(value);
  return isWhole && (value >= 1e11 || redactor.known(digits) !== digits) ? redacted : value;
}

const entriesOf = (value: object): [name: string, value: unknown][] =>
  value instanceof Headers || value instanceof Map
    ? [...value].map(([name, item]) => [String(name), item])
    : Object.keys(value).map((name) => [name, readProperty(value, name)]);

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Identifiers that a reader must find whole, however many digits they have. */
const isIdentifierName = (name: string): boolean => /^idempotency_?key$|reference$/i.test(name);

/** The placeholder for a secret; null and the like are kept, because they show that there is no secret yet. */
const hidden = (value: unknown): unknown =>
  value === null || value === undefined || value === '' || typeof value === 'boolean' ? value : redacted;
