import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { Query } from './api.js';
import {
  emptyList,
  type IdOf,
  type ListAction,
  type ListState,
  listReducer,
  maxGrowth,
} from './list-state.js';
import type { ListPage, SandboxEvent } from './resources.js';
import { useSession } from './session-context.js';

/* v8 ignore start -- @preserve runs in a browser: the tests in Chromium cover it */

/** How many items a page of a list has. */
const pageSize = 50;

/** What an event says about an item of a list. */
export interface ItemChange<T> {
  readonly item: T;
  readonly isNew: boolean;
}

export interface ListSource<T> {
  readonly path: string;
  readonly query: Query;
  readonly idOf: IdOf<T>;
  /** The item that an event is about; undefined where it is about none. */
  readonly changeOf: (event: SandboxEvent) => ItemChange<T> | undefined;
  /** Whether a new item belongs to the list under its filters. */
  readonly matches: (item: T) => boolean;
}

export interface List<T> extends ListState<T> {
  /** While it is held, new items wait. */
  hold(held: boolean): void;
  showWaiting(): void;
  showMore(): void;
}

/** A list of the control API, kept up to date by events: only what changed is changed. */
export function useList<T>(source: ListSource<T>): List<T> {
  const session = useSession();
  const { path, query, idOf } = source;
  const [state, dispatch] = useReducer<ListState<T>, ListAction<T>>(
    (before, action) => listReducer(before, action, idOf),
    emptyList,
  );
  const latest = useRef({ source, state, held: false });
  latest.current.source = source;
  latest.current.state = state;
  const reloadRef = useRef(() => {});
  const key = JSON.stringify(query);

  useEffect(() => {
    let active = true;
    /** Events that arrive while a page is loaded: the page may be older than they are. */
    let early: ItemChange<T>[] | undefined;
    let again = false;

    const apply = ({ item, isNew }: ItemChange<T>) => {
      const belongs = isNew && latest.current.source.matches(item);
      dispatch({ type: 'changed', item, isNew: belongs, held: latest.current.held });
    };
    const load = async () => {
      if (early) {
        again = true;
        return;
      }
      early = [];
      const page = await session.api
        .get<ListPage<T>>(path, { ...query, limit: String(pageSize) })
        .catch(() => undefined);
      const missed = early;
      early = undefined;
      if (!active) return;
      if (page) dispatch({ type: 'loaded', page });
      for (const change of missed) apply(change);
      if (again) {
        again = false;
        void load();
      }
    };
    reloadRef.current = () => void load();
    void load();
    const stops = [
      session.generation.subscribe(() => void load()),
      session.onEvent((event) => {
        const change = latest.current.source.changeOf(event);
        if (!change) return;
        if (early) early.push(change);
        else apply(change);
      }),
    ];
    return () => {
      active = false;
      for (const stop of stops) stop();
    };
  }, [session, path, key]);

  const size = state.rows.length + state.waiting.length;
  const loadedSize = useRef(0);
  if (state.waiting.length === 0 && state.rows.length <= pageSize) loadedSize.current = state.rows.length;
  useEffect(() => {
    if (size > loadedSize.current + maxGrowth && !latest.current.held) reloadRef.current();
  }, [size, state.waiting.length]);

  return {
    ...state,
    hold: (held) => {
      latest.current.held = held;
      if (!held) dispatch({ type: 'released' });
    },
    showWaiting: () => dispatch({ type: 'released' }),
    showMore: () => {
      const { next, rows } = latest.current.state;
      if (next === null) return;
      loadedSize.current = rows.length + pageSize;
      session.api
        .get<ListPage<T>>(path, { ...query, limit: String(pageSize), after: next })
        .then((page) => dispatch({ type: 'extended', page }))
        .catch((error: unknown) =>
          session.notify(error instanceof Error ? error.message : String(error), 'bad'),
        );
    },
  };
}

/* v8 ignore stop -- @preserve */
