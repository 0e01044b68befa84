import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { type Params, type Place, parsePlace, placeLink, type TabName } from './location.js';
import type { SandboxEvent } from './resources.js';
import type { Loaded, Session } from './session.js';
import { useStore } from './store.js';

/* v8 ignore start -- @preserve runs in a browser: the tests in Chromium cover it */

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('This component is outside the page.');
  return session;
}

/** What is loaded. Only the page below the first load uses it. */
export function useLoaded(): Loaded {
  const loaded = useStore(useSession().loaded);
  if (!loaded) throw new Error('This component needs what is not loaded yet.');
  return loaded;
}

/** Where on the page one is. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => parsePlace(location.hash));
  useEffect(() => {
    const update = () => setPlace(parsePlace(location.hash));
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return place;
}

/** Changes filters in place: the "back" button leads to the tab before, not through every letter of a search. */
export function setParams(changes: Readonly<Record<string, string | undefined>>): void {
  const { tab, params } = parsePlace(location.hash);
  history.replaceState(null, '', placeLink(tab, { ...params, ...changes }));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** A link to a tab that keeps the client filter. */
export const linkTo = (tab: TabName, params: Params = {}): string =>
  placeLink(tab, { client: parsePlace(location.hash).params['client'], ...params });

/** Loads something when it is first shown, and again when an event concerns it; undefined before it is loaded. */
export function useResource<T>(path: string, isAffected: (event: SandboxEvent) => boolean): T | undefined {
  const session = useSession();
  const [value, setValue] = useState<T>();
  useEffect(() => {
    let active = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = () => {
      timer = undefined;
      session.api.get<T>(path).then(
        (loaded) => active && setValue(() => loaded),
        () => undefined,
      );
    };
    // One thing that happens to a sale often brings several events.
    const loadSoon = () => {
      timer ??= setTimeout(load, 100);
    };
    load();
    const stops = [
      session.generation.subscribe(loadSoon),
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
  return value;
}

/* v8 ignore stop -- @preserve */
