import { afterEach, beforeEach, vi } from 'vitest';

/** The outcome of a promise. */
export type Ending<T> = { readonly value: T } | { readonly error: unknown };

/** Fakes timers, dates and `performance` for every test of a file; call once at its top. Microtasks and sockets stay real. */
export function useFakeClock(at = new Date('2026-01-31T09:30:00Z')): void {
  beforeEach(() => {
    vi.useFakeTimers({
      now: at,
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Runs everything that needs no time to pass. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Advances from timer to timer until a promise has settled; throws where no timer is left that could settle it. */
export async function ended<T>(promise: Promise<T>): Promise<Ending<T>> {
  let ending: Ending<T> | undefined;
  promise.then(
    (value) => {
      ending = { value };
    },
    (error: unknown) => {
      ending = { error };
    },
  );
  for (;;) {
    await quiet();
    if (ending) return ending;
    if (vi.getTimerCount() === 0) throw new Error('nothing is left that could end the promise');
    vi.advanceTimersToNextTimer();
  }
}

/** The value of a promise; advances time as needed. */
export async function resolved<T>(promise: Promise<T>): Promise<T> {
  const ending = await ended(promise);
  if ('error' in ending) throw ending.error;
  return ending.value;
}

/** The rejection of a promise; advances time as needed. */
export async function rejected(promise: Promise<unknown>): Promise<unknown> {
  const ending = await ended(promise);
  if ('error' in ending) return ending.error;
  throw new Error(`resolved to ${JSON.stringify(ending.value)} instead of rejecting`);
}
