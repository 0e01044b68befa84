import { type ParsedArguments, takeArguments } from '../../../cli/flags.js';
import { UsageError } from '../../../cli/program.js';
import { operations } from '../../../contract/operations.js';
import { didYouMean } from '../../../utils/nearest.js';
import type { fault, Received } from '../../control/resources.js';
import { faultEffects, faultFields } from '../../lab/fault-options.js';
import { faultSentence } from '../../words/faults.js';
import { flagFields, flagNames, flagsOf, readFields } from '../schema-flags.js';
import type { Subcommand, SubcommandCall } from './subcommand.js';

const fields = flagFields(faultFields);
const flags = flagsOf(fields);

type ActiveFault = Received<typeof fault>;

const effectFlags = fields
  .filter(({ field }) => faultEffects.some((name) => name === field))
  .map(({ name }) => `--${name}`);

/** The fault of a command line as the control API takes it, which checks every value. */
function faultBody(args: ParsedArguments): Readonly<Record<string, unknown>> {
  const unnamed = [args.given['header']].flat().find((line) => String(line ?? 'X:').indexOf(':') < 1);
  if (unnamed !== undefined) throw new UsageError(`--header must be NAME:VALUE, not ${unnamed}`);
  const body = readFields(fields, args);
  if (faultEffects.every((name) => body[name] === undefined)) {
    throw new UsageError(`add needs at least one effect: ${effectFlags.join(', ')}`);
  }
  return body;
}

const faultLine = (fault: ActiveFault): string => `${String(fault.id).padStart(3)}  ${faultSentence(fault)}`;

async function list({ control }: SubcommandCall) {
  const { data } = await control.send<{ data: ActiveFault[] }>('GET', '/faults');
  return { value: data, lines: data.length === 0 ? ['No fault is active.'] : data.map(faultLine) };
}

async function add({ args, control }: SubcommandCall) {
  const value = await control.send<ActiveFault>('POST', '/faults', faultBody(args));
  return { value, lines: [faultLine(value)] };
}

async function remove({ control }: SubcommandCall, id: string) {
  const path = id === 'all' ? '/faults' : `/faults/${encodeURIComponent(id)}`;
  const value = await control.send<object>('DELETE', path);
  return { value, lines: [id === 'all' ? 'All faults are removed.' : `Fault ${id} is removed.`] };
}

export const subcommand: Subcommand = {
  usage: 'faults [list | add | remove ID|all]',
  description: [
    'Lists the active faults of a running sandbox, adds one, or removes one or all. A fault meets the next request that matches it, or as many as --times says. The flags from --operation to --cut-body are for add, which needs at least one effect: --delay, --status, --body, --header, --retry-after, --close or --cut-body.',
    `The calls are ${Object.keys(operations).join(', ')}.`,
  ],
  flags,
  optionFlags: flagNames(fields),
  examples: [
    'faults',
    'faults add --operation airtime.purchase --status 503 --times 3',
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
        return list(call);
      case 'add':
        takeArguments(args);
        return add(call);
      case 'remove': {
        const [id = ''] = takeArguments(args, 'the ID of a fault, or all');
        return remove(call, id);
      }
      default:
        throw new UsageError(
          `knows list, add and remove, not ${action}${didYouMean(action, ['list', 'add', 'remove'])}; see --help`,
        );
    }
  },
};
