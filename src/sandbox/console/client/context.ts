import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { type Params, type Place, parsePlace, placeLink, type TabName } from './location.js';
import type { SandboxEvent } from './resources.js';
import type { Loaded, Session } from './session.js';

/* v8 ignore start -- @preserve runs in a browser: the tests in Chromium cover it */

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('This component is outside the page.');
  return session;
}

/** What is loaded. Only the page below the first load uses it. */
export function useLoaded(): Loaded {
  const loaded = useSession().loaded.value;
  if (!loaded) throw new Error('This component needs what is not loaded yet.');
  return loaded;
}

const currentPlace = signal<Place>(parsePlace(location.hash));
addEventListener('hashchange', () => {
  currentPlace.value = parsePlace(location.hash);
});

/** Where on the page one is. */
export const place: ReadonlySignal<Place> = currentPlace;

/** Changes filters in place: the "back" button leads to the tab before, not through every letter of a search. */
export function setParams(changes: Readonly<Record<string, string | undefined>>): void {
  const { tab, params } = currentPlace.value;
  history.replaceState(null, '', placeLink(tab, { ...params, ...changes }));
  currentPlace.value = parsePlace(location.hash);
}

/** A link to a tab that keeps the client filter. */
export const linkTo = (tab: TabName, params: Params = {}): string =>
  placeLink(tab, { client: currentPlace.value.params['client'], ...params });

/** A link that opens something in the drawer, and changes nothing else. */
export const openLink = (id: string | number): string => {
  const { tab, params } = currentPlace.peek();
  return placeLink(tab, { ...params, open: String(id) });
};

/** Loads something when it is first shown, and again when an event concerns it; undefined before it is loaded. */
export function useResource<T>(path: string, isAffected: (event: SandboxEvent) => boolean): T | undefined {
  const session = useSession();
  const [value, setValue] = useState<{ readonly path: string; readonly value: T }>();
  useEffect(() => {
    let active = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = () => {
      timer = undefined;
      session.api.get<T>(path).then(
        (loaded) => active && setValue({ path, value: loaded }),
        () => undefined,
      );
    };
    // One thing that happens to a transaction often brings several events.
    const loadSoon = () => {
      timer ??= setTimeout(load, 100);
    };
    load();
    const before = session.generation.peek();
    const stops = [
      session.generation.subscribe((now) => {
        if (now !== before) loadSoon();
      }),
      session.onEvent((event) => {
        if (isAffected(event)) loadSoon();
      }),
    ];
    return () => {
      active = false;
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, [session, path]);
  // Not what was at another path before.
  return value?.path === path ? value.value : undefined;
}

/* v8 ignore stop -- @preserve */
