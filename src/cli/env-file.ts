import { UsageError } from './program.js';

/** Reads environment variables from a file into those of this process. Variables that are set already win. */
export function readEnvFile(file: string | undefined): void {
  if (file === undefined) return;
  try {
    process.loadEnvFile(file);
  } catch {
    throw new UsageError(`--env: ${file} cannot be read`);
  }
}
