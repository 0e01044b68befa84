import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { anyText, CommandError, valueOption } from './frame.js';
import type { CommandProcess } from './terminal.js';

type Environment = CommandProcess['env'];

/** `--env`, which several commands have. */
export const envOption = () =>
  valueOption('--env <file>', 'Read environment variables from this file first', anyText);

/** The value of a variable; one that is set but empty counts as not set. */
export const variable = (env: Environment, name: string): string | undefined => env[name] || undefined;

/** Reads variables from a file into those of the process. What is set there already wins, unless it is empty. */
export function readEnvFile(file: string | undefined, env: Environment): void {
  if (file === undefined) return;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new CommandError(`--env: ${file} cannot be read: check the path and its permissions`);
  }
  // Some editors begin a file with a byte order mark, which would become part of the first name.
  for (const [name, value] of Object.entries(parseEnv(text.replace(/^\ufeff/, '')))) {
    if (value && !env[name]) env[name] = value;
  }
}
