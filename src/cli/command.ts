import { didYouMean } from '../utils/nearest.js';
import { version } from '../version.js';
import { columns, wrapped } from './columns.js';
import { type Flags, flagLines, type ParsedArguments, parseFlags, takeArguments } from './flags.js';
import { exitCodes, runProgram, UsageError } from './program.js';
import { type CommandProcess, type Paint, paintFor } from './terminal.js';

export interface CommandCall<F extends Flags = Flags> extends ParsedArguments<F> {
  readonly around: CommandProcess;
  readonly paint: Paint;
  print(...lines: readonly string[]): void;
}

export type RunCommand = (args: readonly string[], around: CommandProcess) => Promise<number>;

/** A command below another one. It is loaded when it is called, so that the other one starts without it. */
interface Subcommand {
  /** Its name and arguments: `settle REFERENCE success|failed`. */
  readonly usage: string;
  /** What it does, in a few words. */
  readonly help: string;
  readonly load: () => Promise<{ readonly runCommand: RunCommand }>;
}

type Table = Parameters<typeof columns>[0];

/** A command of `billpay`. */
export interface Command<F extends Flags> {
  /** `doctor` of `billpay doctor`. */
  readonly name: string;
  /** Its arguments, such as `REFERENCE success|failed`, which `run` takes; without it there are none. */
  readonly usage?: string;
  /** What it does, in paragraphs. */
  readonly description: readonly string[];
  /** Names and explanations, such as those of its argument. */
  readonly table?: Table;
  readonly flags: F;
  /** By name. */
  readonly subcommands?: Readonly<Record<string, Subcommand>>;
  /** Command lines without `billpay`. */
  readonly examples?: readonly string[];
  /** When it exits with 0, with 1 and, where it can, with 3. */
  readonly exit: { readonly done: string; readonly failed: string; readonly unreachable?: string };
  /** Resolves to whether all is well; throws `CommandError` or `UsageError`. */
  run(call: CommandCall<F>): Promise<boolean>;
}

/** The flags of every command. */
const commonFlags = {
  help: { short: 'h', help: 'Print this' },
  version: { help: 'Print the version' },
} as const;

/** The lines of a part of the help, and an empty one; none for a part that is not there. */
const part = (title: string | undefined, lines: readonly string[] = []): readonly string[] =>
  lines.length === 0 ? [] : [...(title === undefined ? [] : [title]), ...lines, ''];

function helpText({
  name,
  usage,
  description,
  table = [],
  flags,
  ...rest
}: Command<Flags>): readonly string[] {
  const { subcommands = {}, examples = [], exit } = rest;
  const below = Object.values(subcommands);
  const unreachable = exit.unreachable === undefined ? '' : `, 3 when ${exit.unreachable}`;
  return [
    `Usage: billpay ${name}${usage === undefined ? '' : ` ${usage}`} [flags]`,
    ...(below.length > 0 ? [`       billpay ${name} SUBCOMMAND [flags]`] : []),
    '',
    ...description.flatMap((paragraph) => part(undefined, wrapped(paragraph))),
    ...part(undefined, columns(table)),
    ...part(undefined, flagLines({ ...flags, ...commonFlags })),
    ...part(
      'Subcommands, each with a --help of its own:',
      columns(below.map((one) => [one.usage, one.help])),
    ),
    ...part(
      'Examples:',
      examples.map((example) => `  billpay ${example}`),
    ),
    ...wrapped(
      `Exit code: 0 when ${exit.done}, 1 when ${exit.failed}, 2 for a wrong command line${unreachable}.`,
    ),
  ];
}

/** Runs the subcommand that the first argument names; undefined where there is no such argument. */
async function runSubcommand(
  subcommands: Readonly<Record<string, Subcommand>>,
  [name = '', ...rest]: readonly string[],
  around: CommandProcess,
): Promise<number | undefined> {
  if (/^(-.*|help)?$/.test(name)) return undefined;
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand) return (await subcommand.load()).runCommand(rest, around);
  const names = Object.keys(subcommands);
  throw new UsageError(
    `has no subcommand ${name}${didYouMean(name, names)}: it has ${names.join(', ')}; see --help`,
  );
}

/** The frame of a command: help, version, what is wrong with its command line, errors of one line and exit codes. */
export const commandRunner =
  <const F extends Flags>(command: Command<F>): RunCommand =>
  (args, around) =>
    runProgram(
      `billpay ${command.name}`,
      async () => {
        const ended = command.subcommands && (await runSubcommand(command.subcommands, args, around));
        if (ended !== undefined) return ended;
        const print = (...lines: readonly string[]) =>
          lines.forEach((line) => void around.stdout.write(`${line}\n`));
        const parsed = parseFlags(args, { ...command.flags, ...commonFlags });
        const { help, version: asksForVersion } = parsed.given as ParsedArguments<
          typeof commonFlags
        >['given'];
        const asksForHelp = help || (command.subcommands && args[0] === 'help');
        if (asksForHelp || asksForVersion) {
          print(...(asksForHelp ? helpText(command) : [version]));
          return exitCodes.done;
        }
        if (command.usage === undefined) takeArguments(parsed);
        const call = { ...(parsed as ParsedArguments<F>), around, paint: paintFor(around), print };
        return (await command.run(call)) ? exitCodes.done : exitCodes.failed;
      },
      around,
    );

/** Runs a command in this process. */
export async function startCommand(run: RunCommand): Promise<void> {
  // Whoever was reading is gone: `billpay doctor | head -3`.
  process.stdout.on('error', () => process.exit(exitCodes.failed));
  process.exitCode = await run(process.argv.slice(2), process);
}
