import { parseArgs } from 'node:util';
import type * as z from 'zod/mini';
import { didYouMean, UsageError } from './program.js';

/** One flag of a command. */
export interface Flag {
  /** What its value is called; undefined for a switch. */
  readonly value?: string;
  /** Reads each value; its message follows the name of the flag. Without it, the value is the text. */
  readonly schema?: z.ZodMiniType<unknown, string>;
  readonly short?: string;
  readonly help: string;
}

/** Flags by name, without the dashes. */
export type Flags = Readonly<Record<string, Flag>>;

type ValueOf<F extends Flag> = F extends { readonly schema: z.ZodMiniType<infer T, string> }
  ? T
  : F extends { readonly value: string }
    ? string
    : true;

/** A command line that was read. */
export interface ParsedArguments<F extends Flags = Flags> {
  /** The last value of each flag that was given: a later one replaces an earlier one. */
  readonly given: { readonly [Name in keyof F]?: ValueOf<F[Name]> };
  /** The texts of each flag in the order given; a switch has an empty one. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}

/** The last text of a flag. */
export const lastOf = ({ flags }: Pick<ParsedArguments, 'flags'>, name: string): string | undefined =>
  flags.get(name)?.at(-1);

/** Reads a command line; throws `UsageError` at the first thing wrong with it. The value of a flag that is unknown is never printed. */
export function parseFlags<const F extends Flags>(args: readonly string[], known: F): ParsedArguments<F> {
  const all: Flags = known;
  const options = Object.fromEntries(
    Object.entries(all).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const flags = new Map<string, readonly string[]>();
  const given: Record<string, unknown> = {};
  const positionals: string[] = [];
  const asksForHelp = tokens.some(
    (token) => token.kind === 'option' && all[token.name] && token.name === 'help',
  );
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
    // `--state --quiet` lacks the path: it must not make a file of this name.
    const isMissing = !token.value || (!token.inlineValue && token.value.startsWith('--'));
    if (flag.value !== undefined && isMissing) {
      throw new UsageError(`${token.rawName} needs a value: --${token.name} ${flag.value}`);
    }
    if (flag.value === undefined && token.value !== undefined) {
      throw new UsageError(`${token.rawName} is a switch and takes no value`);
    }
    flags.set(token.name, [...(flags.get(token.name) ?? []), token.value ?? '']);
    if (!asksForHelp) given[token.name] = readValue(token.name, flag, token.value);
  }
  if (asksForHelp) given['help'] = true;
  return { given: given as ParsedArguments<F>['given'], flags, positionals };
}

function readValue(name: string, { schema }: Flag, text: string | undefined): unknown {
  if (text === undefined) return true;
  if (!schema) return text;
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  throw new UsageError(`--${name} ${result.error.issues[0]?.message}, not ${text}`);
}

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

const lineWidth = 80;
const minColumn = 16;
const maxColumn = 26;

/** Names and explanations in two columns, in lines of at most 80 characters. A long name has a line of its own. */
export function columns(rows: readonly (readonly [name: string, help: string])[]): string[] {
  const longest = Math.max(...rows.map(([name]) => name.length + 2));
  const width = Math.min(maxColumn, Math.max(minColumn, longest));
  return rows.flatMap(([name, help]) => {
    const lines = wrapped(help, lineWidth - width - 2);
    const isLong = name.length + 2 > width;
    const [first = '', ...rest] = isLong ? ['', ...lines] : lines;
    return [`  ${name.padEnd(width)}${first}`, ...rest.map((line) => ' '.repeat(width + 2) + line)].map(
      (line) => line.trimEnd(),
    );
  });
}

/** Breaks a text between words. */
export function wrapped(text: string, width = lineWidth): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The flags as `--help` prints them. */
export const flagLines = (flags: Flags): string[] =>
  columns(
    Object.entries(flags).map(([name, { value, short, help }]) => [
      `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
      help,
    ]),
  );
