import {
  type $strict,
  type $strip,
  $ZodArray,
  $ZodAsyncError,
  $ZodCustom,
  $ZodExactOptional,
  $ZodNever,
  $ZodObject,
  $ZodOptional,
  type $ZodRawIssue,
  type $ZodShape,
  type $ZodType,
} from 'zod/v4/core';

/**
 * The kinds of schema that the contract is written in, made from the classes that zod and zod/mini are both built on: the methods that
 * either adds to them would be in every consumer's bundle, and nobody here calls them. The classes are generic and their
 * constructors are not, hence the assertions.
 */

/** Whatever `problem` finds nothing wrong with. */
export const custom = <T>(problem: (input: unknown) => string | undefined, expected?: Plain) =>
  new $ZodCustom({
    type: 'custom',
    check: 'custom',
    fn: (input) => problem(input) === undefined,
    params: { problem, expected },
  }) as $ZodCustom<T, T>;

/** A type that a value in an answer may be mended to. */
export type Plain = 'string' | 'number';

const plain = <T>(expected: Plain, fits: (input: unknown) => boolean) =>
  custom<T>((input) => (fits(input) ? undefined : `is no ${expected}`), expected);

/** Any string. */
export const text = <T extends string = string>() => plain<T>('string', (input) => typeof input === 'string');

/** Any string but the empty one. */
export const filledText = <T extends string = string>() =>
  plain<T>('string', (input) => typeof input === 'string' && input !== '');

/** A finite number. */
export const number = () => plain<number>('number', Number.isFinite);

/** May be absent or undefined. */
export const optional = <T extends $ZodType>(innerType: T) =>
  new $ZodOptional({ type: 'optional', innerType }) as $ZodOptional<T>;

/** May be absent, but not present and undefined. */
export const exactOptional = <T extends $ZodType>(innerType: T) =>
  new $ZodExactOptional({ type: 'optional', innerType }) as $ZodExactOptional<T>;

export const array = <T extends $ZodType>(element: T) =>
  new $ZodArray({ type: 'array', element }) as $ZodArray<T>;

/** These fields, and any others. */
export const object = <Shape extends $ZodShape>(shape: Shape) =>
  new $ZodObject({ type: 'object', shape }) as $ZodObject<Shape, $strip>;

/** These fields and no others. */
export const strictObject = <Shape extends $ZodShape>(shape: Shape) =>
  new $ZodObject({
    type: 'object',
    shape,
    catchall: new $ZodNever({ type: 'never' }),
  }) as $ZodObject<Shape, $strict>;

/** A deviation of a value from its schema. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  /** What `custom` said. */
  readonly problem: string;
  /** Where a value of a plain type belongs, that type. */
  readonly expected?: Plain | undefined;
  /** Fields that the schema does not know. */
  readonly unknown?: readonly string[] | undefined;
}

function issueOf(issue: $ZodRawIssue): Issue {
  const { code, path = [] } = issue;
  if (code === 'unrecognized_keys') return { path, problem: code, unknown: issue.keys };
  if (code !== 'custom') return { path, problem: code };
  const { problem, expected } = issue.params ?? {};
  return { path, problem: problem(issue.input), expected };
}

/**
 * A copy of a value as its schema knows it, and every issue: none where it fits. As zod's `safeParse`, whose errors, made for people
 * who read zod's, are as much code again.
 */
export function check<T>(
  schema: $ZodType<T>,
  value: unknown,
): { readonly value: T; readonly issues: Issue[] } {
  const checked = schema._zod.run({ value, issues: [] }, {});
  // Only a check that waits for something gives a promise, and none of these does.
  if (checked instanceof Promise) throw new $ZodAsyncError();
  return { value: checked.value as T, issues: checked.issues.map(issueOf) };
}

/** The names of an object's fields. */
export const fieldNames = (schema: $ZodType): string[] =>
  schema instanceof $ZodObject ? Object.keys(schema._zod.def.shape) : [];

export type { $ZodType as Schema, output as Output } from 'zod/v4/core';
