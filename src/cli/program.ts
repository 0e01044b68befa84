import { ConfigurationError } from '../errors/configuration-error.js';
import { readProperty } from '../utils/read-property.js';
import type { CommandProcess } from './terminal.js';

/** The exit codes of all commands. */
export const exitCodes = { done: 0, failed: 1, usage: 2, unreachable: 3 } as const;

/** Why a command could not do its work, in one line, and the exit code for it. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What is wrong with a command line, in one line. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(exitCodes.usage, message);
  }
}

/**
 * Runs a command to its end; resolves to its exit code. What a person can put right (a wrong flag or option, a file or an address that
 * cannot be used) is one line on stderr; anything else is a defect, and is thrown.
 */
export async function runProgram(
  name: string,
  work: () => Promise<number>,
  { stderr }: Pick<CommandProcess, 'stderr'>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const problem = problemOf(error);
    if (!problem) throw error;
    stderr.write(`${name}: ${problem.message.replaceAll('\n', ' ')}\n`);
    return problem.exitCode;
  }
}

function problemOf(error: unknown): { readonly message: string; readonly exitCode: number } | undefined {
  if (error instanceof CommandError) return error;
  if (error instanceof ConfigurationError) return { message: error.message, exitCode: exitCodes.usage };
  // A system error such as `EACCES: permission denied, open '/state.json'`.
  const isOfSystem = error instanceof Error && typeof readProperty(error, 'syscall') === 'string';
  return isOfSystem ? { message: error.message, exitCode: exitCodes.failed } : undefined;
}
