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
