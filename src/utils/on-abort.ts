/** What waits for one signal, behind the one listener that it has. */
interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const bySignal = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back when a signal aborts; returns what takes the callback away. However many calls share a signal, it has one
 * listener of ours: a listener for each would make Node warn of a leak at the eleventh call under way.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return nothing;
  const { callbacks, listener } = waitingFor(signal);
  if (callbacks.size === 0) signal.addEventListener('abort', listener, { once: true });
  // Wrapped, so that the same function given twice is two.
  const own = () => callback();
  callbacks.add(own);
  return () => {
    if (callbacks.delete(own) && callbacks.size === 0) signal.removeEventListener('abort', listener);
  };
}

const nothing = (): void => {};

function waitingFor(signal: AbortSignal): Waiting {
  const known = bySignal.get(signal);
  if (known) return known;
  const callbacks = new Set<() => void>();
  const waiting: Waiting = {
    callbacks,
    listener: () => {
      for (const callback of [...callbacks]) callback();
    },
  };
  bySignal.set(signal, waiting);
  return waiting;
}
