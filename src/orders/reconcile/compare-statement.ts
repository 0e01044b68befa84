import { toKobo, toNaira } from '../../contract/money.js';
import type { StoredOrder } from '../order.js';
import type { Difference } from './finding.js';
import type { Sale } from './sale.js';
import type { StatementLine } from './statement.js';

/** What the statement says of an order, judged. */
export interface StatementVerdict {
  readonly differences: readonly Difference[];
  /** Kobo by which the rows of the order changed the wallet more than they should have. */
  readonly excessKobo: number;
}

/** Whether a row that is missing would lie in the time that the statement covers. */
export interface Covered {
  readonly debit: boolean;
  readonly credit: boolean;
}

const noRows: StatementLine = { debits: 0, debitedKobo: 0, credits: 0, creditedKobo: 0 };

/** Compares an order that has a reference with its rows of the wallet's statement. */
export function compareWithStatement(
  { state }: Pick<StoredOrder, 'state'>,
  sale: Sale,
  line: StatementLine = noRows,
  covered: Covered = { debit: true, credit: true },
): StatementVerdict {
  const netKobo = line.creditedKobo - line.debitedKobo;
  if (state === 'refused') {
    const found = toNaira(-netKobo);
    return {
      differences: netKobo < 0 ? [{ kind: 'refused-but-charged', stored: state, found }] : [],
      excessKobo: netKobo,
    };
  }
  const chargedKobo = sale.charged === undefined ? line.debitedKobo : toKobo(sale.charged);
  const hasFailed = sale.outcome === 'failed';
  const isDebitOutside = line.debits === 0 && !covered.debit;
  const isCreditOutside = hasFailed && line.credits === 0 && !covered.credit;
  const rightKobo = (isDebitOutside ? 0 : -chargedKobo) + (hasFailed && !isCreditOutside ? chargedKobo : 0);
  return {
    differences: [
      ...(isDebitOutside
        ? [{ kind: 'not-covered', stored: state } as const]
        : debitDifferences(line, chargedKobo, state)),
      ...(isCreditOutside && !isDebitOutside ? [{ kind: 'not-covered', stored: state } as const] : []),
      ...(isCreditOutside ? [] : creditDifferences(line, chargedKobo, hasFailed, state)),
    ],
    excessKobo: netKobo - rightKobo,
  };
}

function debitDifferences(
  { debits, debitedKobo }: StatementLine,
  chargedKobo: number,
  state: StoredOrder['state'],
): Difference[] {
  if (debits === 0) return [{ kind: 'debit-missing', stored: state }];
  const amounts = { stored: toNaira(chargedKobo), found: toNaira(debitedKobo) };
  if (debits > 1) return [{ kind: 'debit-repeated', ...amounts }];
  return debitedKobo === chargedKobo ? [] : [{ kind: 'debit-amount', ...amounts }];
}

function creditDifferences(
  { credits, creditedKobo }: StatementLine,
  chargedKobo: number,
  hasFailed: boolean,
  state: StoredOrder['state'],
): Difference[] {
  const amounts = { stored: toNaira(chargedKobo), found: toNaira(creditedKobo) };
  if (!hasFailed)
    return credits === 0 ? [] : [{ kind: 'credit-unexpected', stored: state, found: amounts.found }];
  if (credits === 0) return [{ kind: 'credit-missing', stored: amounts.stored }];
  if (credits > 1) return [{ kind: 'credit-repeated', ...amounts }];
  return creditedKobo === chargedKobo ? [] : [{ kind: 'credit-amount', ...amounts }];
}
