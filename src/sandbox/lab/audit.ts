import { toKobo, toNaira } from '../../contract/money.js';
import type { SandboxTransaction } from '../rules/transactions.js';
import type { LedgerEntry, SandboxWallet } from '../rules/wallet.js';

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
  const problems = [
    ...keyProblems(transactions),
    ...wallets.flatMap(balanceProblems),
    ...entryProblems(transactions, wallets),
  ];
  const entries = wallets.flatMap(({ ledger }) => ledger);
  const total = (kind: LedgerEntry['kind']) =>
    toNaira(entries.reduce((sum, entry) => sum + (entry.kind === kind ? toKobo(entry.amount) : 0), 0));
  return {
    ok: problems.length === 0,
    problems,
    transactions: transactions.length,
    debits: entries.filter(({ kind }) => kind === 'debit').length,
    refunds: entries.filter(({ kind }) => kind === 'refund').length,
    debited: total('debit'),
    refunded: total('refund'),
    balance: toNaira(wallets.reduce((sum, { balance }) => sum + toKobo(balance), 0)),
  };
}

function keyProblems(transactions: readonly SandboxTransaction[]): string[] {
  const problems: string[] = [];
  const seen = new Map<string, string>();
  for (const { clientId, idempotency_key, reference } of transactions) {
    const key = JSON.stringify([clientId, idempotency_key]);
    const other = seen.get(key);
    if (other) problems.push(`idempotency_key ${idempotency_key} bought twice: ${other} and ${reference}`);
    seen.set(key, reference);
  }
  return problems;
}

function balanceProblems({ clientId, balance, ledger }: SandboxWallet): string[] {
  const problems: string[] = [];
  let kobo = 0;
  for (const entry of ledger) {
    kobo += entry.kind === 'debit' ? -toKobo(entry.amount) : toKobo(entry.amount);
    if (kobo < 0) problems.push(`the wallet of ${clientId} went below zero at ${entry.reference}`);
    if (kobo !== toKobo(entry.balance)) {
      problems.push(`the ledger of ${clientId} does not add up at ${entry.reference ?? entry.kind}`);
    }
  }
  if (kobo !== toKobo(balance)) {
    problems.push(`the wallet of ${clientId} holds ${balance}, but its ledger comes to ${toNaira(kobo)}`);
  }
  return problems;
}

function entryProblems(
  transactions: readonly SandboxTransaction[],
  wallets: readonly SandboxWallet[],
): string[] {
  const problems: string[] = [];
  const byReference = new Map(transactions.map((transaction) => [transaction.reference, transaction]));
  const debits = new Map<string, number>();
  const refunds = new Map<string, number>();
  for (const { clientId, ledger } of wallets) {
    for (const entry of ledger) {
      if (entry.kind === 'funding') continue;
      const transaction = byReference.get(entry.reference ?? '');
      const belongs =
        transaction !== undefined &&
        transaction.clientId === clientId &&
        transaction.idempotency_key === entry.idempotency_key &&
        toKobo(transaction.amount) === toKobo(entry.amount);
      if (!belongs) {
        problems.push(`a ${entry.kind} of ${entry.amount} from ${clientId} belongs to no transaction`);
        continue;
      }
      const counts = entry.kind === 'debit' ? debits : refunds;
      counts.set(transaction.reference, (counts.get(transaction.reference) ?? 0) + 1);
    }
  }
  for (const { reference, status, refunded } of transactions) {
    const debited = debits.get(reference) ?? 0;
    if (debited !== 1) problems.push(`${reference} was debited ${debited} times`);
    const owed = status === 'failed' ? 1 : 0;
    const credited = refunds.get(reference) ?? 0;
    if (credited !== owed || refunded !== (owed === 1)) {
      problems.push(`${reference} is ${status} and was refunded ${credited} times`);
    }
  }
  return problems;
}
