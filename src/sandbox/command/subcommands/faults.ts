import { anyText, type Flags, type ParsedArguments, takeArguments } from '../../../cli/flags.js';
import { exitCodes, UsageError } from '../../../cli/program.js';
import { operations } from '../../../contract/operations.js';
import { type FaultOptions, faultFields } from '../../lab/fault-options.js';
import { flags as flagsOfSchemas } from '../../schemas/kinds.js';
import { faultTarget, faultWords } from '../../words/words.js';
import type { Subcommand, SubcommandCall } from './subcommand.js';

/** Each field of a fault that has a flag, with the name of the flag. */
const fields = Object.entries(faultFields).flatMap(([field, schema]) => {
  const flag = flagsOfSchemas.get(schema);
  const name = flag?.name ?? field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return flag ? [{ field, name, flag }] : [];
});

const flags: Flags = Object.fromEntries(
  fields.map(({ name, flag: { value, help } }) => [
    name,
    value === undefined ? { help } : { value, help, schema: anyText, many: true },
  ]),
);

interface FaultView extends Omit<FaultOptions, 'times'> {
  readonly id: number;
  readonly remaining: number | 'always';
  readonly used: number;
}

/** The fault of a command line as the control API takes it, which checks every value. */
function faultBody({ given }: ParsedArguments): Record<string, unknown> {
  const textsOf = (name: string): readonly string[] => [given[name]].flat().filter(isText);
  const unnamed = textsOf('header').find((line) => line.indexOf(':') < 1);
  if (unnamed !== undefined) throw new UsageError(`--header must be NAME:VALUE, not ${unnamed}`);
  return Object.fromEntries(
    fields.flatMap(({ field, name, flag }) => {
      if (given[name] === undefined) return [];
      const texts = textsOf(name);
      return [[field, flag.read ? flag.read(texts) : texts.at(-1)]];
    }),
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';

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
    'Lists the active faults of a running sandbox, adds one, or removes one or all. A fault meets the next request that matches it, or as many as --times says. The flags from --operation to --cut-body are for add, which needs at least one effect: --delay, --status, --body, --header, --retry-after, --close or --cut-body.',
    `The calls are ${Object.keys(operations).join(', ')}.`,
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
    const given = Object.keys(flags).find((name) => call.args.given[name] !== undefined);
    if (action !== 'add' && given !== undefined) {
      throw new UsageError(`--${given} is a flag of add: billpay sandbox faults add --${given} ...`);
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
