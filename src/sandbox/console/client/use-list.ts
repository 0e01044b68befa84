import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Query } from './api.js';
import { useSession } from './context.js';
import { LiveList, pageSize } from './live-list.js';
import type { ListPage, SandboxEvent } from './resources.js';

/* v8 ignore start -- @preserve runs in a browser: the tests in Chromium cover it */

/** What an event says about an item of a list. */
export interface ItemChange<T> {
  readonly item: T;
  readonly isNew: boolean;
}

export interface ListSource<T> {
  readonly path: string;
  readonly query: Query;
  readonly idOf: (item: T) => string | number;
  /** The item that an event is about; undefined where it is about none. */
  readonly changeOf: (event: SandboxEvent) => ItemChange<T> | undefined;
  /** Whether a new item belongs to the list under its filters. */
  readonly matches: (item: T) => boolean;
  /** Whether new items wait because of something else than the pointer, the focus or the scroll position. */
  readonly isHeld: boolean;
}

export interface List<T> {
  readonly live: LiveList<T>;
  /** The pointer or the focus came into the table, or left it. */
  touch(inside: boolean): void;
  showWaiting(): void;
  showMore(): Promise<void>;
}

/** Changes are gathered for so long, in ms, so that a busy sandbox costs few drawings. */
const gatherMs = 100;

/** Beyond this many new rows the list is read anew, so that a busy sandbox does not fill the page. */
const maxGrowth = 200;

const isScrolled = (): boolean => scrollY > 80;

/** A list of the control API, kept up to date by events: only what changed is drawn. */
export function useList<T>(source: ListSource<T>): List<T> {
  const session = useSession();
  const { path, query } = source;
  const key = JSON.stringify(query);
  const latest = useRef({ source, touched: false });
  latest.current.source = source;
  const isHeld = () => latest.current.source.isHeld || latest.current.touched || isScrolled();

  const live = useMemo(() => new LiveList<T>(source.idOf), [path, key]);
  const showMore = useRef(async () => {});

  useEffect(() => {
    let active = true;
    /** Changes that wait to be drawn; while a page is loaded they wait for it, since it may be older than they are. */
    let changes: ItemChange<T>[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    let loading = false;
    let again = false;
    let isExtended = false;

    const load = async () => {
      if (loading) {
        again = true;
        return;
      }
      loading = true;
      const page = await session.api
        .get<ListPage<T>>(path, { ...query, limit: String(pageSize) })
        .catch(() => undefined);
      loading = false;
      if (!active) return;
      if (page) live.load(page);
      isExtended = false;
      drawSoon();
      if (again) {
        again = false;
        void load();
      }
    };
    const draw = () => {
      timer = undefined;
      if (loading) return;
      const held = isHeld();
      if (!held) live.release();
      const gathered = changes;
      changes = [];
      for (const { item, isNew } of gathered) {
        live.change(item, isNew && latest.current.source.matches(item), held);
      }
      if (!held && !isExtended && live.shown.value > pageSize + maxGrowth) void load();
    };
    const drawSoon = () => {
      timer ??= setTimeout(draw, gatherMs);
    };
    showMore.current = async () => {
      const after = live.next.value;
      if (after === null) return;
      isExtended = true;
      live.extend(await session.api.get<ListPage<T>>(path, { ...query, limit: String(pageSize), after }));
    };
    const onScroll = () => {
      if (!isHeld()) live.release();
    };
    void load();
    const before = session.generation.peek();
    const stops = [
      session.generation.subscribe((now) => {
        if (now !== before) void load();
      }),
      session.onEvent((event) => {
        const change = latest.current.source.changeOf(event);
        if (!change) return;
        changes.push(change);
        drawSoon();
      }),
    ];
    addEventListener('scroll', onScroll, { passive: true });
    return () => {
      active = false;
      clearTimeout(timer);
      removeEventListener('scroll', onScroll);
      for (const stop of stops) stop();
    };
  }, [session, live]);

  // What held the list is gone: a filter was cleared, or the drawer closed.
  useEffect(() => {
    if (!isHeld()) live.release();
  }, [source.isHeld]);

  return {
    live,
    touch: (inside) => {
      latest.current.touched = inside;
      if (!isHeld()) live.release();
    },
    showWaiting: () => live.release(),
    showMore: () => showMore.current(),
  };
}

/* v8 ignore stop -- @preserve */
