import { exec } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from '../support/bundle-program.js';

/** Runs `billpay doctor` as a process with these variables and no others of the package; `pipe` is what a shell does with its output. */
export async function runProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  pipe = '',
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const { program, remove } = await bundleProgram(new URL('../../src/doctor/command.ts', import.meta.url));
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('BILLPAY_'));
  const options = {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...Object.fromEntries(others), ...env },
  };
  const line = `"${process.execPath}" "${program}" ${args.join(' ')} ${pipe}`;
  try {
    return await new Promise((resolve) => {
      exec(line, options, (error, stdout, stderr) =>
        resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  } finally {
    await remove();
  }
}
