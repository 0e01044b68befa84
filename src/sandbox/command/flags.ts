import { parseArgs } from 'node:util';
import type { SandboxOptions } from '../options.js';
import { readDuration } from '../service/duration.js';

/** What the command was told on its command line. */
export interface Flags {
  /** Undefined: 4010, or the next free one. */
  readonly port: number | undefined;
  readonly webhookUrl: string | undefined;
  readonly quiet: boolean;
  readonly json: boolean;
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
  seed: { value: 'TEXT', help: 'The same seed gives the same keys, references and tokens' },
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
  const settleAfter = readSettleAfter(given.get('settle-after'));
  const balance = readBalance(given.get('balance'));
  const seed = given.get('seed');
  return {
    port: readPort(given.get('port')),
    webhookUrl: given.get('webhook-url'),
    quiet: given.has('quiet'),
    json: given.has('json'),
    sandbox: {
      rateLimits: given.has('rate-limits'),
      ...(settleAfter !== undefined && { settleAfter }),
      ...(balance !== undefined && { balance }),
      ...(seed !== undefined && { seed }),
    },
  };
}

/** The flags with their values, the last one of a name; a switch has an empty value. */
function parse(args: readonly string[]): ReadonlyMap<string, string> {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const given = new Map<string, string>();
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
    given.set(token.name, token.value ?? '');
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

function readBalance(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const naira = Number(text);
  if (/^\d+(\.\d{1,2})?$/.test(text) && naira <= 1e12) return naira;
  throw new UsageError(`--balance must be an amount of NGN such as 5000 or 99.50, not ${text}`);
}
