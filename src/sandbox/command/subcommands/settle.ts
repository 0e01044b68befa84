import { takeArguments } from '../../../cli/flags.js';
import { CommandError, UsageError } from '../../../cli/program.js';
import type { Received, transaction } from '../../control/resources.js';
import type { SettlementOutcome } from '../../rules/settlement.js';
import { money } from '../../words/words.js';
import type { ControlClient } from '../control-client.js';
import { subcommandRunner } from './subcommand.js';

export type Transaction = Received<typeof transaction>;

const transactionOf = (control: ControlClient, reference: string) =>
  control.send<Transaction>('GET', `/transactions/${encodeURIComponent(reference)}`);

/** Settles a transaction now; one that is settled in the wanted way already is left as it is. */
export async function settleTransaction(
  control: ControlClient,
  reference: string,
  outcome: SettlementOutcome,
): Promise<Transaction> {
  const path = `/transactions/${encodeURIComponent(reference)}/settle`;
  try {
    return await control.send<Transaction>('POST', path, { outcome });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const transaction = await transactionOf(control, reference).catch(() => undefined);
    if (transaction?.state === outcome) return transaction;
    throw error;
  }
}

/** What became of a transaction, in lines. */
export function transactionLines({
  reference,
  state,
  amount,
  refunded,
  has_token,
  delivery,
}: Transaction): string[] {
  const total = `NGN ${money(amount)}`;
  const end = refunded ? `${total} refunded` : has_token ? `${total}, with a token` : total;
  const lines = [`${reference}  ${state}  ${end}`];
  if (delivery) {
    const { event, last_status, last_error, next_attempt_at } = delivery;
    const result =
      last_status === null ? (last_error ?? 'not sent yet') : `the receiver responded ${last_status}`;
    const next = next_attempt_at === null ? '' : `, next attempt at ${next_attempt_at}`;
    lines.push(`webhook ${event}: ${result}${next}`);
  } else if (state !== 'pending') {
    lines.push('no webhook: this client has no subscription');
  }
  return lines;
}

export const runCommand = subcommandRunner({
  name: 'sandbox settle',
  usage: 'REFERENCE success|failed',
  description: [
    'Settles a pending transaction of a running sandbox now. A failed transaction is refunded. The webhook has been sent once when the command ends. To settle nothing by itself, start the sandbox with --settle-after manual.',
  ],
  flags: {},
  examples: [
    'sandbox settle TXN-0123456789ABCDEF success',
    'sandbox settle TXN-0123456789ABCDEF failed --json',
  ],
  run: async ({ positionals, control }) => {
    const [reference = '', outcome] = takeArguments(
      { positionals },
      'a REFERENCE',
      'an outcome, success or failed',
    );
    if (outcome !== 'success' && outcome !== 'failed') {
      throw new UsageError(`the outcome must be success or failed, not ${outcome}`);
    }
    const value = await settleTransaction(control, reference, outcome);
    return { value, lines: transactionLines(value) };
  },
});
