import type { CommandCall } from '../../cli/command.js';
import { anyText, type Flags } from '../../cli/flags.js';
import { UsageError } from '../../cli/program.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { listenFields } from '../http/listen-options.js';
import { sandboxFields } from '../options.js';
import { flagFields, flagsOf, inFlags, readFields } from './schema-flags.js';

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
} as const;

/** The flags that start a sandbox. */
export const flags: typeof ownFlags & Flags = { ...flagsOf([...listenFlags, ...sandboxFlags]), ...ownFlags };

export type StartCall = CommandCall<typeof flags>;

/** The options of `listen` and those of the sandbox that a command line sets. They are checked where they are used. */
export const givenOptions = (given: StartCall['given']) => ({
  listen: readFields(listenFlags, given),
  sandbox: readFields(sandboxFlags, given),
});

/** An error about an option that a flag has set calls it by its flag. What a configuration file sets keeps its name. */
export function namedByFlags(error: unknown, given: StartCall['given']): unknown {
  if (!(error instanceof ConfigurationError)) return error;
  const fields = [...listenFlags, ...sandboxFlags, { field: 'config', name: 'config' }];
  const isGiven = fields.some(({ field, name }) => field === error.option && given[name] !== undefined);
  return isGiven ? new UsageError(inFlags(error.message, fields)) : error;
}
