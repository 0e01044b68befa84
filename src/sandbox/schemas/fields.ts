import * as z from 'zod/mini';
import { suggestion } from '../../utils/nearest.js';
import { objectExpectation, parseOptions, unexpected } from '../../validation/options.js';

/**
 * The fields of everything that comes into the sandbox: options, flags, configuration files and bodies of the control API. Each is described
 * once, and is checked by what describes it.
 */

type Shape = Readonly<Record<string, z.ZodMiniType>>;

/** A schema for each field of `T`: the compiler finds a missing name and one that is not a field. */
export type FieldShape<T> = { readonly [Name in keyof T]-?: z.ZodMiniType };

/** The schema of an object that refuses a name that it does not know. `parseOptions` checks with it. */
export function fieldsOf<const S extends Shape>(shape: S): z.ZodMiniObject<S, z.core.$strict> {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: ({ code, keys, input }) =>
      code === 'unrecognized_keys'
        ? suggestion(String(keys?.[0]), names)
        : unexpected(objectExpectation(names), input),
  });
}

/** The error of a schema: what must be there, and what is there instead. */
export const expects = (expectation: string) => ({
  error: ({ input }: { readonly input?: unknown }): string => unexpected(expectation, input),
});

const nonEmpty = expects('must be a non-empty string');

/** Text that is not empty. */
export const text = (description: string) =>
  z.string(nonEmpty).check(z.minLength(1, nonEmpty), z.describe(description));

/** True or false. */
export const yesNo = (description: string) =>
  z.boolean(expects('must be true or false')).check(z.describe(description));

/** One of some words. */
export const wordOf = <const T extends string>(words: readonly T[], description: string) =>
  z
    .enum(
      words,
      expects(
        words.length < 3
          ? `must be ${words.map((word) => `'${word}'`).join(' or ')}`
          : `must be one of ${words.join(', ')}`,
      ),
    )
    .check(z.describe(description));

/** A whole number. */
export function whole(least: number, most: number, problem: string, description: string) {
  const error = expects(problem);
  return z.int(error).check(z.minimum(least, error), z.maximum(most, error), z.describe(description));
}

const mostNaira = 1e12;
const nairaProblem = expects('must be a number of NGN from 0 to 1,000,000,000,000');

/** An amount of money, of at least 0. */
export const naira = (description: string) =>
  z
    .number(nairaProblem)
    .check(z.minimum(0, nairaProblem), z.maximum(mostNaira, nairaProblem), z.describe(description));

/** A list of at least `least` items. */
export function listOf<S extends z.ZodMiniType>(
  item: S,
  problem: string,
  description: string,
  least = 0,
): z.ZodMiniArray<S> {
  const error = expects(problem);
  return z.array(item, error).check(z.minLength(least, error), z.describe(description));
}

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

/** The JSON Schema of what a schema takes. */
export function jsonSchemaOf(schema: z.ZodMiniType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', reused: 'inline' });
  return json;
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

type Unit = keyof typeof unitMs;

/** A length of time: milliseconds, or a number with its unit: `'250ms'`, `'90s'`, `'5m'`, `'6h'`, `'2d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** A hundred years: with more, a clock soon comes to a time that has no date. */
const longestMs = 36_500 * 86_400_000;

export const durationProblem = expects(
  "must be a length of time from 0 to 100 years: milliseconds as a number, or '250ms', '90s', '5m', '6h', '2d'",
);

/** The milliseconds of a duration. */
export function msOf(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const [, number, unit] = /^(.*?)(ms|s|m|h|d)$/.exec(duration) ?? [];
  return Number(number) * unitMs[unit as Unit];
}

/** A length of time. */
export const duration = (description: string) =>
  z
    .union(
      [
        z.number(durationProblem),
        z.templateLiteral([z.number(), z.enum(['ms', 's', 'm', 'h', 'd'])], durationProblem),
      ],
      durationProblem,
    )
    .check(
      z.refine((given) => msOf(given) >= 0 && msOf(given) <= longestMs, durationProblem),
      z.describe(description),
    );

const alone = z.object({ duration: duration('') });

/** Milliseconds of a duration that a method was given. */
export const checkedMs = (given: unknown): number =>
  msOf(parseOptions(alone, { duration: given }, { owner: 'the sandbox' }).duration);
