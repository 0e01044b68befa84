import type { ListenOptions } from '../http/listen-options.js';
import type { SandboxOptions } from '../options.js';
import { readDuration } from '../schemas/duration.js';
import { columns, type Flags, flagLines, lastOf, parseFlags, UsageError } from './parse-flags.js';

/** The options of a command line that starts a sandbox. */
export interface StartOptions {
  /** Undefined: 4010, or the next free one. */
  readonly port: number | undefined;
  readonly webhookUrl: string | undefined;
  readonly quiet: boolean;
  readonly json: boolean;
  /** A configuration file; flags win over what it says. */
  readonly config: string | undefined;
  readonly listen: Omit<ListenOptions, 'port'>;
  readonly sandbox: SandboxOptions;
}

const flags: Flags = {
  port: { value: 'NUMBER', help: 'Listen on this port (default: 4010 or the next free one; 0: any)' },
  'settle-after': {
    value: 'TIME',
    help: "Settle purchases after 250ms, 3s, 5m, ..., or 'manual' (default: 1s)",
  },
  'rate-limits': { help: 'Enforce the documented rate limits' },
  balance: { value: 'NGN', help: 'What each wallet starts with (default: 100000)' },
  'webhook-url': { value: 'URL', help: 'Subscribe this endpoint at once and print its secret' },
  state: { value: 'FILE', help: 'Keep everything in this file over restarts and crashes' },
  config: { value: 'FILE', help: 'Read options from this JSON file; flags win over it' },
  clock: {
    value: 'KIND',
    help: "'manual': time moves only by the console page or POST /_sandbox/clock/advance",
  },
  host: { value: 'ADDRESS', help: 'Listen on this address (default: 127.0.0.1)' },
  'allow-remote': { help: 'Accept connections from other machines; /_sandbox then needs a token' },
  'control-token': {
    value: 'TOKEN',
    help: 'What requests to /_sandbox must carry (default with --allow-remote: a random one)',
  },
  'allow-webhook-host': {
    value: 'NAME',
    help: 'Webhooks may go to this host over http; give it once for each name',
  },
  'webhook-sends': { value: 'NUMBER', help: 'How often a webhook is sent in all: 7 or 8 (default: 8)' },
  seed: {
    value: 'TEXT',
    help: 'Repeat other keys, secrets and names than the default ones; references are always new',
  },
  quiet: { help: 'No line for each request and delivery' },
  json: { help: 'Print JSON objects, one a line' },
  help: { short: 'h', help: 'Print this' },
  version: { help: 'Print the version' },
};

/** The subcommands, which talk to a sandbox that is running. */
const subcommandHelp = columns([
  ['trigger NAME', 'Make something happen: a sale that fails, a lost response, ...'],
  ['settle REFERENCE success|failed', 'Settle a pending sale'],
  ['listen --forward-to URL', 'Print, verify and forward webhooks'],
  ['audit', 'Check the books'],
  ['faults [list|add|remove]', 'List, add and remove faults'],
  ['reset', 'Set everything back to the beginning'],
]);

/** What `--help` prints. */
export function helpText(): string {
  return [
    'Usage: billpay-sandbox [flags]',
    '       billpay-sandbox SUBCOMMAND [--help]',
    '',
    'Runs the whole bill payment service on this machine: nothing is charged, nothing is delivered.',
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
  const { flags: given, positionals } = parsed;
  if (positionals[0] !== undefined) throw new UsageError(`takes no argument ${positionals[0]}; see --help`);
  if (given.has('help')) return 'help';
  if (given.has('version')) return 'version';
  const last = (name: string) => lastOf(parsed, name);
  const settleAfter = readSettleAfter(last('settle-after'));
  const balance = readBalance(last('balance'));
  const optional = <T>(name: string, value: T | undefined) => (value === undefined ? {} : { [name]: value });
  const host = last('host');
  const controlToken = last('control-token');
  return {
    port: readPort(last('port')),
    webhookUrl: last('webhook-url'),
    config: last('config'),
    listen: {
      ...optional('host', host),
      ...(given.has('allow-remote') && { allowRemote: true }),
      ...optional('controlToken', controlToken),
    },
    quiet: given.has('quiet'),
    json: given.has('json'),
    sandbox: {
      ...(given.has('rate-limits') && { rateLimits: true }),
      ...optional('settleAfter', settleAfter),
      ...optional('balance', balance),
      ...optional('seed', last('seed')),
      ...optional('state', last('state')),
      ...optional('clock', readClock(last('clock'))),
      ...optional('allowWebhookHosts', given.get('allow-webhook-host')),
      ...optional('webhookSends', readWebhookSends(last('webhook-sends'))),
    },
  };
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port must be a whole number from 0 to 65535, not ${text}`);
}

function readSettleAfter(text: string | undefined): number | 'manual' | undefined {
  if (text === undefined || text === 'manual') return text;
  const ms = readDuration(text);
  if (ms !== undefined) return ms;
  throw new UsageError(`--settle-after must be a time such as 250ms, 3s or 5m, or manual, not ${text}`);
}

function readClock(text: string | undefined): 'real' | 'manual' | undefined {
  if (text === undefined || text === 'real' || text === 'manual') return text;
  throw new UsageError(`--clock must be real or manual, not ${text}`);
}

function readWebhookSends(text: string | undefined): 7 | 8 | undefined {
  if (text === undefined) return undefined;
  if (text === '7' || text === '8') return text === '7' ? 7 : 8;
  throw new UsageError(`--webhook-sends must be 7 or 8, not ${text}`);
}

function readBalance(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const naira = Number(text);
  if (/^\d+(\.\d{1,2})?$/.test(text) && naira <= 1e12) return naira;
  throw new UsageError(`--balance must be an amount of NGN such as 5000 or 99.50, not ${text}`);
}
