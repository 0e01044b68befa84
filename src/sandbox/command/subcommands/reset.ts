import { subcommandRunner } from './subcommand.js';

export const runCommand = subcommandRunner({
  name: 'sandbox reset',
  description: [
    'Sets a running sandbox back to its beginning: wallets, transactions, keys, webhook subscriptions, faults and requests. A state file is emptied too. The clock stays.',
  ],
  flags: {},
  examples: ['sandbox reset', 'sandbox reset --url http://127.0.0.1:4020'],
  run: async ({ control }) => {
    const value = await control.send<object>('POST', '/reset');
    return { value, lines: [`The sandbox at ${control.origin} is back at its beginning.`] };
  },
});
