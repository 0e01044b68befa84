import type { Sandbox } from '../../../src/sandbox/index.js';
import type { Journal } from './journal.js';

/** Compares a finished journal with the ledger: exactly one charge for each order, and its reference in the caller's store. */
export function ledgerProblems(sandbox: Sandbox, journal: Journal, orders: number): string[] {
  const problems = [...sandbox.audit().problems];
  const charges = new Map<string, string[]>();
  for (const { idempotency_key, reference } of sandbox.transactions) {
    charges.set(idempotency_key, [...(charges.get(idempotency_key) ?? []), reference]);
  }
  for (let order = 1; order <= orders; order++) {
    const entry = journal.entries.get(order);
    const own = charges.get(entry?.key ?? '') ?? [];
    if (own.length !== 1) problems.push(`order ${order} was charged ${own.length} times`);
    if (entry?.reference !== own[0]) {
      problems.push(`order ${order} holds ${entry?.reference}, and was charged as ${own[0]}`);
    }
  }
  if (sandbox.transactions.length !== orders) {
    problems.push(`${sandbox.transactions.length} charges for ${orders} orders`);
  }
  return problems;
}
