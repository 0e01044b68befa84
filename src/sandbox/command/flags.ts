import { parseArgs } from 'node:util';
import type { SandboxOptions } from '../options.js';
import { readDuration } from '../service/duration.js';
import type { ListenOptions } from '../transport/listen-options.js';

/** The flags of a command line. */
export interface Flags {
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

/** What is wrong with a command line, in one line. */
export class UsageError extends Error {}

interface Flag {
  /** What its value is called; undefined for a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly help: string;
}

const flags: Readonly<Record<string, Flag>> = {
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

const flagColumn = 24;

/** What `--help` prints. */
export function helpText(): string {
  const lines = Object.entries(flags).map(([name, { value, short, help }]) => {
    const spelled = `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
    return `  ${spelled.padEnd(flagColumn)}${help}`;
  });
  return [
    'Usage: billpay-sandbox [flags]',
    '',
    'Runs the whole bill payment service on this machine: nothing is charged, nothing is delivered.',
    '',
    ...lines,
    '',
    'It ends with Ctrl-C.',
  ].join('\n');
}

/** Reads a command line; throws `UsageError` at the first thing wrong with it. */
export function readFlags(args: readonly string[]): Flags | 'help' | 'version' {
  const given = parse(args);
  if (given.has('help')) return 'help';
  if (given.has('version')) return 'version';
  const last = (name: string) => given.get(name)?.at(-1);
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

/** The flags with their values in the order given; a switch has an empty value. */
function parse(args: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const given = new Map<string, readonly string[]>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') throw new UsageError(`takes no argument ${token.value}; see --help`);
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (!flag) throw new UsageError(`has no flag ${token.rawName}; see --help`);
    if (flag.value !== undefined && !token.value) {
      throw new UsageError(`${token.rawName} needs a value: --${token.name} ${flag.value}`);
    }
    if (flag.value === undefined && token.value !== undefined) {
      throw new UsageError(`${token.rawName} is a switch and takes no value`);
    }
    given.set(token.name, [...(given.get(token.name) ?? []), token.value ?? '']);
  }
  return given;
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
