import {
  anyText,
  columns,
  flagLines,
  naira,
  parseFlags,
  takeArguments,
  textThat,
  wholeNumber,
  wordOf,
} from '../../cli/flags.js';
import type { ListenOptions } from '../http/listen-options.js';
import type { SandboxOptions } from '../options.js';
import { readDuration } from '../schemas/duration.js';

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

const settleAfter = textThat<number | 'manual'>(
  (text) => text === 'manual' || readDuration(text) !== undefined,
  'must be a time such as 250ms, 3s or 5m, or manual',
  (text) => (text === 'manual' ? text : (readDuration(text) ?? 0)),
);
const webhookSends = textThat<7 | 8>(
  (text) => text === '7' || text === '8',
  'must be 7 or 8',
  (text) => (text === '7' ? 7 : 8),
);

export const flags = {
  port: {
    value: 'NUMBER',
    schema: wholeNumber(0, 65_535),
    help: 'Listen on this port (default: 4010 or the next free one; 0: any)',
  },
  'settle-after': {
    value: 'TIME',
    schema: settleAfter,
    help: "Settle purchases after 250ms, 3s, 5m, ..., or 'manual' (default: 1s)",
  },
  'rate-limits': { help: 'Enforce the documented rate limits' },
  balance: { value: 'NGN', schema: naira, help: 'What each wallet starts with (default: 100000)' },
  'webhook-url': {
    value: 'URL',
    schema: anyText,
    help: 'Subscribe this endpoint at once and print its secret',
  },
  state: { value: 'FILE', schema: anyText, help: 'Keep everything in this file over restarts and crashes' },
  config: { value: 'FILE', schema: anyText, help: 'Read options from this JSON file; flags win over it' },
  clock: {
    value: 'KIND',
    schema: wordOf(['real', 'manual']),
    help: "'manual': time moves only by the console page or POST /_sandbox/clock/advance",
  },
  host: { value: 'ADDRESS', schema: anyText, help: 'Listen on this address (default: 127.0.0.1)' },
  'allow-remote': { help: 'Accept connections from other machines; /_sandbox then needs a token' },
  'control-token': {
    value: 'TOKEN',
    schema: anyText,
    isSecret: true,
    help: 'What requests to /_sandbox must carry (default with --allow-remote: a random one)',
  },
  'allow-webhook-host': {
    value: 'NAME',
    schema: anyText,
    many: true,
    help: 'Webhooks may go to this host over http; give it once for each name',
  },
  'webhook-sends': {
    value: 'NUMBER',
    schema: webhookSends,
    help: 'How often a webhook is sent in all: 7 or 8 (default: 8)',
  },
  seed: {
    value: 'TEXT',
    schema: anyText,
    help: 'Repeat other keys, secrets and names than the default ones; references are always new',
  },
  verbose: { help: 'Print keys, triggers, other clients and a first purchase too' },
  quiet: { help: 'No line for each request and delivery' },
  json: { help: 'Print JSON objects, one a line' },
  help: { short: 'h', help: 'Print this' },
  version: { help: 'Print the version' },
} as const;

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
  return {
    port: given.port,
    webhookUrl: given['webhook-url'],
    config: given.config,
    listen: present({
      host: given.host,
      allowRemote: given['allow-remote'],
      controlToken: given['control-token'],
    }),
    quiet: given.quiet ?? false,
    verbose: given.verbose ?? false,
    json: given.json ?? false,
    sandbox: present({
      rateLimits: given['rate-limits'],
      settleAfter: given['settle-after'],
      balance: given.balance,
      seed: given.seed,
      state: given.state,
      clock: given.clock,
      allowWebhookHosts: given['allow-webhook-host'],
      webhookSends: given['webhook-sends'],
    }),
  };
}

type Present<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

/** What was given: an option that is not there takes the value of the configuration file, or its default. */
const present = <T extends object>(options: T): Present<T> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Present<T>;
