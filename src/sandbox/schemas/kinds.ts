import * as z from 'zod/mini';
import { expects, optionsOf, parseOptions } from '../../validation/parse-options.js';
import { type Duration, durationProblem, readDuration } from './duration.js';

/**
 * The kinds of values that come into the sandbox. A schema of them checks options, configuration files, control requests and flags, and
 * describes them as JSON Schema.
 */

/** A JSON Schema, as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A flag of the command line that sets a value. */
export interface FlagOf {
  /** Without the dashes, where it is not the name of the option in kebab case. */
  readonly name?: string;
  /** What its value is called; undefined for a switch. */
  readonly value?: string;
  /** Where the description of the option does not say what the flag does. */
  readonly help?: string;
  /** Whether it may be given more than once. */
  readonly many?: true;
  /** The value of the texts that were given on a command line (default: all of `many`, else the last one, as the number that it is). */
  readonly read?: (texts: readonly string[]) => unknown;
  /** What a text must be, where the command checks it before it starts anything. */
  readonly problem?: string;
}

/** A text of a command line as the number that it is; else unchanged, for the check to refuse by name. */
export const numberOrText = (text: string): string | number =>
  /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;

/** The flag of a schema. */
export const flags = z.registry<FlagOf>();

/** A schema with its words in JSON Schema, and its flag. */
export function described<S extends z.ZodMiniType>(schema: S, json: JsonSchema, flag?: FlagOf): S {
  z.globalRegistry.add(schema, json);
  if (flag) flags.add(schema, flag);
  return schema;
}

/** The JSON Schema of what a schema takes; what is undefined in it is left out where it is written as JSON. */
export function jsonSchemaOf(schema: z.ZodMiniType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    // A default is no promise about what comes in, and `-9007199254740991` no limit that somebody chose.
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return json;
}

/** A value that `accepts` recognises. */
export const kind = <T>(
  accepts: (value: unknown) => boolean,
  problem: string,
  json: JsonSchema,
  flag?: FlagOf,
): z.ZodMiniType<T> => described(z.custom<T>(accepts, { error: expects(problem) }), json, flag);

/** Text that is not empty. */
export const text = (description?: string, flag?: FlagOf): z.ZodMiniType<string> =>
  kind(
    (value) => typeof value === 'string' && value !== '',
    'must be a non-empty string',
    { type: 'string', minLength: 1, description },
    flag,
  );

/** Any text, as the queries of lists have it. */
export const anyText = (description?: string): z.ZodMiniType<string> =>
  kind((value) => typeof value === 'string', 'must be a string', { type: 'string', description });

/** True or false. */
export const yesNo = (description?: string, flag?: FlagOf): z.ZodMiniType<boolean> =>
  described(z.boolean({ error: expects('must be true or false') }), { description }, flag);

/** One of some words. */
export const wordOf = <const T extends string>(
  words: readonly T[],
  description?: string,
  flag?: FlagOf,
): z.ZodMiniType<T> =>
  described(
    z.enum(words, { error: expects(`must be ${listed(words.map((word) => `'${word}'`))}`) }),
    { description },
    flag,
  );

const listed = (words: readonly string[]): string =>
  words.length < 3 ? words.join(' or ') : `one of ${words.join(', ')}`;

/** A whole number within limits. */
export const whole = (
  problem: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
  json: JsonSchema = {},
  flag?: FlagOf,
): z.ZodMiniType<number> =>
  kind(
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    problem,
    { type: 'integer', minimum: least, ...(most < Number.MAX_SAFE_INTEGER && { maximum: most }), ...json },
    flag,
  );

/** An amount of money, of at least 0. */
export const naira = (description = 'NGN', flag?: FlagOf): z.ZodMiniType<number> =>
  kind(
    (value) => typeof value === 'number' && value >= 0 && value <= 1e12,
    'must be a number of NGN from 0 to 1,000,000,000,000',
    { type: 'number', minimum: 0, description },
    flag,
  );

const amount = optionsOf({ amount: naira() });

/** An amount of money that a method was given. */
export const checkedAmount = (value: unknown): number =>
  parseOptions(amount, { amount: value }, { owner: 'the sandbox' }).amount;

/** A length of time. */
export const duration = (description: string, flag?: FlagOf): z.ZodMiniType<Duration> =>
  kind(
    (value) => readDuration(value) !== undefined,
    durationProblem,
    { type: ['string', 'number'], description },
    flag,
  );

type Shape = Readonly<Record<string, z.ZodMiniType>>;

/** The same fields, each of which may be left out. */
export const allOptional = <S extends Shape>(shape: S) =>
  // `Object.fromEntries` forgets which schema belongs to which name.
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, z.optional(schema)])) as {
    [Name in keyof S]: z.ZodMiniOptional<S[Name]>;
  };

type WithoutUndefined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & { [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined> };

/** A copy without the fields that are undefined. */
export const withoutUndefined = <T extends object>(value: T): WithoutUndefined<T> =>
  // `Object.fromEntries` forgets which value belongs to which name.
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as WithoutUndefined<T>;

/** A list of texts, each of which `accepts` recognises; it is wrong as a whole. */
export const textList = (
  problem: string,
  accepts: (text: unknown) => boolean,
  description: string,
  flag?: FlagOf,
): z.ZodMiniType<readonly string[]> =>
  kind(
    (value) => Array.isArray(value) && value.every(accepts),
    problem,
    { type: 'array', items: { type: 'string' }, description },
    flag,
  );

/** A list of at least `least` items. */
export const list = <S extends z.ZodMiniType>(
  item: S,
  problem: string,
  json: JsonSchema = {},
  least = 0,
): z.ZodMiniArray<S> =>
  described(z.array(item, { error: expects(problem) }).check(z.minLength(least, { error: problem })), json);
