import { version } from '../version.js';
import { wrapped } from './columns.js';
import { type Flags, flagLines, type ParsedArguments, parseFlags, takeArguments } from './flags.js';
import { exitCodes, runProgram } from './program.js';
import { type CommandProcess, type Paint, paintFor } from './terminal.js';

export interface CommandCall<F extends Flags = Flags> {
  readonly given: ParsedArguments<F>['given'];
  readonly around: CommandProcess;
  readonly paint: Paint;
  print(...lines: readonly string[]): void;
}

/** A command of `billpay` that takes flags and no other arguments. */
export interface Command<F extends Flags> {
  /** `doctor` of `billpay doctor`. */
  readonly name: string;
  /** What it does, in paragraphs. */
  readonly description: readonly string[];
  readonly flags: F;
  /** When it exits with 0 and with 1. */
  readonly exit: { readonly done: string; readonly failed: string };
  /** Resolves to whether all is well; throws `CommandError` or `UsageError`. */
  run(call: CommandCall<F>): Promise<boolean>;
}

export type RunCommand = (args: readonly string[], around: CommandProcess) => Promise<number>;

/** The flags of every command. */
const commonFlags = {
  help: { short: 'h', help: 'Print this' },
  version: { help: 'Print the version' },
} as const;

const helpText = ({ name, description, flags, exit }: Command<Flags>): string[] => [
  `Usage: billpay ${name} [flags]`,
  '',
  ...description.flatMap((paragraph) => [...wrapped(paragraph), '']),
  ...flagLines({ ...flags, ...commonFlags }),
  '',
  ...wrapped(`Exit code: 0 when ${exit.done}, 1 when ${exit.failed}, 2 for a wrong command line.`),
];

/** The frame of a command: help, version, what is wrong with its command line, errors of one line and exit codes. */
export const commandRunner =
  <const F extends Flags>(command: Command<F>): RunCommand =>
  (args, around) =>
    runProgram(
      `billpay ${command.name}`,
      async () => {
        const print = (...lines: readonly string[]) =>
          lines.forEach((line) => void around.stdout.write(`${line}\n`));
        const parsed = parseFlags(args, { ...command.flags, ...commonFlags });
        const { help, version: asksForVersion } = parsed.given as ParsedArguments<
          typeof commonFlags
        >['given'];
        if (help || asksForVersion) {
          print(...(help ? helpText(command) : [version]));
          return exitCodes.done;
        }
        takeArguments(parsed);
        const given = parsed.given as CommandCall<F>['given'];
        const isWell = await command.run({ given, around, paint: paintFor(around), print });
        return isWell ? exitCodes.done : exitCodes.failed;
      },
      around,
    );

/** Runs a command in this process. */
export async function startCommand(run: RunCommand): Promise<void> {
  // Whoever was reading is gone: `billpay doctor | head -3`.
  process.stdout.on('error', () => process.exit(exitCodes.failed));
  process.exitCode = await run(process.argv.slice(2), process);
}
