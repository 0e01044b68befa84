import { takeArguments } from '../../../cli/flags.js';
import { exitCodes, UsageError } from '../../../cli/program.js';
import type { Subcommand } from './subcommand.js';
import { settleTransaction, transactionLines } from './transaction.js';

export const subcommand: Subcommand = {
  usage: 'settle REFERENCE success|failed',
  description: [
    'Settles a pending transaction of a running sandbox now. A failed transaction is refunded. The webhook has been sent once when the command ends. To settle nothing by itself, start the sandbox with --settle-after manual.',
  ],
  flags: {},
  examples: ['settle TXN-0123456789ABCDEF success', 'settle TXN-0123456789ABCDEF failed --json'],
  run: async ({ args, control, json, print }) => {
    const [reference = '', outcome] = takeArguments(args, 'a REFERENCE', 'an outcome, success or failed');
    if (outcome !== 'success' && outcome !== 'failed') {
      throw new UsageError(`the outcome must be success or failed, not ${outcome}`);
    }
    const transaction = await settleTransaction(control, reference, outcome);
    if (json) print(JSON.stringify(transaction));
    else for (const line of transactionLines(transaction)) print(line);
    return exitCodes.done;
  },
};
