import { invalid, type JsonSchema } from './route.js';

/** The query parameters of every list. */
export const pageQuery: Readonly<Record<string, JsonSchema>> = {
  limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
  after: { type: 'string', description: 'The `next` of the page before.' },
  order: {
    type: 'string',
    enum: ['newest', 'oldest'],
    default: 'newest',
    description: 'Which end of the list comes first.',
  },
};

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
  readonly query: Readonly<Record<string, string>>;
  readonly matches?: (item: T) => boolean;
  readonly show: (item: T) => unknown;
}

/**
 * A page of a list that only grows. The cursor is the position of the last item that was returned, so that items that are added
 * between two pages neither repeat an item nor hide one.
 */
export function pageOf<T>({ items, first = 0, query, matches = () => true, show }: ListOptions<T>): Page {
  const limit = readLimit(query['limit']);
  const newestFirst = readOrder(query['order']);
  const after = readCursor(query['after']);
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

function readLimit(text: string | undefined): number {
  if (text === undefined) return 50;
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= 500) return limit;
  throw invalid(`limit must be a whole number from 1 to 500, not ${text}.`);
}

function readOrder(text: string | undefined): boolean {
  if (text === undefined || text === 'newest') return true;
  if (text === 'oldest') return false;
  throw invalid(`order must be newest or oldest, not ${text}.`);
}

function readCursor(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalid(`after must be the "next" of the page before, not ${text}.`);
}
