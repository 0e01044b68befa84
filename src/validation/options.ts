import { ConfigurationError } from '../errors/configuration-error.js';

/** Holds an option to its rule. */
export function assertOption(fits: unknown, option: string, problem: string): asserts fits {
  if (!fits) throw new ConfigurationError(option, problem);
}

/** The longest time that timers of every runtime can hold, in ms: about 24 days. */
export const longestTimerMs = 2_147_483_647;

/** A function, or none. */
export function checkedFunction<F>(option: string, value: F | undefined, what = ''): F | undefined {
  assertOption(value === undefined || typeof value === 'function', option, `must be a function${what}`);
  return value;
}

/** A whole number of at least so many. */
export function wholeNumber(option: string, value: unknown, least: number): number {
  assertOption(
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least,
    option,
    `must be a whole number of at least ${least}`,
  );
  return value;
}

/** Refuses a misspelt option: `tolerence` must not leave the tolerance wide open, nor `deadlin` a purchase without one. */
export function refuseUnknownOptions(options: unknown, known: readonly string[], owner: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError('options', `must be an object, such as { ${known.slice(0, 3).join(', ')} }`);
  }
  for (const name in options) {
    if (!known.includes(name)) {
      throw new ConfigurationError(name, `is not an option of ${owner}; the options are ${known.join(', ')}`);
    }
  }
}
