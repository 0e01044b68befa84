/**
 * Stands in for src/contract/lazily.ts while mutants run. Which tests reach a mutant is found out test by test, and what one test has made
 * and kept the next does not reach again, although it depends on it: kept, a schema would seem to matter to one test alone.
 */
export const lazily =
  <T extends object>(make: () => T): (() => T) =>
  () =>
    make();
