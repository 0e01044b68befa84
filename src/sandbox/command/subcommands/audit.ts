import type { AuditReport } from '../../lab/audit.js';
import { money } from '../../words/words.js';
import { subcommandRunner } from './subcommand.js';

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

export const runCommand = subcommandRunner({
  name: 'sandbox audit',
  description: [
    'Checks the books of a running sandbox: every transaction is debited once, every failed transaction is refunded once and no other is, and every balance is the sum of its ledger. The exit code is 1 if a problem is found, so that a script can rely on it.',
  ],
  flags: {},
  examples: ['sandbox audit', 'sandbox audit --json'],
  run: async ({ control, paint }) => {
    const report = await control.send<AuditReport>('GET', '/audit');
    const { ok, problems, transactions, debits, refunds, debited, refunded, balance } = report;
    const title = ok
      ? paint('green', 'The books balance')
      : paint('red', `The books do not balance (${counted(problems.length, 'problem')})`);
    const sums = `${counted(transactions, 'transaction')}, ${counted(debits, 'debit')} of NGN ${money(debited)}, ${counted(refunds, 'refund')} of NGN ${money(refunded)}, NGN ${money(balance)} in all wallets`;
    const lines = [`${title}: ${sums}`, ...problems.map((problem) => `  ${problem}`)];
    return { value: report, lines, ok };
  },
});
