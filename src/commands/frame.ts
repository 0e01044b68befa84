import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ConfigurationError } from '../errors/base.js';
import { printable } from '../utils/print.js';
import { readProperty } from '../utils/unknown.js';
import { type CommandProcess, narrowest, paintFor, widthOf, wrapped } from './terminal.js';

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
      .configureHelp({
        minWidthToWrap: narrowest,
        styleTitle: (text) => paintFor(process.stdout)('bold', text),
      })
      .configureOutput({
        writeOut: (text) => process.stdout.write(text),
        getOutHelpWidth: () => widthOf(process.stdout),
        // Errors are printed by `runCommand`, those of commander like all others.
        writeErr: () => {},
        outputError: () => {},
      })
  );
}

/** Reads the value of an option: `new Option('--orders <n>', 'How many').argParser(wholeNumber(20, 5000))`. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    if (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };

/** Reads the value of an option: NGN. */
export function nairaAmount(text: string): number {
  if (/^\d{1,12}(\.\d{1,2})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be an amount of NGN such as 5000 or 99.50.');
}

/** `--env`, which several commands have. */
export const envOption = () => new Option('--env <file>', 'Read environment variables from this file first');

/** The value of a variable; one that is set but empty counts as not set. */
export const variable = (env: CommandProcess['env'], name: string): string | undefined =>
  env[name] || undefined;

/** Reads variables from a file into those of the process. What is set there already wins, unless it is empty. */
export function readEnvFile(file: string | undefined, env: CommandProcess['env']): void {
  if (file === undefined) return;
  // Some editors begin a file with a byte order mark, which would become part of the first name.
  const text = readTextFile('--env', file).replace(/^\ufeff/, '');
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (value && !env[name]) env[name] = value;
  }
}

/** Reads the file that an option names. */
export function readTextFile(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = readProperty(error, 'code');
    throw new CommandError(`${flag}: ${file} cannot be read (${code}): check the path and its permissions`);
  }
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
  command.hook('preAction', (_, called) => refuseMissingValues(called));
  try {
    await command.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? exitCodes.done);
  } catch (error) {
    // What asks for help or for the version.
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    const name = fullName(command, args);
    const problem = problemOf(error, name);
    if (problem === undefined) throw error;
    process.stderr.write(`${errorText(`${name}: ${problem}`, process)}\n`);
    return error instanceof CommandError ? error.exitCode : exitCodes.unable;
  }
}

/** Commander takes `--state --quiet` for a state in a file of the name `--quiet`. */
function refuseMissingValues(command: Command): void {
  const values = command.opts<Record<string, unknown>>();
  for (const option of command.options) {
    const isMissing = [values[option.attributeName()]]
      .flat()
      .some((value) => typeof value === 'string' && (value === '' || value.startsWith('--')));
    if (isMissing) throw new CommandError(`${option.long} needs a value: ${option.flags}`);
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
  return paintFor(stderr)('red', stderr.isTTY ? wrapped(line, widthOf(stderr)).join('\n') : line);
}

/** What a person can put right, in one sentence; undefined for a defect. */
function problemOf(error: unknown, command: string): string | undefined {
  if (error instanceof CommandError || error instanceof ConfigurationError) return error.message;
  if (error instanceof CommanderError) {
    const problem = error.message.replace(/^error: /, '').replace(/\w'?$/, '$&.');
    // A value that is refused comes with what it must be.
    return error.code === 'commander.invalidArgument' ? problem : `${problem}\nSee ${command} --help.`;
  }
  return systemProblem(error);
}

/** What is wrong with a file, by the code of the system. */
const systemProblems: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist: check the path',
  EACCES: 'may not be used by this user: check its permissions',
  EPERM: 'may not be used by this user: check its permissions',
  ENOTDIR: 'is below a file that is no folder: check the path',
  ENOSPC: 'cannot be written, because the disk is full',
};

/** An error of the system in words, such as of `EACCES: permission denied, open '/state.json'`; undefined for any other error. */
function systemProblem(error: unknown): string | undefined {
  const [code, syscall, path] = ['code', 'syscall', 'path'].map((name) => readProperty(error, name));
  if (typeof code !== 'string' || typeof syscall !== 'string') return undefined;
  const problem = systemProblems[code];
  return problem === undefined || path === undefined
    ? String(readProperty(error, 'message'))
    : `${path} ${problem} (${code})`;
}
