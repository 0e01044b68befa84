// Rules of options without a schema library. The kinds of `option-kinds.ts` are made of them. `billpay/webhooks` uses them as they are: in a
// function that starts cold, loading zod would take as long as everything else in that entry point.
import { ConfigurationError } from '../errors/configuration-error.js';
import { suggestion } from '../utils/nearest.js';
import { readProperty } from '../utils/read-property.js';

/** Throws `ConfigurationError` unless the condition holds. */
export function assertOption(condition: unknown, option: string, problem: string): asserts condition {
  if (!condition) throw new ConfigurationError(option, problem);
}

/** The longest time that timers of every runtime can hold, in ms: about 24 days. */
export const longestTimerMs = 2_147_483_647;

/** Says what is wrong with the value of an option; undefined where nothing is. */
export type Rule = (value: unknown) => string | undefined;

/** A rule for values that `accepts` recognises. `expectation` completes "the option …", such as `must be a function`. */
// @__NO_SIDE_EFFECTS__
export function rule(accepts: (value: unknown) => boolean, expectation: string): Rule {
  return (value) => (accepts(value) ? undefined : unexpected(expectation, value));
}

/**
 * The text for a value that is not what `expectation` says: that it is missing, or what was given instead. Only numbers, true, false and null
 * are shown, because no secret is one of these.
 */
export const unexpected = (expectation: string, value: unknown): string =>
  value === undefined ? `is missing: it ${expectation}` : `${expectation}; got ${shown(value)}`;

function shown(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

/** Whether a value is a whole number of at least `least`, and at most `most` where there is a limit. */
export const isWholeNumber = (
  value: unknown,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;

/** For an option that the function checks where it uses it. */
export const checkedLater: Rule = () => undefined;

export const wholeNumberRule = (least: number, most?: number): Rule =>
  rule(
    (value) => isWholeNumber(value, least, most),
    `must be a whole number of at least ${least}${most === undefined ? '' : ` and at most ${most}`}`,
  );

/** `hint` follows "must be a function", such as ` that takes one attempt record`. */
export const functionRule = (hint = ''): Rule =>
  rule((value) => typeof value === 'function', `must be a function${hint}`);

/** For an object that has these functions, its own or inherited. */
export const methodsRule =
  (names: readonly string[], expectation: string): Rule =>
  (value) => {
    const missing = names.filter((name) => typeof readProperty(value, name) !== 'function');
    if (missing.length === 0) return undefined;
    return typeof value === 'object' && value !== null
      ? `${expectation}; this one lacks ${missing.join(', ')}`
      : unexpected(expectation, value);
  };

/** The rule of each option of `T`: the compiler finds a missing name and one that is not an option. */
export type Rules<T> = { readonly [Name in keyof T]-?: Rule };

/**
 * Checks the options of a function and returns a copy, for which each was read once. An option that is undefined counts as left out. A misspelt
 * name is refused: `tolerence` must not leave the tolerance wide open.
 *
 * @param path - where the options are part of a larger value, such as `on`.
 * @throws `ConfigurationError` for an unknown name, with the one that was probably meant, and for the first wrong value.
 */
export function checkOptions<T extends object>(given: T, known: Rules<T>, owner: string, path = ''): T {
  const names = Object.keys(known);
  if (typeof given !== 'object' || given === null) {
    throw new ConfigurationError(path || 'options', unexpected(objectExpectation(names), given));
  }
  for (const name in given) {
    if (!Object.hasOwn(known, name))
      throw new ConfigurationError(
        pathText(path, [name]),
        `is not an option of ${owner}${suggestion(name, names)}`,
      );
  }
  const entries = Object.entries<Rule>(known).map(([name, problemOf]) => {
    const value: unknown = Reflect.get(given, name);
    const problem = value === undefined ? undefined : problemOf(value);
    if (problem !== undefined) throw new ConfigurationError(pathText(path, [name]), problem);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

/** What options must be, with the first of their names. */
export const objectExpectation = (names: readonly string[]): string =>
  `must be an object, such as { ${names.slice(0, 3).join(', ')} }`;

/** Where a value is in the options: `clients[0].apiKey`, `on['transaction.failed']`. */
export const pathText = (start: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, name) => {
    if (typeof name === 'number') return `${text}[${name}]`;
    if (text === '') return String(name);
    return /^\w+$/.test(String(name)) ? `${text}.${String(name)}` : `${text}['${String(name)}']`;
  }, start);
