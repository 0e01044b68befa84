import { CommandError } from '../../../cli/program.js';
import type { SettlementOutcome } from '../../rules/settlement.js';
import { money } from '../../words/words.js';
import type { ControlClient } from '../control-client.js';

/** The fields of a transaction of the control API that the subcommands read. */
export interface Transaction {
  readonly reference: string;
  readonly client_id: string;
  readonly state: 'pending' | 'success' | 'failed';
  readonly amount: number;
  readonly refunded: boolean;
  readonly has_token: boolean;
  readonly delivery: {
    readonly id: string;
    readonly event: string;
    readonly state: string;
    readonly last_status: number | null;
    readonly last_error: string | null;
    readonly next_attempt_at: string | null;
  } | null;
}

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
