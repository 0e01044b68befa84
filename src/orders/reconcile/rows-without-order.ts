import { toNaira } from '../../contract/money.js';
import type { OrderStore } from '../store.js';
import { findingOf, type ReconcileFinding } from './finding.js';
import type { ReadStatement } from './statement.js';

/**
 * What the statement has and the orders do not, whenever they were placed.
 *
 * @param compared - references that were compared with their orders already.
 */
export async function rowsWithoutOrder<Client>(
  store: OrderStore<Client>,
  { lines, loose }: ReadStatement,
  compared: ReadonlySet<string>,
): Promise<{ readonly findings: readonly ReconcileFinding[]; readonly excessKobo: number }> {
  const findings: ReconcileFinding[] = [];
  let excessKobo = 0;
  const addRow = (kind: 'debit' | 'credit', kobo: number, reference: string | undefined) => {
    excessKobo += kind === 'debit' ? -kobo : kobo;
    findings.push(findingOf({ reference }, { kind: `${kind}-without-order`, found: toNaira(kobo) }));
  };
  for (const [reference, { debits, debitedKobo, credits, creditedKobo, key }] of lines) {
    if (compared.has(reference) || (await store.findByReference(reference))) continue;
    const order = key === undefined ? undefined : await store.find(key);
    if (order) {
      const difference = { kind: 'reference-missing', stored: order.state, found: reference } as const;
      findings.push(findingOf({ id: order.id, reference }, difference));
      continue;
    }
    if (debits > 0) addRow('debit', debitedKobo, reference);
    if (credits > 0) addRow('credit', creditedKobo, reference);
  }
  for (const { kind, kobo } of loose) addRow(kind, kobo, undefined);
  return { findings, excessKobo };
}
