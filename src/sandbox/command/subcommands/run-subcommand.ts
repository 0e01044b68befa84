import { columns, wrapped } from '../../../cli/columns.js';
import { anyText, flagLines, parseFlags, readText, urlOf } from '../../../cli/flags.js';
import type { CommandProcess } from '../../../cli/terminal.js';
import { paintFor } from '../../../cli/terminal.js';
import { type ControlAddress, ControlClient } from '../control-client.js';
import type { Subcommand } from './subcommand.js';

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

function helpText({ usage, description, table, flags, examples }: Subcommand): string {
  return [
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
}

function addressOf(
  given: { readonly url?: string; readonly 'control-token'?: string },
  { env }: CommandProcess,
): ControlAddress {
  const variable = env['BILLPAY_SANDBOX_URL'];
  const fromVariable = variable && readText('BILLPAY_SANDBOX_URL', commonFlags.url, variable);
  const url = given.url ?? (fromVariable || 'http://127.0.0.1:4010');
  return {
    // A base address with its path, as a .env file holds it, will do.
    origin: new URL(url).origin,
    token: given['control-token'] ?? env['BILLPAY_SANDBOX_TOKEN'],
  };
}

/** Runs a subcommand with the arguments after its name; resolves to the exit code. */
export async function runSubcommand(
  subcommand: Subcommand,
  args: readonly string[],
  around: CommandProcess,
): Promise<number> {
  const { stdout } = around;
  const parsed = parseFlags(args, { ...subcommand.flags, ...commonFlags });
  const { given } = parsed;
  const print = (line: string) => void stdout.write(`${line}\n`);
  if (given.help) {
    print(helpText(subcommand));
    return 0;
  }
  return subcommand.run({
    args: parsed,
    control: new ControlClient(addressOf(given, around)),
    around,
    paint: paintFor(around),
    json: given.json ?? false,
    print,
  });
}
