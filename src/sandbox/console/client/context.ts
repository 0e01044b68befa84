import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, createApi } from './api.js';
import { type Params, parsePlace, placeLink, type TabName } from './location.js';
import { createSession, type Loaded, type PageEvent } from './session.js';

/** Where the browser keeps the control token of this sandbox, for all its tabs. */
export const tokenKey = 'billpay-sandbox-control-token';

export const storedToken = (): string | undefined => localStorage.getItem(tokenKey) ?? undefined;

export const api = createApi({
  root: '/_sandbox',
  token: storedToken,
  onTokenNeeded: () => {
    session.connection.value = 'locked';
  },
});

export const session = createSession(api);

/** What is loaded. Only the page below the first load uses it. */
export function useLoaded(): Loaded {
  const loaded = session.loaded.value;
  if (!loaded) throw new Error('This component needs what is not loaded yet.');
  return loaded;
}

/** Where on the page one is. */
export const place = signal(parsePlace(location.hash));
addEventListener('hashchange', () => {
  place.value = parsePlace(location.hash);
});

/** The client of the filter: it comes first in every form. */
export const chosenClient = (): string | undefined => place.value.params['client'];

/** The clients of the filter: all of them, or the one. */
export const useClients = () =>
  useLoaded().clients.filter(({ client_id }) => !chosenClient() || client_id === chosenClient());

/** Changes filters in place: the "back" button leads to the tab before, not through every letter of a search. */
export function setParams(changes: Params): void {
  const { tab, params } = place.value;
  history.replaceState(null, '', placeLink(tab, { ...params, ...changes }));
  place.value = parsePlace(location.hash);
}

/** A link to a tab that keeps the client filter. */
export const linkTo = (tab: TabName, params: Params = {}): string =>
  placeLink(tab, { client: place.value.params['client'], ...params });

/** A link that opens something in the drawer, and changes nothing else. */
export const openLink = (id: string | number): string => {
  const { tab, params } = place.peek();
  return placeLink(tab, { ...params, open: String(id) });
};

/** Runs something soon: what is asked for meanwhile is one with it. */
export function soon(run: () => void, ms = 100): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      run();
    }, ms);
  };
}

/** What is loaded, or why it cannot be shown; neither before it is loaded. */
interface Resource<T> {
  readonly value?: T;
  readonly problem?: string;
}

/** Loads something when it is first shown, and again when an event concerns it. */
export function useResource<T>(
  path: string,
  isAffected: (event: PageEvent, current: T | undefined) => boolean,
): Resource<T> {
  const [resource, setResource] = useState<Resource<T>>({});
  useEffect(() => {
    let current: T | undefined;
    const load = async () => {
      try {
        current = await api.get<T>(path);
        setResource({ value: current });
      } catch (error) {
        // Without a connection, what was loaded stays; what a reset removed does not.
        if (error instanceof ApiError && error.status === 404) setResource({ problem: error.message });
      }
    };
    // One thing that happens to a transaction often brings several events.
    const loadSoon = soon(load);
    void load();
    return session.onEvent((event) => {
      if (event.type === 'reloaded' || isAffected(event, current)) loadSoon();
    });
  }, [path]);
  return resource;
}
