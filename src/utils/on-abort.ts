import { callSafely } from './call-safely.js';

/** The callbacks that wait for one signal, behind the one listener that it has. */
interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
  isListening: boolean;
}

const bySignal = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back when a signal aborts; returns a function that removes the callback. A callback that was removed does not run, even
 * when another callback of the same abort removed it. However many calls share a signal, it has one listener of ours:
 * one for each call would make Node warn of a leak at the eleventh.
 *
 * Works with signals of polyfills and mocks, as far as they go: one that cannot remove a listener keeps it.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => {};
  const waiting = waitingFor(signal);
  const { callbacks } = waiting;
  // Wrapped, so that the same function given twice is two callbacks.
  const own = () => callback();
  callbacks.add(own);
  listen(signal, waiting);
  return () => {
    if (callbacks.delete(own) && callbacks.size === 0) stopListening(signal, waiting);
  };
}

function waitingFor(signal: AbortSignal): Waiting {
  const known = bySignal.get(signal);
  if (known) return known;
  const callbacks = new Set<() => void>();
  const waiting: Waiting = {
    callbacks,
    isListening: false,
    listener: () => {
      for (const callback of [...callbacks]) if (callbacks.has(callback)) callback();
    },
  };
  bySignal.set(signal, waiting);
  return waiting;
}

function listen(signal: AbortSignal, waiting: Waiting): void {
  if (waiting.isListening) return;
  waiting.isListening = true;
  callSafely(() => signal.addEventListener('abort', waiting.listener, { once: true }));
}

function stopListening(signal: AbortSignal, waiting: Waiting): void {
  if (typeof signal.removeEventListener !== 'function') return;
  waiting.isListening = false;
  callSafely(() => signal.removeEventListener('abort', waiting.listener));
}
