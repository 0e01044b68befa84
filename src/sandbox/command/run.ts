import { ConfigurationError } from '../../errors/configuration-error.js';
import { version } from '../../version.js';
import { CommandError, exitCodes } from './control-client.js';
import { helpText, readFlags } from './flags.js';
import { UsageError } from './parse-flags.js';
import type { ProcessEnvironment } from './process-environment.js';
import { runSubcommand } from './subcommands/run-subcommand.js';
import type { Subcommand } from './subcommands/subcommand.js';

/** Each is loaded when it is called, so that a sandbox starts without it. */
const subcommands: Readonly<Record<string, () => Promise<{ readonly subcommand: Subcommand }>>> = {
  trigger: () => import('./subcommands/trigger.js'),
  settle: () => import('./subcommands/settle.js'),
  listen: () => import('./subcommands/listen.js'),
  audit: () => import('./subcommands/audit.js'),
  faults: () => import('./subcommands/faults.js'),
  reset: () => import('./subcommands/reset.js'),
};

async function run(args: readonly string[], around: ProcessEnvironment): Promise<number> {
  const [name = '', ...rest] = args;
  const load = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (load) return runSubcommand((await load()).subcommand, rest, around);
  if (name !== '' && !name.startsWith('-')) {
    throw new UsageError(
      `has no subcommand ${name}: it has ${Object.keys(subcommands).join(', ')}; see --help`,
    );
  }
  const flags = readFlags(args);
  if (flags === 'help' || flags === 'version') {
    around.stdout.write(`${flags === 'help' ? helpText() : version}\n`);
    return exitCodes.done;
  }
  const { runSandbox } = await import('./start.js');
  await runSandbox(flags, around);
  return exitCodes.done;
}

/** Runs the command to its end; resolves to its exit code. */
export async function runCommand(args: readonly string[], around: ProcessEnvironment): Promise<number> {
  try {
    return await run(args, around);
  } catch (error) {
    const isExpected =
      error instanceof UsageError || error instanceof ConfigurationError || error instanceof CommandError;
    if (!isExpected) throw error;
    around.stderr.write(`billpay-sandbox: ${error.message}\n`);
    return error instanceof CommandError ? error.exitCode : exitCodes.usage;
  }
}
