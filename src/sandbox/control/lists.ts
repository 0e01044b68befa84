import * as z from 'zod/mini';
import { expects, wordOf } from '../schemas/fields.js';

/** Lists, read by page. */

/** A whole number in a query, where everything is text. */
function whole(least: number, most: number) {
  const problem = expects(`must be a whole number from ${least} to ${most}`);
  return z.coerce.number(problem).check(z.int(problem), z.minimum(least, problem), z.maximum(most, problem));
}

/** Which rows of a list are wanted: the parameters that every list has. */
export const pageQuery = {
  limit: z._default(whole(1, 500), 50),
  /** How many rows to leave out at its beginning. */
  offset: z._default(whole(0, 1e9), 0),
  order: z._default(wordOf(['newest', 'oldest'], 'Which end comes first.'), 'newest'),
};

/** Parameters that narrow a list. */
export const filters = {
  client: z.optional(z.string()),
  /** Text that is in the reference, the recipient, the idempotency key, the product code or the error code, in any case. */
  q: z.optional(z.string()),
};

interface Wanted {
  readonly limit: number;
  readonly offset: number;
  readonly order: 'newest' | 'oldest';
}

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  /** How many rows there are on all pages. */
  readonly total: number;
}

/** A list that can be read from both ends. */
export interface Source<T> {
  readonly length: number;
  readonly from: (order: Wanted['order']) => Iterable<T>;
}

/** The source of a list that has its newest item last. */
export const sourceOf = <T>(items: readonly T[]): Source<T> => ({
  length: items.length,
  from: (order) => (order === 'newest' ? reversed(items) : items),
});

/** The items from one position back to another, without a copy. */
export function* reversed<T>(items: readonly T[], last = items.length - 1, first = 0): Generator<T> {
  for (let at = last; at >= first; at--) {
    const item = items[at];
    if (item !== undefined) yield item;
  }
}

/** @param isWanted - undefined where every item is: then a page costs the same in a list of any length. */
export function pageOf<T>(
  { length, from }: Source<T>,
  { limit, offset, order }: Wanted,
  isWanted: Condition<T>,
): Page<T> {
  const data: T[] = [];
  const end = offset + limit;
  let total = 0;
  for (const item of from(order)) {
    if (isWanted?.(item) === false) continue;
    if (total >= offset && total < end) data.push(item);
    total += 1;
    if (!isWanted && total === end) break;
  }
  return { data, total: isWanted ? total : length };
}

/** What a filter asks of an item; undefined where it asks nothing. */
type Condition<T> = ((item: T) => boolean) | undefined;

/** All conditions together; an empty parameter asks nothing. */
export function all<T>(...conditions: readonly (Condition<T> | '')[]): Condition<T> {
  const asked = conditions.filter((condition) => typeof condition === 'function');
  return asked.length === 0 ? undefined : (item) => asked.every((condition) => condition(item));
}

export const ofClient = <T extends { readonly clientId?: string | undefined }>(
  client: string | undefined,
): Condition<T> => (client ? ({ clientId }) => clientId === client : undefined);

/** Whether one of an item's texts contains another text, in any case. */
export function contains<T>(q: string | undefined, textsOf: (item: T) => readonly unknown[]): Condition<T> {
  const wanted = q?.trim().toLowerCase();
  if (!wanted) return undefined;
  return (item) =>
    textsOf(item).some((text) => typeof text === 'string' && text.toLowerCase().includes(wanted));
}
