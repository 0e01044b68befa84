import { readProperty } from './unknown.js';

/** Calls a callback of the caller. What it throws, and what its promise rejects with, does not reach the code that calls this. */
export function callSafely(callback: () => unknown, failed: (error: unknown) => void = () => {}): void {
  try {
    const end = callback();
    // Also a promise of another realm, as of a test runner, or of a library.
    if (typeof readProperty(end, 'then') === 'function') Promise.resolve(end).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Makes a value when it is first needed, and keeps it. A process that starts cold uses few of the schemas, and each takes time to build. */
// @__NO_SIDE_EFFECTS__
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Works on items with at most `limit` of them under way, and yields the results in the order of the items. What `work` rejects with is
 * thrown in its place; then, or when the caller stops reading, what is under way is waited for and dropped.
 */
export async function* mapConcurrent<T, Result>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const underway: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const working = work(item);
      // It is thrown when its turn comes.
      working.catch(() => {});
      underway.push(working);
      const first = underway.length < limit ? undefined : underway.shift();
      if (first) yield await first;
    }
    for (let first = underway.shift(); first; first = underway.shift()) yield await first;
  } finally {
    await Promise.allSettled(underway);
  }
}
