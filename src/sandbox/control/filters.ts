import type * as z from 'zod/mini';
import { anyText } from '../schemas/kinds.js';
import type { Sandbox } from '../types.js';

/** What a query parameter of a list asks of an item. */
export interface Filter<T> {
  readonly schema: z.ZodMiniType<string>;
  /** Returns which items the value of the parameter asks for. */
  asksFor(wanted: string, sandbox: Sandbox): (item: T) => boolean;
}

/** Filters by the name of their query parameter. */
export type Filters<T> = Readonly<Record<string, Filter<T>>>;

/** Returns which items a query asks for: those that every one of its filters does. */
export function matching<T>(
  filters: Filters<T>,
  query: Readonly<Record<string, unknown>>,
  sandbox: Sandbox,
): (item: T) => boolean {
  const asked = Object.entries(filters).flatMap(([name, { asksFor }]) => {
    const wanted = query[name];
    return typeof wanted === 'string' ? [asksFor(wanted, sandbox)] : [];
  });
  return (item) => asked.every((isWanted) => isWanted(item));
}

/** Those whose value is the one in the query. */
export const equal = <T>(
  schema: z.ZodMiniType<string>,
  of: (item: T, sandbox: Sandbox) => string | undefined,
): Filter<T> => ({
  schema,
  asksFor: (wanted, sandbox) => (item) => of(item, sandbox) === wanted,
});

/** Given with any value: those of which something holds. */
export const given = <T>(what: string, holds: (item: T) => boolean): Filter<T> => ({
  schema: anyText(`Given with any value: only ${what}.`),
  asksFor: () => holds,
});

/** What a search looks at in one item. */
export interface Searchable {
  readonly texts: readonly (string | null | undefined)[];
  /** A phone number is found in any form: `0803 123`, `+234803…`. */
  readonly recipient?: unknown;
  /** NGN: found as `1500`, `1,500` and `1,500.00`. */
  readonly amount?: unknown;
}

/** Those that have every word of the text, in any order and any case. */
export const search = <T>(
  where: string,
  searchable: (item: T, sandbox: Sandbox) => Searchable,
): Filter<T> => ({
  schema: anyText(`Words that are all found in it: ${where}.`),
  asksFor: (text, sandbox) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return (item) => {
      const looked = searchable(item, sandbox);
      return words.every((word) => hasWord(word, looked));
    };
  },
});

/** Whether one word of a search is found in an item. */
function hasWord(word: string, { texts, recipient, amount }: Searchable): boolean {
  const isFound = (text: unknown) => typeof text === 'string' && text.toLowerCase().includes(word);
  if (texts.some(isFound) || isFound(recipient)) return true;
  if (typeof recipient === 'string' && /^[+(]?\d[\d()+.-]*$/.test(word)) {
    const digits = word.replace(/\D/g, '');
    if (phoneForms(recipient).some((form) => form.includes(digits))) return true;
  }
  if (typeof amount !== 'number') return false;
  const number = word.replace(/^(ngn|₦)/, '').replaceAll(',', '');
  return number === '' || Number(number) === amount;
}

/** The digits of a phone number, with its leading zero and with the code of the country in place of it. */
function phoneForms(recipient: string): readonly string[] {
  const digits = recipient.replace(/\D/g, '');
  if (/^0\d{10}$/.test(digits)) return [digits, `234${digits.slice(1)}`];
  if (/^234\d{10}$/.test(digits)) return [digits, `0${digits.slice(3)}`];
  return [digits];
}
