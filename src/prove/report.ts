import type { Paint } from '../cli/terminal.js';
import type { ProofDatabase } from './database.js';
import type { Proof } from './prove.js';

/** Differences beyond these are counted, not listed. */
const listed = 20;

const naira = (amount: number) => `${amount.toLocaleString('en-NG', { minimumFractionDigits: 2 })} NGN`;

const databaseNames: Readonly<Record<ProofDatabase['kind'], string>> = {
  memory: 'memory',
  sqlite: 'an SQLite file',
  postgres: 'PostgreSQL',
};

/** What is printed at the end. */
export function reportProof(
  { books, differences, kind, troubles, kills, reviewed, durationMs }: Proof,
  paint: Paint,
): string[] {
  const { orders, ends, audit, balance } = books;
  const count = (state: string) => `${orders.filter((order) => order.state === state).length} ${state}`;
  const row = (name: string, count: number | string, text: string) =>
    `  ${name.padEnd(10)}${String(count).padStart(8)}   ${text}`;
  const killed =
    kind === 'memory'
      ? 'no process was killed: orders in memory end with their process'
      : `${kills} times the process of the shop was killed right after a debit`;
  return [
    `${orders.length} orders in ${databaseNames[kind]}, ${(durationMs / 1000).toFixed(1)} s`,
    '',
    'What went wrong on the way:',
    ...[...troubles].map(([name, count]) => row('', count, name)),
    `  ${killed}`,
    ...(reviewed > 0
      ? [
          `  ${reviewed} orders in doubt waited in review for a decision, which this command took as an operator would`,
        ]
      : []),
    '',
    'The books:',
    row(
      'orders',
      orders.length,
      `${count('delivered')}, ${count('failed')} and refunded, ${count('refused')}`,
    ),
    row('debits', audit.debits, 'one for each order that was delivered or failed'),
    row('refunds', audit.refunds, 'one for each order that failed'),
    row('hooks', ends.length, 'one for each order'),
    row('wallet', naira(balance), ''),
    '',
    ...(differences.length === 0
      ? [paint('green', 'No differences: every order was charged at most once, and ended once.')]
      : [
          paint('red', `${differences.length} differences:`),
          ...differences.slice(0, listed).map((difference) => `  ${difference}`),
          ...(differences.length > listed ? [`  … and ${differences.length - listed} more`] : []),
        ]),
  ].map((line) => line.trimEnd());
}
