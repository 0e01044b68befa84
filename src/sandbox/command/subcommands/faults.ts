import { takeArguments } from '../../../cli/flags.js';
import { UsageError } from '../../../cli/program.js';
import { operations } from '../../../contract/operations.js';
import { didYouMean } from '../../../utils/nearest.js';
import type { fault, Received } from '../../control/resources.js';
import { faultEffects, faultFields } from '../../lab/fault-options.js';
import { faultSentence } from '../../words/faults.js';
import { flagFields, flagsOf, readFields } from '../schema-flags.js';
import { type SubcommandCall, subcommandRunner } from './subcommand.js';

const fields = flagFields(faultFields);
const flags = flagsOf(fields);

type ActiveFault = Received<typeof fault>;

const effectFlags = fields
  .filter(({ field }) => faultEffects.some((name) => name === field))
  .map(({ name }) => `--${name}`);

const faultLine = (fault: ActiveFault): string => `${String(fault.id).padStart(3)}  ${faultSentence(fault)}`;

async function list({ control }: SubcommandCall) {
  const { data } = await control.send<{ data: ActiveFault[] }>('GET', '/faults');
  return { value: data, lines: data.length === 0 ? ['No fault is active.'] : data.map(faultLine) };
}

async function add({ given, control }: SubcommandCall) {
  const body = readFields(fields, given);
  if (faultEffects.every((name) => body[name] === undefined)) {
    throw new UsageError(`add needs at least one effect: ${effectFlags.join(', ')}`);
  }
  const value = await control.send<ActiveFault>('POST', '/faults', body);
  return { value, lines: [faultLine(value)] };
}

async function remove({ control }: SubcommandCall, id: string) {
  const path = id === 'all' ? '/faults' : `/faults/${encodeURIComponent(id)}`;
  const value = await control.send<object>('DELETE', path);
  return { value, lines: [id === 'all' ? 'All faults are removed.' : `Fault ${id} is removed.`] };
}

export const runCommand = subcommandRunner({
  name: 'sandbox faults',
  usage: '[list | add | remove ID|all]',
  description: [
    'Lists the active faults of a running sandbox, adds one, or removes one or all. A fault meets the next request that matches it, or as many as --times says. The flags from --operation to --cut-body are for add, which needs at least one effect: --delay, --status, --body, --header, --retry-after, --close or --cut-body.',
    `The calls are ${Object.keys(operations).join(', ')}.`,
  ],
  flags,
  optionFlags: fields,
  examples: [
    'sandbox faults',
    'sandbox faults add --operation airtime.purchase --status 503 --times 3',
    'sandbox faults add --operation airtime.purchase --after --close',
    'sandbox faults add --status 429 --retry-after 2',
    'sandbox faults add --delay 40s --times always',
    'sandbox faults remove 2',
    'sandbox faults remove all',
  ],
  run: async (call) => {
    const [action = 'list', ...positionals] = call.positionals;
    const given = Object.keys(flags).find((name) => call.given[name] !== undefined);
    if (action !== 'add' && given !== undefined) {
      throw new UsageError(`--${given} is a flag of add: billpay sandbox faults add --${given} ...`);
    }
    switch (action) {
      case 'list':
        takeArguments({ positionals });
        return list(call);
      case 'add':
        takeArguments({ positionals });
        return add(call);
      case 'remove': {
        const [id = ''] = takeArguments({ positionals }, 'the ID of a fault, or all');
        return remove(call, id);
      }
      default:
        throw new UsageError(
          `knows list, add and remove, not ${action}${didYouMean(action, ['list', 'add', 'remove'])}; see --help`,
        );
    }
  },
});
