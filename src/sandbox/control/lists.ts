import * as z from 'zod/mini';
import { allOptional, described, kind, wordOf } from '../schemas/kinds.js';
import type { Sandbox } from '../types.js';
import { csvOf, jsonOf, type Row } from './csv.js';
import { type Filters, matching } from './filters.js';
import { type ControlCall, type ControlRoute, type Read, route } from './route.js';

/** Lists: each is read by page, and some as a whole file. */

/** The schema of the body of a list. */
export const listOf = (item: z.ZodMiniType) =>
  z.object({
    data: z.array(item),
    total: described(z.optional(z.nullable(z.int())), {
      description: 'How many there are on all pages; null on pages after the first.',
    }),
    next: described(z.nullable(z.string()), {
      description: 'Pass it as `after` to get the next page; null on the last one.',
    }),
  });

const pageQuery = allOptional({
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

const exportQuery = allOptional({ format: wordOf(['json', 'csv'], 'Default json.') });

interface ListDefinition<T> {
  /** What it lists, in the plural, for the OpenAPI document. */
  readonly what: string;
  readonly filters: Filters<T>;
  /** The schema of what `show` returns. */
  readonly item: z.ZodMiniType & { readonly shape: object };
  /** Everything in the list, oldest first. */
  items(call: ControlCall): readonly T[];
  /** The position of `items[0]` in the whole list, where older ones were dropped. */
  first?(sandbox: Sandbox): number;
  show(item: T, sandbox: Sandbox): Row;
  /** How it becomes a file; a list without one has no export. */
  readonly file?: {
    /** Of the file, without its extension. */
    name(call: ControlCall): string;
    /** Default: the fields of an item. Tokens are never among them. */
    readonly columns?: readonly string[];
    /** The fields of a row, where they are not those that `show` returns. */
    row?(item: T, sandbox: Sandbox): Row;
  };
}

/** The routes of a list: `GET path`, and `GET path/export` where it can be a file. */
export function listRoutes<T>(
  path: `/${string}`,
  { what, filters, item, items, first, show, file }: ListDefinition<T>,
): readonly ControlRoute[] {
  const filterQuery = allOptional(
    Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, schema])),
  );
  const list = route(`GET ${path}`, {
    summary: `Lists ${what}.`,
    query: { ...filterQuery, ...pageQuery },
    returns: listOf(item),
    handle: (call) =>
      pageOf({
        items: items(call),
        first: first?.(call.sandbox) ?? 0,
        query: call.query as Read<typeof pageQuery>,
        matches: matching(filters, call.query, call.sandbox),
        show: (one) => show(one, call.sandbox),
      }),
  });
  if (!file) return [list];
  const { name, columns = Object.keys(item.shape), row = show } = file;
  const whole = route(`GET ${path}/export`, {
    summary: `All ${what} that match, newest first, as a file.`,
    query: { ...filterQuery, ...exportQuery },
    returns: z.array(z.record(z.string(), z.unknown())),
    csv: true,
    handle: (call) => {
      const { context, sandbox } = call;
      const { format = 'json' } = call.query as Read<typeof exportQuery>;
      const rows = items(call)
        .filter(matching(filters, call.query, sandbox))
        .reverse()
        .map((one) => row(one, sandbox));
      const fileName = `${name(call).replace(/[^\w.-]/g, '_')}.${format}`;
      context.header('content-type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json');
      context.header('content-disposition', `attachment; filename="${fileName}"`);
      return context.body(format === 'csv' ? csvOf(columns, rows) : jsonOf(columns, rows));
    },
  });
  return [list, whole];
}

/** One page of a list. */
interface Page {
  readonly data: readonly object[];
  /** How many match on all pages; null on the pages after the first, so that each of these costs the same in a list of any length. */
  readonly total: number | null;
  readonly next: string | null;
}

interface PageOptions<T> {
  readonly items: readonly T[];
  readonly first: number;
  readonly query: Read<typeof pageQuery>;
  readonly matches: (item: T) => boolean;
  readonly show: (item: T) => object;
}

/**
 * A page of a list that only grows. The cursor is the position of the last item that was returned, so that items that are added
 * between two pages neither repeat an item nor hide one.
 */
function pageOf<T>({ items, first, query, matches, show }: PageOptions<T>): Page {
  const { limit = 50, after, order } = query;
  const step = order === 'oldest' ? 1 : -1;
  let at = after === undefined ? (step < 0 ? items.length - 1 : 0) : after - first + step;
  if (step > 0) at = Math.max(at, 0);
  const data: object[] = [];
  let last = -1;
  let next: string | null = null;
  let total = 0;
  for (; at >= 0 && at < items.length; at += step) {
    const item = items[at];
    if (item === undefined || !matches(item)) continue;
    total += 1;
    if (data.length < limit) {
      data.push(show(item));
      last = at;
      continue;
    }
    next ??= String(first + last);
    if (after !== undefined) break;
  }
  return { data, total: after === undefined ? total : null, next };
}
