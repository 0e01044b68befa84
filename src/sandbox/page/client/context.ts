import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { createControlClient } from '../../control/client.js';
import type { Json } from '../../control/types.js';
import { type Params, parsePlace, placeLink, type TabName } from './location.js';
import { createSession, latest, problemOf } from './session.js';

/** Where the browser keeps the control token of this sandbox, for all its tabs. */
export const tokenKey = 'billpay-sandbox-control-token';

export const storedToken = (): string | undefined => localStorage.getItem(tokenKey) ?? undefined;

export const api = createControlClient({
  token: storedToken,
  onTokenNeeded: () => {
    session.connection.value = 'locked';
  },
});

export const session = createSession(api);

/** The summary. Only what is drawn after it was first read uses this. */
export function useSummary() {
  const summary = session.summary.value;
  if (!summary) throw new Error('This component needs the summary.');
  return summary;
}

/** Where on the page one is. */
export const place = signal(parsePlace(location.hash));
addEventListener('hashchange', () => {
  place.value = parsePlace(location.hash);
});

/** The client of the filter: it comes first in every form. */
export const chosenClient = (): string | undefined => place.value.params['client'];

/** The client that forms and the header are about: that of the filter, else the first. */
export function useClient() {
  const { clients } = useSummary();
  const client = clients.find(({ clientId }) => clientId === chosenClient()) ?? clients[0];
  if (!client) throw new Error('The sandbox has no client.');
  return client;
}

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

/** What is loaded, or why it cannot be shown; neither before it is loaded. */
interface Resource<T> {
  readonly value?: Json<T>;
  readonly problem?: string | undefined;
}

/** Reads something when it is first shown, and again when something changed. What is shown stays until then. */
export function useResource<T>(path: string): Resource<T> {
  const [resource, setResource] = useState<Resource<T>>({});
  const current = useRef(path);
  current.current = path;
  const changes = session.changes.value;
  const read = useRef(
    latest(async () => {
      const asked = current.current;
      const next = await api.get<T>(asked).then(
        (value): Resource<T> => ({ value }),
        (error: unknown): Resource<T> | undefined => {
          const problem = problemOf(error);
          return problem === undefined ? undefined : { problem };
        },
      );
      if (next && asked === current.current) setResource(next);
    }),
  );
  useEffect(() => read.current(), [path, changes]);
  return resource;
}
