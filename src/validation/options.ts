// How to check the options of a function: write one schema of the kinds in `option-kinds.ts`,
// `const schema = optionsOf({ timeout: withDefault(ms(), 30_000), signal: optional(signal()) } satisfies OptionShape<MyOptions>)`,
// and read `const options = parseOptions(schema, given, { owner: 'myFunction' })`: each option was read once, and a wrong one has thrown.
// No schema library is needed, so that `verifyWebhook` starts without one. A schema of zod fits too: the sandbox writes its own as JSON Schema.
import type { FieldIssue } from '../contract/read-params.js';
import { ConfigurationError } from '../errors/base.js';
import { suggestion } from '../utils/nearest.js';
import { isRecord } from '../utils/unknown.js';

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
