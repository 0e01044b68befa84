import { useEffect, useMemo } from 'preact/hooks';
import { api, session, soon } from './context.js';
import { LiveList } from './live-list.js';
import { type Params, withQuery } from './location.js';
import type { ListPage } from './resources.js';
import type { PageEvent } from './session.js';

/** The item that an event is about, and whether it is new. */
export type ItemChange<T> = readonly [item: T, isNew: boolean];

export interface ListSource<T> {
  readonly path: string;
  readonly query: Params;
  readonly idOf: (item: T) => string | number;
  /** Undefined for an event that is about no item of the list. */
  readonly changeOf: (event: PageEvent) => ItemChange<T> | undefined;
  /** Whether new items wait because of something else than the pointer, the focus or the scroll position. */
  readonly isHeld: boolean;
}

/** How many items a page of a list has. */
const pageSize = 50;

/** A list whose first page has grown to this length is read anew, so that a busy sandbox does not fill the page. */
const maxGrown = pageSize + 200;

export const readPage = <T>(path: string, query: Params, after?: string | null): Promise<ListPage<T>> =>
  api.get(path, { ...query, limit: String(pageSize), after: after ?? undefined });

/**
 * A list of the control API, kept up to date by events: only what changed is drawn. Which new items match the filters is for the sandbox
 * to say, so with filters an event about a new one asks for the first page again.
 */
export function useList<T>({ path, query, idOf, changeOf, isHeld }: ListSource<T>): LiveList<T> {
  const key = withQuery(path, query);
  const list = useMemo(() => new LiveList<T>(idOf), [key]);
  useEffect(() => {
    const isFiltered = Object.values(query).some(Boolean);
    let isActive = true;
    let loading = 0;
    /** Changes that wait to be drawn; while a page is loaded they wait for it, since it may be older than they are. */
    let changes: ItemChange<T>[] = [];
    const load = async (take: (page: ListPage<T>) => void) => {
      loading += 1;
      const page = await readPage<T>(path, query).catch(() => undefined);
      loading -= 1;
      if (!isActive) return;
      if (page) take(page);
      drawSoon();
    };
    const loadAll = () => load((page) => list.load(page));
    // Gathered, so that a busy sandbox costs few drawings.
    const drawSoon = soon(() => {
      if (!isActive || loading > 0) return;
      const gathered = changes;
      changes = [];
      for (const [item, isNew] of gathered) list.change(item, isNew && !isFiltered);
      if (isFiltered && gathered.some(([, isNew]) => isNew)) void load((page) => list.renew(page));
      if (!list.isHeld && (list.state.value?.chunks[0]?.length ?? 0) > maxGrown) void loadAll();
    });
    const onScroll = () => list.hold('scroll', scrollY > 80);
    onScroll();
    void loadAll();
    addEventListener('scroll', onScroll, { passive: true });
    const stop = session.onEvent((event) => {
      if (event.type === 'reloaded') void load((page) => list.refresh(page));
      const change = changeOf(event);
      if (!change) return;
      changes.push(change);
      drawSoon();
    });
    return () => {
      isActive = false;
      removeEventListener('scroll', onScroll);
      stop();
    };
  }, [list]);
  useEffect(() => list.hold('open', isHeld), [list, isHeld]);
  return list;
}
