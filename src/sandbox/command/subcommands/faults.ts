import { operations } from '../../../contract/operations.js';
import type { FaultOptions } from '../../service/fault-options.js';
import { faultTarget, faultWords } from '../../words/words.js';
import { exitCodes } from '../control-client.js';
import { type Flags, lastOf, type ParsedArguments, UsageError } from '../parse-flags.js';
import { type Subcommand, type SubcommandCall, takeArguments } from './subcommand.js';

const flags: Flags = {
  operation: {
    value: 'CALL',
    help: 'Only this call, such as airtime.purchase; repeatable (default: any request)',
  },
  recipient: { value: 'TEXT', help: 'Only this recipient' },
  client: { value: 'ID', help: 'Only this client' },
  times: { value: 'COUNT', help: "How many requests it meets; 'always' until it is removed (default: 1)" },
  after: { help: 'Strike after the processing: for a purchase, after the debit (default: before)' },
  delay: { value: 'TIME', help: 'Hold the request for 250ms, 3s, 5m, ...' },
  status: { value: 'NUMBER', help: 'Respond with this HTTP status, 200 to 599' },
  code: { value: 'CODE', help: "The error envelope's code (default: the first documented for the status)" },
  message: { value: 'TEXT', help: "The error envelope's message" },
  body: { value: 'TEXT', help: 'This body instead: a JSON object or list, or any text' },
  header: { value: 'NAME:VALUE', help: 'Add or replace a response header; repeatable' },
  'retry-after': { value: 'VALUE', help: 'A Retry-After header: seconds, a date, or nonsense' },
  close: { help: 'Close the connection without a response' },
  'cut-body': { value: 'BYTES', help: "Cut the body off after so many bytes, or 'half'" },
};

interface FaultView extends Omit<FaultOptions, 'times'> {
  readonly id: number;
  readonly remaining: number | 'always';
  readonly used: number;
}

/** Text of the command line as the number that it is; else unchanged, for the sandbox to refuse by name. */
const asNumber = (text: string): number | string => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);

/** A body that is a JSON object or list goes out as such. */
function asBody(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : text;
  } catch {
    return text;
  }
}

function asHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      if (at < 1) throw new UsageError(`--header must be NAME:VALUE, not ${line}`);
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/** The fault of a command line as the control API takes it, which checks every value. */
function faultBody(args: ParsedArguments): Record<string, unknown> {
  const operation = args.flags.get('operation');
  const headers = args.flags.get('header');
  const entries: readonly (readonly [name: string, value: unknown])[] = [
    ['operation', operation],
    ['recipient', lastOf(args, 'recipient')],
    ['clientId', lastOf(args, 'client')],
    ['times', mapText(lastOf(args, 'times'), asNumber)],
    ['when', args.flags.has('after') ? 'after' : undefined],
    ['delay', mapText(lastOf(args, 'delay'), asNumber)],
    ['status', mapText(lastOf(args, 'status'), asNumber)],
    ['code', lastOf(args, 'code')],
    ['message', lastOf(args, 'message')],
    ['body', mapText(lastOf(args, 'body'), asBody)],
    ['headers', headers && asHeaders(headers)],
    ['retryAfter', mapText(lastOf(args, 'retry-after'), asNumber)],
    ['connection', args.flags.has('close') ? 'close' : undefined],
    ['cutBody', mapText(lastOf(args, 'cut-body'), (text) => (text === 'half' ? true : asNumber(text)))],
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const mapText = <T>(text: string | undefined, map: (text: string) => T): T | undefined =>
  text === undefined ? undefined : map(text);

const times = (count: number | 'always'): string => (count === 'always' ? 'until removed' : `${count} more`);

const faultLine = ({ id, remaining, used, ...options }: FaultView): string => {
  const fault = options as FaultOptions;
  return `${String(id).padStart(3)}  ${faultWords(fault)}  on ${faultTarget(fault)}  ${times(remaining)}, met ${used}`;
};

async function list({ control, json, print }: SubcommandCall): Promise<void> {
  const { data } = await control.send<{ data: FaultView[] }>('GET', '/faults');
  if (json) for (const fault of data) print(JSON.stringify(fault));
  else if (data.length === 0) print('No fault is active.');
  else for (const fault of data) print(faultLine(fault));
}

async function add({ args, control, json, print }: SubcommandCall): Promise<void> {
  const fault = await control.send<FaultView>('POST', '/faults', faultBody(args));
  print(json ? JSON.stringify(fault) : faultLine(fault));
}

async function remove({ control, json, print }: SubcommandCall, id: string): Promise<void> {
  const path = id === 'all' ? '/faults' : `/faults/${encodeURIComponent(id)}`;
  const result = await control.send<object>('DELETE', path);
  print(json ? JSON.stringify(result) : id === 'all' ? 'All faults are removed.' : `Fault ${id} is removed.`);
}

export const subcommand: Subcommand = {
  usage: 'faults [list | add | remove ID|all]',
  description: [
    'Lists the active faults of a running sandbox, adds one, or removes one or all. A fault meets the next request that matches it,\nor as many as --times says. The flags from --operation to --cut-body are for add, which needs at least one effect: --delay,\n--status, --body, --header, --retry-after, --close or --cut-body.',
    `The calls are ${Object.keys(operations).join(', ')}.`.replace(/(.{60,120}), /g, '$1,\n'),
  ],
  flags,
  examples: [
    'faults',
    'faults add --operation airtime.purchase --status 503 --code QUEUE_UNAVAILABLE --times 3',
    'faults add --operation airtime.purchase --after --close',
    'faults add --status 429 --retry-after 2',
    'faults add --delay 40s --times always',
    'faults remove 2',
    'faults remove all',
  ],
  run: async (call) => {
    const [action = 'list', ...rest] = call.args.positionals;
    const args = { ...call.args, positionals: rest };
    const given = Object.keys(flags).find((name) => call.args.flags.has(name));
    if (action !== 'add' && given !== undefined) {
      throw new UsageError(`--${given} is a flag of add: billpay-sandbox faults add --${given} ...`);
    }
    switch (action) {
      case 'list':
        takeArguments(args);
        await list(call);
        break;
      case 'add':
        takeArguments(args);
        await add(call);
        break;
      case 'remove': {
        const [id = ''] = takeArguments(args, 'the ID of a fault, or all');
        await remove(call, id);
        break;
      }
      default:
        throw new UsageError(`knows list, add and remove, not ${action}; see --help`);
    }
    return exitCodes.done;
  },
};
