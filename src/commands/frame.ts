import { Command, CommanderError, Help, Option } from 'commander';
import { ConfigurationError } from '../errors/configuration-error.js';
import { printable } from '../utils/printable.js';
import { readProperty } from '../utils/read-property.js';
import { type CommandProcess, paintFor, widthOf } from './terminal.js';

/** What the exit code of every command means: all is well; something is not; the command could not do its work. */
export const exitCodes = { done: 0, failed: 1, unable: 2 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Why a command could not do its work: the cause and what to do about it, in one sentence. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.unable) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A command, or the program itself, that prints to the streams of `process` and never ends it. */
export function createCommand(name: string, process: CommandProcess): Command {
  return (
    new Command(name)
      .exitOverride()
      // What follows the name of a command is its own, also where the one above it has an option of the same name.
      .enablePositionalOptions()
      .helpOption('-h, --help', 'Print this')
      .configureHelp({ styleTitle: (text) => paintFor(process.stdout)('bold', text) })
      .configureOutput({
        writeOut: (text) => process.stdout.write(text),
        getOutHelpWidth: () => widthOf(process.stdout),
        // Errors are printed by `runCommand`, those of commander like all others.
        writeErr: () => {},
        outputError: () => {},
      })
  );
}

/** How the text of an option or of an environment variable becomes a value. */
export interface Reader<T> {
  /** Completes "must be": `a whole number from 1 to 9`. */
  readonly expects: string;
  /** The value; undefined for a text that is refused. */
  parse(text: string): T | undefined;
  /** Whether the text may hold a secret, so that no message shows it. */
  readonly isSecret?: boolean;
}

/** Reads a text. `name` is that of its option or variable. */
export function readText<T>(name: string, { expects, parse, isSecret }: Reader<T>, text: string): T {
  const value = parse(text);
  if (value !== undefined) return value;
  throw new CommandError(`${name} must be ${expects}${isSecret ? '' : `, not ${text}`}`);
}

/** Any text. */
export const anyText: Reader<string> = { expects: 'a text', parse: (text) => text };

export const secretText: Reader<string> = { ...anyText, isSecret: true };

export const wholeNumber = (least: number, most: number): Reader<number> => ({
  expects: `a whole number from ${least} to ${most}`,
  parse: (text) =>
    /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined,
});

export const nairaAmount: Reader<number> = {
  expects: 'an amount of NGN such as 5000 or 99.50',
  parse: (text) => (/^\d{1,12}(\.\d{1,2})?$/.test(text) ? Number(text) : undefined),
};

export const oneOf = <const T extends string>(words: readonly T[]): Reader<T> => ({
  expects: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
  parse: (text) => words.find((word) => word === text),
});

/** An option with a value: `valueOption('--orders <n>', 'How many orders to buy', wholeNumber(20, 5000))`. */
export function valueOption<T>(flags: string, description: string, reader: Reader<T>): Option {
  const option = new Option(flags, description);
  return option.argParser((text) => {
    // `--state --quiet` lacks the path: it must not make a file of this name.
    if (text === '' || text.startsWith('--'))
      throw new CommandError(`${option.long} needs a value: ${flags}`);
    return readText(String(option.long), reader, text);
  });
}

/**
 * Runs a command line to its end; resolves to its exit code, which is what the action has set as `process.exitCode`. What a person can put
 * right is printed on stderr as one cause with one remedy; anything else is a defect, and is thrown.
 */
export async function runCommand(
  command: Command,
  args: readonly string[],
  process: CommandProcess,
): Promise<number> {
  try {
    await command.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? exitCodes.done);
  } catch (error) {
    const name = fullName(command, args);
    const problem = problemOf(error, name);
    if (!problem) throw error;
    const { message, exitCode } = problem;
    if (message !== '') process.stderr.write(`${errorText(`${name}: ${message}`, process)}\n`);
    return exitCode;
  }
}

/** `billpay doctor` for the arguments of `doctor`. */
function fullName(command: Command, args: readonly string[]): string {
  const [first, ...rest] = args;
  const below = command.commands.find((one) => one.name() === first);
  return below ? `${command.name()} ${fullName(below, rest)}` : command.name();
}

/** Red and wrapped on a terminal, one line elsewhere: in a log or a mail. */
function errorText(text: string, { stderr }: CommandProcess): string {
  const line = printable(text.replaceAll(/\s*\n\s*/g, ' '));
  const shown = stderr.isTTY ? new Help().boxWrap(line, widthOf(stderr)) : line;
  return paintFor(stderr)('red', shown);
}

interface Problem {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** What a person can put right, in one sentence; undefined for a defect. */
function problemOf(error: unknown, command: string): Problem | undefined {
  if (error instanceof CommandError) return error;
  if (error instanceof CommanderError) {
    const { exitCode, message } = error;
    if (exitCode === 0) return { message: '', exitCode: exitCodes.done };
    return {
      message: `${message.replace(/^error: /, '')}\nSee ${command} --help.`,
      exitCode: exitCodes.unable,
    };
  }
  const message = error instanceof ConfigurationError ? error.message : systemProblem(error);
  return message === undefined ? undefined : { message, exitCode: exitCodes.unable };
}

/** What is wrong with a file or an address, by the code of the system. */
const systemProblems: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist: check the path',
  EACCES: 'may not be used by this user: check its permissions',
  EPERM: 'may not be used by this user: check its permissions',
  EISDIR: 'is a folder: name a file',
  ENOTDIR: 'is below a file that is no folder: check the path',
  ENOSPC: 'cannot be written, because the disk is full',
  ECONNREFUSED: 'does not respond: start what listens there, or check the address',
  ENOTFOUND: 'is a host that nobody knows: check the address',
  EADDRINUSE: 'is in use already: choose another port',
};

/** An error of the system in words, such as of `EACCES: permission denied, open '/state.json'`; undefined for any other error. */
function systemProblem(error: unknown): string | undefined {
  const [code, syscall, path, address, port] = ['code', 'syscall', 'path', 'address', 'port'].map((name) =>
    readProperty(error, name),
  );
  if (typeof code !== 'string' || typeof syscall !== 'string') return undefined;
  const what = path ?? (port === undefined ? address : `${address}:${port}`);
  const problem = systemProblems[code];
  return problem === undefined || what === undefined
    ? String(readProperty(error, 'message'))
    : `${what} ${problem} (${code})`;
}
