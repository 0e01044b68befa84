// Checks without a schema library, for `billpay/webhooks`, `verifyWebhook` first of all: a receiver in a function that starts cold would
// load zod for its options alone, which takes as long as everything else in that entry point. What other functions take is checked by
// `parse-options.ts`; the texts are the same.
import { ConfigurationError } from '../errors/configuration-error.js';
import { nearestName } from '../utils/nearest.js';

/** Throws `ConfigurationError` unless the condition holds. */
export function assertOption(condition: unknown, option: string, problem: string): asserts condition {
  if (!condition) throw new ConfigurationError(option, problem);
}

/** The longest time that timers of every runtime can hold, in ms: about 24 days. */
export const longestTimerMs = 2_147_483_647;

/** Numbers and null are shown, because they are no secrets; of other values only the type. */
const shown = (value: unknown): string =>
  typeof value === 'number' || value === null ? String(value) : `a value of type ${typeof value}`;

/** A function, or undefined. */
export function checkedFunction<F>(option: string, value: F | undefined, what = ''): F | undefined {
  assertOption(value === undefined || typeof value === 'function', option, `must be a function${what}`);
  return value;
}

/** Refuses an object that lacks one of these methods. */
export function checkMethods(option: string, value: unknown, names: readonly string[], remedy: string): void {
  const missing = names.filter((name) => typeof Reflect.get(Object(value), name) !== 'function');
  assertOption(missing.length === 0, option, `lacks ${missing.join(', ')}${remedy}`);
}

/** Whether a value is a whole number of at least `least`. */
export const isWholeNumber = (value: unknown, least: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least;

/** A whole number of at least `least`. */
export function wholeNumber(option: string, value: unknown, least: number): number {
  assertOption(
    isWholeNumber(value, least),
    option,
    `must be a whole number of at least ${least}; got ${shown(value)}`,
  );
  return value;
}

/** What follows the name of an unknown option: the name that was probably meant, and all there are. */
export function suggestion(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known);
  return `${meant === undefined ? '' : ` (did you mean ${meant}?)`}; the options are ${known.join(', ')}`;
}

/**
 * Refuses misspelt options: `tolerence` must not leave the tolerance wide open, nor `totalTimout` a purchase without one.
 *
 * @param path - stands before the name in the message, such as `clients[0].`.
 */
export function refuseUnknownOptions(
  options: unknown,
  known: readonly string[],
  owner: string,
  path = '',
): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError('options', `must be an object, such as { ${known.slice(0, 3).join(', ')} }`);
  }
  for (const name in options) {
    if (known.includes(name)) continue;
    throw new ConfigurationError(`${path}${name}`, `is not an option of ${owner}${suggestion(name, known)}`);
  }
}
