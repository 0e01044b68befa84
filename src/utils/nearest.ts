/** Upper and lower case, `_` and `-` do not count: `idempotencyKey` is meant for `idempotency_key`. */
const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

/** How many letters must be replaced, inserted, deleted or swapped with their neighbour to make `a` into `b`. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** Longer input is no misspelt name, and must not cost time. */
const longestName = 64;

/** The known name that a misspelt one was probably meant for; undefined where none is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined;
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(plain(name), plain(candidate));
    const tolerated = Math.max(1, Math.floor(candidate.length / 3));
    if (distance <= tolerated && distance < least) {
      nearest = candidate;
      least = distance;
    }
  }
  return nearest;
}

/** ` (did you mean listen?)`, or nothing where no known name is close. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known);
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}

/** What follows "is not an option of …": the name that was probably meant, and all there are. */
export const suggestion = (name: string, known: readonly string[], what = 'options'): string =>
  `${didYouMean(name, known)}; the ${what} are ${known.join(', ')}`;
