import { onAbort } from './on-abort.js';

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
