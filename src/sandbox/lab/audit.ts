import { toKobo, toNaira } from '../../contract/money.js';
import type { LedgerEntry, SandboxTransaction, SandboxWallet } from '../records/objects.js';

/** What `sandbox.audit()` found. */
export interface AuditReport {
  /** Whether nothing is wrong: `problems` is empty. */
  readonly ok: boolean;
  /** A sentence for each problem. */
  readonly problems: readonly string[];
  /** How many transactions were looked at. */
  readonly transactions: number;
  /** How many debits there are. */
  readonly debits: number;
  /** How many refunds there are. */
  readonly refunds: number;
  /** The sum of all debits, in NGN. */
  readonly debited: number;
  /** The sum of all refunds, in NGN. */
  readonly refunded: number;
  /** What all wallets hold together, in NGN. */
  readonly balance: number;
}

/**
 * Compares the books with each other: every debit has one key and one transaction, and every transaction one debit
 * of its amount; no key bought twice; every failed transaction is refunded once and no other is; every balance is the
 * sum of its ledger and never below zero.
 */
export function audit(
  transactions: readonly SandboxTransaction[],
  wallets: readonly SandboxWallet[],
): AuditReport {
  const problems: string[] = [];
  const kobo = { funding: 0, debit: 0, refund: 0 };
  const entries = { funding: 0, debit: 0, refund: 0 };
  const booked = new Map(
    transactions.map((transaction) => [transaction.reference, { transaction, debit: 0, refund: 0 }]),
  );

  for (const { clientId, balance, ledger } of wallets) {
    let held = 0;
    for (const entry of ledger) {
      const { kind, amount, reference } = entry;
      entries[kind] += 1;
      kobo[kind] += toKobo(amount);
      held += kind === 'debit' ? -toKobo(amount) : toKobo(amount);
      if (held < 0) problems.push(`the wallet of ${clientId} went below zero at ${reference}`);
      if (held !== toKobo(entry.balance)) {
        problems.push(`the ledger of ${clientId} does not add up at ${reference ?? kind}`);
      }
      if (kind === 'funding') continue;
      const found = booked.get(reference ?? '');
      if (found && isOf(entry, clientId, found.transaction)) found[kind] += 1;
      else problems.push(`a ${kind} of ${amount} from ${clientId} belongs to no transaction`);
    }
    if (held !== toKobo(balance)) {
      problems.push(`the wallet of ${clientId} holds ${balance}, but its ledger comes to ${toNaira(held)}`);
    }
  }

  const buyers = new Map<string, string>();
  for (const { transaction, debit, refund } of booked.values()) {
    const { clientId, idempotency_key, reference, status, refunded } = transaction;
    const key = JSON.stringify([clientId, idempotency_key]);
    const other = buyers.get(key);
    if (other) problems.push(`idempotency_key ${idempotency_key} bought twice: ${other} and ${reference}`);
    buyers.set(key, reference);
    if (debit !== 1) problems.push(`${reference} was debited ${debit} times`);
    const isOwed = status === 'failed';
    if (refund !== (isOwed ? 1 : 0) || refunded !== isOwed) {
      problems.push(`${reference} is ${status} and was refunded ${refund} times`);
    }
  }
  return {
    ok: problems.length === 0,
    problems,
    transactions: transactions.length,
    debits: entries.debit,
    refunds: entries.refund,
    debited: toNaira(kobo.debit),
    refunded: toNaira(kobo.refund),
    balance: toNaira(wallets.reduce((sum, { balance }) => sum + toKobo(balance), 0)),
  };
}

const isOf = (entry: LedgerEntry, clientId: string, transaction: SandboxTransaction): boolean =>
  transaction.clientId === clientId &&
  transaction.idempotency_key === entry.idempotency_key &&
  toKobo(transaction.amount) === toKobo(entry.amount);
