import { columns } from '../../cli/columns.js';
import { anyText, type Flags, flagLines, parseFlags, takeArguments } from '../../cli/flags.js';
import { UsageError } from '../../cli/program.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { type ListenOptions, listenFields } from '../http/listen-options.js';
import { type SandboxOptions, sandboxFields } from '../options.js';
import { flagFields, flagNames, flagsOf, inFlags, readFields } from './schema-flags.js';

/** The options of a command line that starts a sandbox. */
export interface StartOptions {
  /** Undefined: 4010, or the next free one. */
  readonly port: number | undefined;
  readonly webhookUrl: string | undefined;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly json: boolean;
  /** A configuration file; flags win over what it says. */
  readonly config: string | undefined;
  readonly listen: Omit<ListenOptions, 'port'>;
  readonly sandbox: SandboxOptions;
}

const [listenFlags, sandboxFlags] = [flagFields(listenFields), flagFields(sandboxFields)];

/** The flags of the command alone. */
const ownFlags = {
  'webhook-url': {
    value: 'URL',
    schema: anyText,
    help: 'Subscribe this endpoint at once and print its secret',
  },
  config: { value: 'FILE', schema: anyText, help: 'Read options from this JSON file; flags win over it' },
  verbose: { help: 'Print keys, triggers, other clients and a first purchase too' },
  quiet: { help: 'No line for each request and delivery' },
  json: { help: 'Print JSON objects, one a line' },
  help: { short: 'h', help: 'Print this' },
  version: { help: 'Print the version' },
} as const;

const flags: typeof ownFlags & Flags = { ...flagsOf([...listenFlags, ...sandboxFlags]), ...ownFlags };

/** The subcommands, which talk to a sandbox that is running. */
const subcommandHelp = columns([
  ['trigger NAME', 'Make something happen: a transaction that fails, a lost response, ...'],
  ['settle REFERENCE success|failed', 'Settle a pending transaction'],
  ['listen --forward-to URL', 'Print, verify and forward webhooks'],
  ['audit', 'Check the books'],
  ['faults [list|add|remove]', 'List, add and remove faults'],
  ['reset', 'Set everything back to the beginning'],
]);

/** What `--help` prints. */
export function helpText(): string {
  return [
    'Usage: billpay sandbox [flags]',
    '       billpay sandbox SUBCOMMAND [--help]',
    '',
    'Runs the whole bill payment service on this machine: nothing is charged,',
    'nothing is delivered.',
    '',
    ...flagLines(flags),
    '',
    'It ends with Ctrl-C.',
    '',
    'Subcommands, for a sandbox that is running:',
    ...subcommandHelp,
  ].join('\n');
}

/** Reads a command line; throws `UsageError` at the first thing wrong with it. */
export function readFlags(args: readonly string[]): StartOptions | 'help' | 'version' {
  const parsed = parseFlags(args, flags);
  const { given } = parsed;
  if (given.help) return 'help';
  if (given.version) return 'version';
  takeArguments(parsed);
  // Checked again where they are used, by the same schemas.
  const { port, ...listen }: ListenOptions = readFields(listenFlags, parsed);
  const sandbox: SandboxOptions = readFields(sandboxFlags, parsed);
  return {
    port,
    webhookUrl: given['webhook-url'],
    config: given.config,
    listen,
    quiet: given.quiet ?? false,
    verbose: given.verbose ?? false,
    json: given.json ?? false,
    sandbox,
  };
}

/** An error about an option that a flag has set calls it by its flag. What a configuration file sets keeps its name. */
export function namedByFlags(error: unknown, { config, listen, sandbox }: StartOptions): unknown {
  if (!(error instanceof ConfigurationError)) return error;
  if (!Object.hasOwn({ config, ...listen, ...sandbox }, error.option)) return error;
  const names = flagNames([...listenFlags, ...sandboxFlags]);
  return new UsageError(inFlags(error.message, new Map([...names, ['config', '--config']])));
}
