import { callSafely } from './functions.js';

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
  addListener(signal, waiting);
  return () => {
    if (callbacks.delete(own) && callbacks.size === 0) removeListener(signal, waiting);
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

function addListener(signal: AbortSignal, waiting: Waiting): void {
  if (waiting.isListening) return;
  waiting.isListening = true;
  callSafely(() => signal.addEventListener('abort', waiting.listener, { once: true }));
}

function removeListener(signal: AbortSignal, waiting: Waiting): void {
  if (typeof signal.removeEventListener !== 'function') return;
  waiting.isListening = false;
  callSafely(() => signal.removeEventListener('abort', waiting.listener));
}

/** Waits `ms`, or until the signal aborts: look at the signal afterwards. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const end = () => {
      clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = setTimeout(end, ms);
    const stopListening = onAbort(signal, end);
  });
}

/** Rejects at once when a signal aborts. The work itself continues. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const stopListening = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(stopListening);
  });
}

/** Waits for a promise, but no longer than `ms`: then it rejects with an error of this message and the code `ETIMEDOUT`, whatever becomes of the promise. */
export async function atMost<T>(ms: number, promise: PromiseLike<T>, message: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error(message), { code: 'ETIMEDOUT' })), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
