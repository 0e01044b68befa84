import { takeArguments } from '../../../cli/flags.js';
import type { Subcommand } from './subcommand.js';

export const subcommand: Subcommand = {
  usage: 'reset',
  description: [
    'Sets a running sandbox back to its beginning: wallets, transactions, keys, webhook subscriptions, faults and requests. A state file is emptied too. The clock stays.',
  ],
  flags: {},
  examples: ['reset', 'reset --url http://127.0.0.1:4020'],
  run: async ({ args, control }) => {
    takeArguments(args);
    const value = await control.send<object>('POST', '/reset');
    return { value, lines: [`The sandbox at ${control.origin} is back at its beginning.`] };
  },
};
