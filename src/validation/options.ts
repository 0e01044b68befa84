import type { FieldIssue } from '../contract/read-params.js';
import { ConfigurationError } from '../errors/base.js';
import { adaptedLogger, type Logger, type PinoLike } from '../utils/logger.js';
import { suggestion } from '../utils/nearest.js';
import { isRecord, readProperty } from '../utils/unknown.js';

// How to check the options of a function: write one schema of the kinds at the end of this file,
// `const schema = optionsOf({ timeout: withDefault(ms(), 30_000), signal: optional(signal()) } satisfies OptionShape<MyOptions>)`,
// and read `const options = parseOptions(schema, given, { owner: 'myFunction' })`: each option was read once, and a wrong one has thrown.
// No schema library is needed, so that `verifyWebhook` starts without one. A schema of zod fits too: the sandbox writes its own as JSON Schema.

/** What a schema makes of a value. */
export type ParsedOption<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly error: { readonly issues: readonly FieldIssue[] } };

/** Checks a value and returns it as it is used. */
export interface OptionSchema<T = unknown> {
  safeParse(value: unknown): ParsedOption<T>;
}

/** The schema of an option that may be left out. */
export interface OptionalSchema<T = unknown> extends OptionSchema<T | undefined> {
  readonly isOptional: true;
}

/** A schema for each option of `T`: the compiler finds a missing name and one that is not an option. */
export type OptionShape<T> = { readonly [Name in keyof T]-?: OptionSchema };

type Shape = Readonly<Record<string, OptionSchema>>;

/** The options that a shape describes. */
export type OptionsOf<S extends Shape> = {
  [Name in keyof S as S[Name] extends OptionalSchema ? never : Name]: ValueOf<S[Name]>;
} & { [Name in keyof S as S[Name] extends OptionalSchema ? Name : never]?: ValueOf<S[Name]> };

type ValueOf<Schema> = Schema extends OptionSchema<infer T> ? T : never;

export const accepted = <T>(data: T) => ({ success: true, data }) as const;
export const refused = (...issues: readonly FieldIssue[]) => ({ success: false, error: { issues } }) as const;

/** An option that may be left out; `undefined` counts as left out. */
// @__NO_SIDE_EFFECTS__
export const optional = <T>(schema: OptionSchema<T>): OptionalSchema<T> => ({
  isOptional: true,
  safeParse: (value) => (value === undefined ? accepted(undefined) : schema.safeParse(value)),
});

/** An option with a default. */
// @__NO_SIDE_EFFECTS__
export const withDefault = <T>(schema: OptionSchema<T>, byDefault: NoInfer<T>): OptionSchema<T> => ({
  safeParse: (value) => (value === undefined ? accepted(byDefault) : schema.safeParse(value)),
});

/** The schema of an object of options, also of one inside another. It refuses a name that it does not know: `tolerence` must not leave the tolerance wide open. */
// @__NO_SIDE_EFFECTS__
export function optionsOf<const S extends Shape>(
  shape: S,
): OptionSchema<OptionsOf<S>> & { readonly shape: S } {
  const names = Object.keys(shape);
  return {
    shape,
    safeParse(given) {
      if (!isRecord(given))
        return refused({ path: [], message: unexpected(objectExpectation(names), given) });
      const issues: FieldIssue[] = [];
      for (const name in given) {
        if (!Object.hasOwn(shape, name))
          issues.push({ code: unknownName, keys: [name], path: [], message: suggestion(name, names) });
      }
      const options: Record<string, unknown> = {};
      for (const name of names) {
        const parsed = shape[name]?.safeParse(Reflect.get(given, name));
        if (parsed?.success === false)
          issues.push(...parsed.error.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] })));
        else if (parsed?.data !== undefined) options[name] = parsed.data;
      }
      // The shape says which name has which type.
      return issues.length > 0 ? refused(...issues) : accepted(options as OptionsOf<S>);
    },
  };
}

const unknownName = 'unrecognized_keys';

/** What options must be, with the first of their names. */
export const objectExpectation = (names: readonly string[]): string =>
  `must be an object, such as { ${names.slice(0, 3).join(', ')} }`;

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

/** Whose options are checked. */
export interface OptionsOwner {
  /** The public function, as a message names it: `createOrders`, `a call`. */
  readonly owner: string;
  /** Where the options are part of a larger value: `clients[0]`. */
  readonly path?: string | undefined;
}

/**
 * Checks options, each read once, and returns them with their defaults. `undefined` counts as `{}`.
 *
 * @throws `ConfigurationError` for the first wrong option, with its path: `clients[0].apiKey`. A misspelt name comes before a missing one.
 */
export function parseOptions<T>(
  schema: OptionSchema<T>,
  given: unknown,
  { owner, path = '' }: OptionsOwner,
): T {
  const result = read(schema, given, owner);
  if (result.success) return result.data;
  const { issues } = result.error;
  const misspelt = issues.find(({ code }) => code === unknownName);
  if (misspelt) {
    const name = pathText(path, [...misspelt.path, ...(misspelt.keys?.slice(0, 1) ?? [])]);
    throw new ConfigurationError(name, `is not an option of ${owner}${misspelt.message}`);
  }
  const [issue] = issues;
  throw new ConfigurationError(pathText(path, issue?.path ?? []) || 'options', issue?.message ?? '');
}

function read<T>(schema: OptionSchema<T>, given: unknown, owner: string): ParsedOption<T> {
  try {
    return schema.safeParse(given === undefined ? {} : given);
  } catch (cause) {
    const problem = `could not be read by ${owner}: one of them threw when it was read`;
    throw Object.assign(new ConfigurationError('options', problem), { cause });
  }
}

/** Where a value is in the options: `clients[0].apiKey`, `on['transaction.failed']`. */
const pathText = (start: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, name) => {
    if (typeof name === 'number') return `${text}[${name}]`;
    if (text === '') return String(name);
    return /^\w+$/.test(String(name)) ? `${text}.${String(name)}` : `${text}['${String(name)}']`;
  }, start);

/** Throws `ConfigurationError` unless the condition holds: for what depends on more than one option. */
export function assertOption(condition: unknown, option: string, problem: string): asserts condition {
  if (!condition) throw new ConfigurationError(option, problem);
}

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
