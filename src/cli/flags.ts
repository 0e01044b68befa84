import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { didYouMean } from '../utils/nearest.js';
import { columns } from './columns.js';
import { UsageError } from './program.js';

interface Described {
  readonly short?: string;
  readonly help: string;
}

interface Switch extends Described {
  readonly value?: undefined;
}

interface ValueFlag extends Described {
  /** What its value is called: `FILE`. */
  readonly value: string;
  /** Reads each value; its message follows the name of the flag. */
  readonly schema: z.ZodMiniType<unknown, string>;
  /** Whether it may be given more than once; then its values are a list. Otherwise a later value replaces an earlier one. */
  readonly many?: true;
  /** Whether the value may be a secret, or contain one, so that no message shows it. */
  readonly isSecret?: true;
}

export type Flag = Switch | ValueFlag;

/** Flags by name, without the dashes. */
export type Flags = Readonly<Record<string, Flag>>;

/** Any text that is not empty. */
export const anyText = z.string();

/** A text that `accepts` recognises, as what `read` makes of it. `error` completes "--flag …, not TEXT". */
export const textThat = <T = string>(
  accepts: (text: string) => boolean,
  error: string,
  read: (text: string) => T = (text) => text as T,
): z.ZodMiniType<T, string> => z.pipe(z.string().check(z.refine(accepts, { error })), z.transform(read));

export const wordOf = <const T extends string>(words: readonly T[]): z.ZodMiniType<T, string> =>
  textThat<T>((text) => words.some((word) => word === text), `must be ${oneOf(words)}`);

const oneOf = (words: readonly string[]): string =>
  words.length < 3 ? words.join(' or ') : `one of ${words.join(', ')}`;

export const naira = textThat(
  (text) => /^\d+(\.\d{1,2})?$/.test(text) && Number(text) <= 1e12,
  'must be an amount of NGN such as 5000 or 99.50',
  Number,
);

export const wholeNumber = (least: number, most: number): z.ZodMiniType<number, string> =>
  textThat(
    (text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
    `must be a whole number from ${least} to ${most}`,
    Number,
  );

/** A URL whose scheme is one of `schemes`. `what` completes "must be", such as `the address of a sandbox such as http://127.0.0.1:4010`. */
export const urlOf = (schemes: readonly string[], what: string): z.ZodMiniType<string, string> =>
  textThat(
    (text) => URL.canParse(text) && schemes.some((scheme) => new URL(text).protocol === `${scheme}:`),
    `must be ${what}`,
  );

export const postgresUrl = urlOf(
  ['postgres', 'postgresql'],
  'the address of a PostgreSQL such as postgres://user@localhost/shop',
);

type ValueOf<F extends Flag> = F extends { readonly schema: z.ZodMiniType<infer T, string> }
  ? F extends { readonly many: true }
    ? readonly T[]
    : T
  : true;

export interface ParsedArguments<F extends Flags = Flags> {
  /** The values of the flags that were given. */
  readonly given: { readonly [Name in keyof F]?: ValueOf<F[Name]> };
  readonly positionals: readonly string[];
}

/** Reads a command line; throws `UsageError` at the first thing wrong with it. The value of a flag that is unknown is never printed. */
export function parseFlags<const F extends Flags>(args: readonly string[], known: F): ParsedArguments<F> {
  const all: Flags = known;
  const options = Object.fromEntries(
    Object.entries(all).map(([name, flag]) => {
      const type = flag.value === undefined ? ('boolean' as const) : ('string' as const);
      return [name, { type, ...(flag.short && { short: flag.short }) }];
    }),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const given: Record<string, unknown> = {};
  const positionals: string[] = [];
  const asksForHelp = Object.hasOwn(all, 'help') && tokens.some(isHelp);
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      positionals.push(token.value);
      continue;
    }
    const flag = Object.hasOwn(all, token.name) ? all[token.name] : undefined;
    if (!flag) {
      const meant = didYouMean(token.name, Object.keys(all)).replace('mean ', 'mean --');
      throw new UsageError(`has no flag ${token.rawName}${meant}; see --help`);
    }
    if (flag.value === undefined) {
      if (token.value !== undefined) throw new UsageError(`${token.rawName} is a switch and takes no value`);
      given[token.name] = true;
      continue;
    }
    // `--state --quiet` lacks the path: it must not make a file of this name.
    if (!token.value || (!token.inlineValue && token.value.startsWith('--'))) {
      throw new UsageError(`${token.rawName} needs a value: --${token.name} ${flag.value}`);
    }
    if (asksForHelp) continue;
    const value = readText(`--${token.name}`, flag, token.value);
    const earlier = given[token.name];
    given[token.name] = flag.many ? [...(Array.isArray(earlier) ? earlier : []), value] : value;
  }
  return { given: given as ParsedArguments<F>['given'], positionals };
}

/** Reads a text by the schema of a flag; `name` is that of the flag or of the environment variable that the text comes from. */
export function readText<T>(
  name: string,
  { schema, isSecret }: { readonly schema: z.ZodMiniType<T, string>; readonly isSecret?: true },
  text: string,
): T {
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  throw new UsageError(`${name} ${result.error.issues[0]?.message}${isSecret ? '' : `, not ${text}`}`);
}

const isHelp = (token: object): boolean => 'name' in token && token.name === 'help';

/** Throws unless there are exactly as many arguments as names. */
export function takeArguments(
  { positionals }: Pick<ParsedArguments, 'positionals'>,
  ...names: readonly string[]
): readonly string[] {
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`needs ${missing}; see --help`);
  const extra = positionals[names.length];
  if (extra !== undefined) throw new UsageError(`takes no argument ${extra}; see --help`);
  return positionals;
}

export const flagLines = (flags: Flags): string[] =>
  columns(
    Object.entries(flags).map(([name, flag]) => [
      `${flag.short ? `-${flag.short}, ` : ''}--${name}${flag.value === undefined ? '' : ` ${flag.value}`}`,
      flag.help,
    ]),
  );
