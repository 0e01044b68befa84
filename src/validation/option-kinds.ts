import { adaptedLogger, type Logger, type PinoLike } from '../utils/logger.js';
import { readProperty } from '../utils/unknown.js';
import { accepted, type OptionSchema, refused, unexpected } from './options.js';

/** The longest time that timers of every runtime can hold, in ms: about 24 days. */
export const longestTimerMs = 2_147_483_647;

/** A value as it is used, or what is wrong with it. */
export type Read<T> = { readonly value: T } | { readonly problem: string };

/** A value that `read` makes of what was given. */
// @__NO_SIDE_EFFECTS__
export const readBy = <T>(read: (given: unknown) => Read<T>): OptionSchema<T> => ({
  safeParse(given) {
    const result = read(given);
    return 'value' in result ? accepted(result.value) : refused({ path: [], message: result.problem });
  },
});

/** A value that `accepts` recognises, passed on as it is, so that instances of classes stay what they are. `expectation` completes "the option …". */
// @__NO_SIDE_EFFECTS__
export const instance = <T>(accepts: (value: unknown) => boolean, expectation: string): OptionSchema<T> =>
  readBy((value) => (accepts(value) ? { value: value as T } : { problem: unexpected(expectation, value) }));

/** A value that the function checks where it uses it. */
// @__NO_SIDE_EFFECTS__
export const unchecked = <T>(): OptionSchema<T> => ({ safeParse: (value) => accepted(value as T) });

/** A positive number of ms that a timer can hold. */
export const ms = (): OptionSchema<number> =>
  instance(
    (value) => typeof value === 'number' && value > 0 && value <= longestTimerMs,
    `must be a number of milliseconds above 0, and at most ${longestTimerMs} (24 days)`,
  );

/** Whether a value is a whole number of at least `least`, and at most `most` where there is a limit. */
export const isWholeNumber = (
  value: unknown,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;

/** A whole number of at least `least`, and at most `most` where there is a limit. */
export const wholeNumber = (least: number, most?: number): OptionSchema<number> =>
  instance(
    (value) => isWholeNumber(value, least, most),
    `must be a whole number of at least ${least}${most === undefined ? '' : ` and at most ${most}`}`,
  );

/** True or false. */
export const flag = (): OptionSchema<boolean> =>
  instance((value) => typeof value === 'boolean', 'must be true or false');

/** Text that is not empty. Its value is never shown. `hint` follows "must be a string that is not empty". */
// @__NO_SIDE_EFFECTS__
export const text = (hint = ''): OptionSchema<string> =>
  instance((value) => typeof value === 'string' && value !== '', `must be a string that is not empty${hint}`);

/** One of a few words. */
export const oneOf = <const T extends string>(words: readonly T[]): OptionSchema<T> =>
  instance((value) => words.some((word) => word === value), `must be one of ${words.join(', ')}`);

/** A function. `hint` follows "must be a function", such as ` that takes one attempt record`. */
// biome-ignore lint/complexity/noBannedTypes: what the function takes and returns cannot be checked; the caller names its type.
export const fn = <F extends Function>(hint = ''): OptionSchema<F> =>
  instance((value) => typeof value === 'function', `must be a function${hint}`);

/**
 * An object with these functions, its own or inherited. `expectation` says what to pass, such as `must be an order queue, such as
 * inProcessQueue()`; the message adds which functions are missing.
 */
export const withMethods = <T>(methods: readonly string[], expectation: string): OptionSchema<T> =>
  readBy((value) => {
    const missing = methods.filter((name) => typeof readProperty(value, name) !== 'function');
    if (missing.length === 0) return { value: value as T };
    return {
      problem:
        typeof value === 'object' && value !== null
          ? `${expectation}; this one lacks ${missing.join(', ')}`
          : unexpected(expectation, value),
    };
  });

/** An AbortSignal, recognised by what it can do: signals cross realms and polyfills. */
export const signal = (): OptionSchema<AbortSignal> =>
  instance(
    (value) =>
      typeof readProperty(value, 'aborted') === 'boolean' &&
      typeof readProperty(value, 'addEventListener') === 'function',
    'must be an AbortSignal: pass controller.signal, not the controller',
  );

/** A logger with these functions, the arguments of pino's turned round. */
export const logger = <L extends Partial<Logger> = Logger>(
  methods: readonly (keyof L & string)[],
): OptionSchema<L | Logger> => {
  const schema = withMethods<L | PinoLike>(
    methods,
    `must be an object with the functions ${methods.join(', ')}, such as console, or pinoLogger(logger), winstonLogger(logger)`,
  );
  return {
    safeParse(given) {
      const parsed = schema.safeParse(given);
      return parsed.success ? accepted(adaptedLogger<L>(parsed.data)) : parsed;
    },
  };
};

/** Headers that only the client may set. */
const reservedHeaders = ['authorization', 'content-type', 'content-length', 'host'];

const headersExpectation = "must be an object of strings, such as { 'X-Request-Source': 'pos' }";

/** Extra request headers, each read once, their names in lower case. A value is never shown in a message. */
export const headers = (): OptionSchema<Record<string, string>> =>
  readBy((given) => readHeaders(given, headersExpectation));

/** Headers, or a function that returns them before each attempt. */
// biome-ignore lint/complexity/noBannedTypes: as for `fn`.
export const headersOption = <F extends Function>(): OptionSchema<F | Record<string, string>> =>
  readBy<F | Record<string, string>>((given) =>
    typeof given === 'function'
      ? { value: given as F }
      : readHeaders(given, `${headersExpectation}, or a function that returns one`),
  );

function readHeaders(given: unknown, expectation: string): Read<Record<string, string>> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { problem: unexpected(expectation, given) };
  const entries: [string, unknown][] = given instanceof Headers ? [...given] : Object.entries(given);
  for (const [name, content] of entries) {
    const problem = headerProblem(name, content);
    if (problem) return { problem };
  }
  return {
    value: Object.fromEntries(entries.map(([name, content]) => [name.toLowerCase(), String(content)])),
  };
}

function headerProblem(name: string, content: unknown): string | undefined {
  if (reservedHeaders.includes(name.toLowerCase()))
    return `must not contain ${name}: the client sets it itself`;
  return typeof content === 'string' && isHeader(name, content)
    ? undefined
    : `contains ${JSON.stringify(name)}, which is not a valid header (its value is not shown here)`;
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers({ [name]: value }).has(name);
  } catch {
    return false;
  }
}

/** The name of a schema or a table, which becomes part of SQL text. Room is left for the names of indexes. */
export const sqlName = (): OptionSchema<string> =>
  instance(
    (value) => typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,40}$/.test(value),
    'must be a plain name of letters, digits and underscores, at most 41 characters long',
  );

/**
 * The name of a table in SQL text. Quoted, so that a name that is also a word of SQL works.
 *
 * @param quote - the quotation mark of names: MySQL has another one.
 */
export const quotedTable = (schema: string | undefined, table: string, quote = '"'): string =>
  [...(schema === undefined ? [] : [schema]), table].map((name) => quote + name + quote).join('.');
