import { parseArgs } from 'node:util';

/** What is wrong with a command line, in one line. */
export class UsageError extends Error {}

/** One flag of a command. */
export interface Flag {
  /** What its value is called; undefined for a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly help: string;
}

/** Flags by name, without the dashes. */
export type Flags = Readonly<Record<string, Flag>>;

/** A command line that was read. */
export interface ParsedArguments {
  /** The flags with their values in the order given; a switch has an empty value. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}

/** The last value of a flag: a later one replaces an earlier one. */
export const lastOf = ({ flags }: ParsedArguments, name: string): string | undefined =>
  flags.get(name)?.at(-1);

/** Reads a command line; throws `UsageError` at the first thing wrong with it. */
export function parseFlags(args: readonly string[], known: Flags): ParsedArguments {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const flags = new Map<string, readonly string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      positionals.push(token.value);
      continue;
    }
    const flag = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (!flag) throw new UsageError(`has no flag ${token.rawName}; see --help`);
    if (flag.value !== undefined && !token.value) {
      throw new UsageError(`${token.rawName} needs a value: --${token.name} ${flag.value}`);
    }
    if (flag.value === undefined && token.value !== undefined) {
      throw new UsageError(`${token.rawName} is a switch and takes no value`);
    }
    flags.set(token.name, [...(flags.get(token.name) ?? []), token.value ?? '']);
  }
  return { flags, positionals };
}

const minColumn = 24;

/** Names and explanations in two columns. */
export function columns(rows: readonly (readonly [name: string, help: string])[]): string[] {
  const width = Math.max(minColumn, ...rows.map(([name]) => name.length + 2));
  return rows.map(([name, help]) => `  ${name.padEnd(width)}${help}`);
}

/** The flags as `--help` prints them. */
export const flagLines = (flags: Flags): string[] =>
  columns(
    Object.entries(flags).map(([name, { value, short, help }]) => [
      `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
      help,
    ]),
  );
