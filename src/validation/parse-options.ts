// How to check the options of a function: write one schema of the kinds in `option-kinds.ts`,
// `const schema = optionsOf({ timeout: z._default(ms(), 30_000), signal: z.optional(signal()) } satisfies OptionShape<MyOptions>)`,
// and read `const options = parseOptions(schema, given, { owner: 'myFunction' })`: each option was read once, and a wrong one has thrown.
import * as z from 'zod/mini';
import { ConfigurationError } from '../errors/configuration-error.js';
import { suggestion } from '../utils/nearest.js';
import { objectExpectation, pathText, unexpected } from './options.js';

/** A schema for each option of `T`: the compiler finds a missing name and one that is not an option. */
export type OptionShape<T> = { readonly [Name in keyof T]-?: z.ZodMiniType };

type Shape = Readonly<Record<string, z.ZodMiniType>>;

/** The schema of an object of options, also of one inside another. It refuses a name that it does not know. */
export function optionsOf<const S extends Shape>(shape: S): z.ZodMiniObject<S, z.core.$strict> {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: ({ code, keys, input }) =>
      code === 'unrecognized_keys'
        ? suggestion(String(keys?.[0]), names)
        : unexpected(objectExpectation(names), input),
  });
}

/** `unexpected` as the error of a schema. */
export const expects =
  (expectation: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    unexpected(expectation, input);

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
export function parseOptions<S extends z.ZodMiniType>(
  schema: S,
  given: unknown,
  { owner, path = '' }: OptionsOwner,
): z.output<S> {
  const result = read(schema, given, owner);
  if (result.success) return result.data;
  const { issues } = result.error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const name = pathText(path, [...issue.path, ...issue.keys.slice(0, 1)]);
    throw new ConfigurationError(name, `is not an option of ${owner}${issue.message}`);
  }
  throw new ConfigurationError(pathText(path, issue?.path ?? []) || 'options', issue?.message ?? '');
}

function read<S extends z.ZodMiniType>(schema: S, given: unknown, owner: string) {
  try {
    return schema.safeParse(given === undefined ? {} : given);
  } catch (cause) {
    const problem = `could not be read by ${owner}: one of them threw when it was read`;
    throw Object.assign(new ConfigurationError('options', problem), { cause });
  }
}
