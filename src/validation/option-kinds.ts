import * as z from 'zod/mini';
import type { Logger } from '../utils/logger.js';
import { adaptedLogger, type PinoLike } from '../utils/logger-adapters.js';
import { readProperty } from '../utils/read-property.js';
import { functionRule, longestTimerMs, methodsRule, type Rule, rule, wholeNumberRule } from './options.js';
import { expects } from './parse-options.js';
import { sqlNameRule } from './sql-names.js';

/** A value that keeps a rule; it is passed on as it is, so that instances of classes keep what they are. */
const keeping = <T>(problemOf: Rule): z.ZodMiniType<T> =>
  z.custom<T>((value) => problemOf(value) === undefined, { error: ({ input }) => problemOf(input) });

/** A value that `accepts` recognises. */
export const instance = <T>(accepts: (value: unknown) => boolean, expectation: string): z.ZodMiniType<T> =>
  keeping(rule(accepts, expectation));

/** A positive number of ms that a timer can hold. */
export const ms = (): z.ZodMiniType<number> =>
  instance<number>(
    (value) => typeof value === 'number' && value > 0 && value <= longestTimerMs,
    `must be a number of milliseconds above 0, and at most ${longestTimerMs} (24 days)`,
  );

/** A whole number of at least `least`, and at most `most` where there is a limit. */
export const wholeNumber = (least: number, most?: number): z.ZodMiniType<number> =>
  keeping(wholeNumberRule(least, most));

/** True or false. */
export const flag = (): z.ZodMiniType<boolean> => z.boolean({ error: expects('must be true or false') });

/** Text that is not empty. Its value is never shown. `hint` follows "must be a string that is not empty". */
export const text = (hint = ''): z.ZodMiniType<string> =>
  instance<string>(
    (value) => typeof value === 'string' && value !== '',
    `must be a string that is not empty${hint}`,
  );

/** The name of a schema or a table. */
export const sqlName = (): z.ZodMiniType<string> => keeping(sqlNameRule);

/** One of a few words. */
export const oneOf = <const T extends string>(words: readonly T[]): z.ZodMiniType<T> =>
  z.enum(words, { error: expects(`must be one of ${words.join(', ')}`) });

/** A function. `hint` follows "must be a function", such as ` that takes one attempt record`. */
// biome-ignore lint/complexity/noBannedTypes: what the function takes and returns cannot be checked; the caller names its type.
export const fn = <F extends Function>(hint = ''): z.ZodMiniType<F> => keeping(functionRule(hint));

/**
 * An object with these functions, its own or inherited. `expectation` says what to pass, such as `must be an order queue, such as
 * inProcessQueue()`; the message adds which functions are missing.
 */
export const withMethods = <T>(methods: readonly string[], expectation: string): z.ZodMiniType<T> =>
  keeping(methodsRule(methods, expectation));

/** An AbortSignal, recognised by what it can do: signals cross realms and polyfills. */
export const signal = (): z.ZodMiniType<AbortSignal> =>
  instance<AbortSignal>(
    (value) =>
      typeof readProperty(value, 'aborted') === 'boolean' &&
      typeof readProperty(value, 'addEventListener') === 'function',
    'must be an AbortSignal: pass controller.signal, not the controller',
  );

/** A logger with these functions, the arguments of pino's turned round. */
export const logger = <L extends Partial<Logger> = Logger>(
  methods: readonly (keyof L & string)[],
): z.ZodMiniType<L | Logger> =>
  z.pipe(
    withMethods<L | PinoLike>(
      methods,
      `must be an object with the functions ${methods.join(', ')}, such as console, or pinoLogger(logger), winstonLogger(logger)`,
    ),
    z.transform((value: L | PinoLike) => adaptedLogger(value)),
  );

/** Headers that only the client may set. */
const reservedHeaders = ['authorization', 'content-type', 'content-length', 'host'];

const isHeadersObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const headersExpectation = "must be an object of strings, such as { 'X-Request-Source': 'pos' }";

/** Extra request headers, each read once, their names in lower case. A value is never shown in a message. */
export const headers = (): z.ZodMiniType<Record<string, string>> =>
  z.pipe(instance<object>(isHeadersObject, headersExpectation), z.transform(readHeaders));

/** Headers, or a function that returns them before each attempt. */
// biome-ignore lint/complexity/noBannedTypes: as for `fn`.
export const headersOption = <F extends Function>(): z.ZodMiniType<F | Record<string, string>> =>
  z.pipe(
    instance<F | object>(
      (value) => typeof value === 'function' || isHeadersObject(value),
      `${headersExpectation}, or a function that returns one`,
    ),
    z.transform((value, context) => (isFunction(value) ? value : readHeaders(value, context))),
  );

// biome-ignore lint/complexity/noBannedTypes: as for `fn`.
const isFunction = <F extends Function>(value: F | object): value is F => typeof value === 'function';

function readHeaders(value: object, { issues }: { issues: z.core.$ZodRawIssue[] }): Record<string, string> {
  const entries: [string, unknown][] = value instanceof Headers ? [...value] : Object.entries(value);
  for (const [name, content] of entries) {
    const problem = headerProblem(name, content);
    if (problem) issues.push({ code: 'custom', message: problem, input: value });
  }
  return Object.fromEntries(entries.map(([name, content]) => [name.toLowerCase(), String(content)]));
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
