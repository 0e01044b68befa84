import { createHash } from 'node:crypto';
import fc from 'fast-check';

/** What an arbitrary gives for one thing of a run, by its name: always the same, whatever was drawn before. */
export function drawn<T>(arbitrary: fc.Arbitrary<T>, name: string): T {
  const seed = createHash('sha256').update(name).digest().readInt32LE();
  for (const value of fc.sample(fc.noBias(arbitrary), { seed, numRuns: 1 })) return value;
  throw new Error('a sample has one value');
}

/** The value with this probability, else undefined. */
export const sometimes = <T>(probability: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof(
    { weight: Math.round(1000 * probability), arbitrary },
    { weight: 1000 - Math.round(1000 * probability), arbitrary: fc.constant(undefined) },
  );
