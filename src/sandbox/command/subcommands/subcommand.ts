import { columns, wrapped } from '../../../cli/columns.js';
import {
  anyText,
  type Flags,
  flagLines,
  type ParsedArguments,
  parseFlags,
  readText,
  urlOf,
} from '../../../cli/flags.js';
import { CommandError, exitCodes } from '../../../cli/program.js';
import { type CommandProcess, type Paint, paintFor } from '../../../cli/terminal.js';
import { ControlClient } from '../control-client.js';
import { inFlags } from '../schema-flags.js';

/** One run of a subcommand. */
export interface SubcommandCall<F extends Flags = Flags> {
  readonly args: ParsedArguments<F>;
  readonly control: ControlClient;
  readonly around: CommandProcess;
  readonly paint: Paint;
  /** Whether results are printed as JSON, one value a line. */
  readonly json: boolean;
  /** Prints one line to stdout. */
  print(line: string): void;
}

/** What a subcommand found or did. */
interface Result {
  /** With `--json`: a value, or a list of values with a line each. */
  readonly value: object;
  /** Without it. */
  readonly lines: readonly string[];
  /** False where something else was expected; the exit code is then 1. */
  readonly ok?: boolean;
}

/** A command that talks to a running sandbox. */
export interface Subcommand<F extends Flags = Flags> {
  /** Without the program: `settle REFERENCE success|failed`. */
  readonly usage: string;
  /** What it does, in paragraphs. */
  readonly description: readonly string[];
  /** Names and explanations to print as a table, such as the names of the triggers. */
  readonly table?: readonly (readonly [name: string, help: string])[];
  readonly flags: F;
  /** The flags of options that the control API calls by other names. */
  readonly optionFlags?: ReadonlyMap<string, string>;
  /** Command lines without the program. */
  readonly examples: readonly string[];
  /** Resolves to what is printed at its end, if anything; throws `CommandError` or `UsageError`. */
  run(call: SubcommandCall<F>): Promise<Result | undefined>;
}

/** The flags of every subcommand. */
const commonFlags = {
  url: {
    value: 'URL',
    schema: urlOf(['http', 'https'], 'the address of a sandbox such as http://127.0.0.1:4010'),
    help: 'The running sandbox (default: $BILLPAY_SANDBOX_URL, else http://127.0.0.1:4010)',
  },
  'control-token': {
    value: 'TOKEN',
    schema: anyText,
    isSecret: true,
    help: 'Its control token, if it is open to a network (default: $BILLPAY_SANDBOX_TOKEN)',
  },
  json: { help: 'Print JSON, one value a line' },
  help: { short: 'h', help: 'Print this' },
} as const;

const exitCodeLines = columns([
  ['0', 'done'],
  ['1', 'the sandbox refused it, or what was asked for did not happen'],
  ['2', 'the command line is wrong'],
  ['3', 'no sandbox responds'],
]);

const helpText = ({ usage, description, table, flags, examples }: Subcommand): string =>
  [
    `Usage: billpay sandbox ${usage} [flags]`,
    '',
    ...description.flatMap((paragraph) => [...wrapped(paragraph), '']),
    ...(table ? [...columns(table), ''] : []),
    'Flags:',
    ...flagLines({ ...flags, ...commonFlags }),
    '',
    'Examples:',
    ...examples.map((example) => `  billpay sandbox ${example}`),
    '',
    'Exit codes:',
    ...exitCodeLines,
  ].join('\n');

/** What the control API says about an option, with its flag. */
function namedByFlags({ exitCode, message }: CommandError, { flags, optionFlags }: Subcommand) {
  const own = Object.keys(flags).map((name) => [name, `--${name}`] as const);
  return new CommandError(exitCode, inFlags(message, new Map([...own, ...(optionFlags ?? [])])));
}

/** A text in lines of at most 80 characters. */
export const inLines = (text: string): readonly string[] => wrapped(text, undefined, '    ');

/** Runs a subcommand with the arguments after its name; resolves to the exit code. */
export async function runSubcommand(
  subcommand: Subcommand,
  args: readonly string[],
  around: CommandProcess,
): Promise<number> {
  const { env, stdout } = around;
  const parsed = parseFlags(args, { ...subcommand.flags, ...commonFlags });
  const { url, 'control-token': token, json = false, help } = parsed.given;
  const print = (line: string) => void stdout.write(`${line}\n`);
  if (help) {
    print(helpText(subcommand));
    return exitCodes.done;
  }
  const variable = env['BILLPAY_SANDBOX_URL'];
  const fromVariable = variable && readText('BILLPAY_SANDBOX_URL', commonFlags.url, variable);
  const control = new ControlClient(
    // A base address with its path, as a .env file holds it, will do.
    new URL(url ?? (fromVariable || 'http://127.0.0.1:4010')).origin,
    token ?? env['BILLPAY_SANDBOX_TOKEN'],
  );
  const call = { args: parsed, control, around, paint: paintFor(around), json, print };
  const result = await subcommand.run(call).catch((error: unknown) => {
    throw error instanceof CommandError ? namedByFlags(error, subcommand) : error;
  });
  if (!result) return exitCodes.done;
  const { value, lines, ok = true } = result;
  for (const line of json ? [value].flat().map((one) => JSON.stringify(one)) : lines.flatMap(inLines))
    print(line);
  return ok ? exitCodes.done : exitCodes.failed;
}
