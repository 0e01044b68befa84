/**
 * Works on items in their order, at most `lanes` at a time, until `work` resolves to undefined or rejects. Resolves after the work under way
 * has ended: to the results of the items before the first one that was not finished, and to the error.
 */
export async function inLanes<T, Result>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<Result | undefined>,
): Promise<{ readonly results: readonly Result[]; readonly error: unknown }> {
  const done: (Result | undefined)[] = [];
  const entries = items.entries();
  const errors: unknown[] = [];
  let isStopped = false;
  const lane = async () => {
    for (const [at, item] of entries) {
      const result = await work(item).catch((error: unknown) => void errors.push(error));
      isStopped ||= result === undefined;
      done[at] = result ?? undefined;
      if (isStopped) return;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const results: Result[] = [];
  for (let at = 0; at < items.length; at++) {
    const result = done[at];
    if (result === undefined) break;
    results.push(result);
  }
  return { results, error: errors[0] };
}
