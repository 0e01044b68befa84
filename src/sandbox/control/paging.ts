import * as z from 'zod/mini';
import { allOptional, kind, wordOf } from '../schemas/kinds.js';

/** The query parameters of every list. */
export const pageQuery = allOptional({
  limit: z.pipe(
    kind<string>(
      (value) => /^\d+$/.test(String(value)) && Number(value) >= 1 && Number(value) <= 500,
      'must be a whole number from 1 to 500',
      { type: 'integer', minimum: 1, maximum: 500, default: 50 },
    ),
    z.transform(Number),
  ),
  after: z.pipe(
    kind<string>((value) => /^\d{1,15}$/.test(String(value)), 'must be the "next" of the page before', {
      type: 'string',
      description: 'The `next` of the page before.',
    }),
    z.transform(Number),
  ),
  order: wordOf(['newest', 'oldest'], 'Which end of the list comes first; default newest.'),
});

/** What a list reads of its query. */
interface PageQuery {
  readonly limit?: number | undefined;
  readonly after?: number | undefined;
  readonly order?: 'newest' | 'oldest' | undefined;
}

/** One page of a list. */
export interface Page {
  readonly data: readonly unknown[];
  /** How many match on all pages; null on the pages after the first, so that each of these costs the same in a list of any length. */
  readonly total: number | null;
  readonly next: string | null;
}

interface ListOptions<T> {
  /** Oldest first. */
  readonly items: readonly T[];
  /** The position of `items[0]` in the whole list, where older ones were dropped. */
  readonly first?: number;
  readonly query: PageQuery;
  readonly matches?: (item: T) => boolean;
  readonly show: (item: T) => unknown;
}

/**
 * A page of a list that only grows. The cursor is the position of the last item that was returned, so that items that are added
 * between two pages neither repeat an item nor hide one.
 */
export function pageOf<T>({ items, first = 0, query, matches = () => true, show }: ListOptions<T>): Page {
  const { limit = 50, after } = query;
  const newestFirst = query.order !== 'oldest';
  const step = newestFirst ? -1 : 1;
  let at = after === undefined ? (newestFirst ? items.length - 1 : 0) : after - first + step;
  if (!newestFirst) at = Math.max(at, 0);
  const data: unknown[] = [];
  let last = -1;
  let next: string | null = null;
  let total = 0;
  for (; at >= 0 && at < items.length; at += step) {
    const item = items[at];
    if (item === undefined || !matches(item)) continue;
    total += 1;
    if (data.length === limit) {
      next ??= String(first + last);
      if (after !== undefined) break;
      continue;
    }
    data.push(show(item));
    last = at;
  }
  return { data, total: after === undefined ? total : null, next };
}
