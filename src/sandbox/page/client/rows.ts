import { useEffect, useRef, useState } from 'preact/hooks';
import type { Page } from '../../control/lists.js';
import { api, session } from './context.js';
import { type Params, withQuery } from './location.js';
import { latest } from './session.js';

/** How many rows are shown at first, and how many more at each step. */
const firstRows = 50;
export const moreRows = 200;

/** How many rows are read again when something changed; those below them stay as they are. */
const maxRead = 500;

/** How long the pointer must rest before new rows are shown, in ms: none moves away under it. */
const restMs = 300;

/** What of a list is shown. */
export interface Shown<T> {
  /** Path and filters. */
  readonly key: string;
  readonly rows: readonly T[];
  /** How many there are with these filters. */
  readonly total: number;
}

interface Source<T> {
  /** Where the control API has it. */
  readonly path: string;
  readonly idOf: (item: T) => string;
}

interface Rows<T> {
  readonly shown: Shown<T> | undefined;
  /** Whether the rows are those of other filters, until the answer to these is there. */
  readonly isStale: boolean;
  readonly showMore: () => Promise<void>;
  /** Called while the pointer moves over the rows: meanwhile they stay where they are. */
  readonly hold: () => void;
}

/** The rows of a list, read again when something changed. */
export function useRows<T>({ path, idOf }: Source<T>, query: Params): Rows<T> {
  const [shown, setShown] = useState<Shown<T>>();
  const key = withQuery(path, query);
  const changes = session.changes.value;
  const now = useRef({ key, query, shown });
  now.current = { key, query, shown };
  const held = useRef<{ timer?: ReturnType<typeof setTimeout>; next?: Shown<T> }>({});

  const read = async (limit: number, offset = 0) => {
    const { key, query } = now.current;
    const params = { ...query, limit: String(limit), offset: String(offset) };
    const { data, total } = (await api.get<Page<unknown>>(withQuery(path, params))) as Page<T>;
    return { key, rows: data, total };
  };
  /** These rows, and those of before that are not among them. */
  const merged = (first: readonly T[], rest: readonly T[]): readonly T[] => {
    const known = new Set(first.map(idOf));
    return [...first, ...rest.filter((row) => !known.has(idOf(row)))];
  };
  const show = (next: Shown<T>) => {
    if (held.current.timer && next.key === now.current.shown?.key) held.current.next = next;
    else setShown(next);
  };
  const refresh = useRef(
    latest(async () => {
      const before = now.current.shown;
      const count = before?.key === now.current.key ? before.rows.length : 0;
      // Without a connection, what was read stays.
      const next = await read(Math.min(maxRead, Math.max(firstRows, count))).catch(() => undefined);
      if (!next || next.key !== now.current.key) return;
      const rows = count > maxRead && before ? merged(next.rows, before.rows) : next.rows;
      show({ ...next, rows });
    }),
  );
  useEffect(() => refresh.current(), [key, changes]);
  return {
    shown,
    isStale: shown !== undefined && shown.key !== key,
    showMore: async () => {
      const more = await read(moreRows, now.current.shown?.rows.length);
      const before = now.current.shown;
      if (before?.key === more.key) setShown({ ...more, rows: merged(before.rows, more.rows) });
    },
    hold: () => {
      clearTimeout(held.current.timer);
      const timer = setTimeout(() => {
        const { next } = held.current;
        held.current = {};
        if (next) setShown(next);
      }, restMs);
      held.current = { ...held.current, timer };
    },
  };
}
