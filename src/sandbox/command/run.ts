import { exitCodes, runProgram, UsageError } from '../../cli/program.js';
import type { CommandProcess } from '../../cli/terminal.js';
import { didYouMean } from '../../utils/nearest.js';
import { version } from '../../version.js';
import { runSubcommand, type Subcommand } from './subcommands/subcommand.js';

/** What a message begins with. */
const programName = 'billpay sandbox';

/** Each is loaded when it is called, so that a sandbox starts without it. */
const subcommands: Readonly<Record<string, () => Promise<{ readonly subcommand: Subcommand }>>> = {
  trigger: () => import('./subcommands/trigger.js'),
  settle: () => import('./subcommands/settle.js'),
  listen: () => import('./subcommands/listen.js'),
  audit: () => import('./subcommands/audit.js'),
  faults: () => import('./subcommands/faults.js'),
  reset: () => import('./subcommands/reset.js'),
};

async function run(args: readonly string[], around: CommandProcess): Promise<number> {
  const [name = '', ...rest] = args;
  const load = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (load) return runSubcommand((await load()).subcommand, rest, around);
  if (name !== '' && !name.startsWith('-')) {
    const names = Object.keys(subcommands);
    throw new UsageError(
      `has no subcommand ${name}${didYouMean(name, names)}: it has ${names.join(', ')}; see --help`,
    );
  }
  const { helpText, namedByFlags, readFlags } = await import('./flags.js');
  const options = readFlags(args);
  if (options === 'help' || options === 'version') {
    around.stdout.write(`${options === 'help' ? helpText() : version}\n`);
    return exitCodes.done;
  }
  const { runSandbox } = await import('./start.js');
  await runSandbox(options, around).catch((error: unknown) => {
    throw namedByFlags(error, options);
  });
  return exitCodes.done;
}

/** Runs the command to its end; resolves to its exit code. */
export const runCommand = (args: readonly string[], around: CommandProcess): Promise<number> =>
  runProgram(programName, () => run(args, around), around);
