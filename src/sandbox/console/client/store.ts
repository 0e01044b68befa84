import { useEffect, useState } from 'preact/hooks';

/** A value that changes, and listeners that are notified of each change. */
export interface Store<T> {
  readonly value: T;
  set(value: T): void;
  update(change: (value: T) => T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  const set = (next: T) => {
    if (Object.is(next, value)) return;
    value = next;
    for (const listener of [...listeners]) listener();
  };
  return {
    get value() {
      return value;
    },
    set,
    update: (change) => set(change(value)),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/* v8 ignore start -- @preserve runs in a browser: the tests in Chromium cover it */

/** The value of a store; the component is rendered again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, render] = useState({});
  useEffect(() => store.subscribe(() => render({})), [store]);
  return store.value;
}

/* v8 ignore stop -- @preserve */
