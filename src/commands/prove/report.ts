import type { Paint } from '../terminal.js';
import type { Proof } from './prove.js';

/** Differences beyond these are counted, not listed. */
const listed = 20;

const naira = (amount: number) => `${amount.toLocaleString('en-NG', { minimumFractionDigits: 2 })} NGN`;

const databases = { memory: 'memory', sqlite: 'an SQLite file', postgres: 'PostgreSQL' } as const;

/** What is printed at the end. */
export function reportLines(proof: Proof, paint: Paint): string[] {
  const { plan, summary, wallet, differences, kind, kills } = proof;
  const { orders, states } = summary;
  const row = (name: string, count: number | string, text: string) =>
    `  ${name.padEnd(10)}${String(count).padStart(8)}   ${text}`.trimEnd();
  const troubles = new Map<string, number>();
  for (const { trouble } of plan.filter(({ trouble }) => trouble))
    troubles.set(String(trouble), (troubles.get(String(trouble)) ?? 0) + 1);
  return [
    `${orders} orders in ${databases[kind]}, ${(proof.durationMs / 1000).toFixed(1)} s`,
    '',
    'What went wrong on the way:',
    ...[...troubles].map(([name, count]) => row('', count, name)),
    ...(kind === 'memory' ? [] : [row('', kills, 'kills of the shop right after a debit')]),
    '',
    'What orders.reconcile compared:',
    row('orders', orders, `${states.delivered} delivered, ${states.failed} failed and refunded`),
    row('debits', wallet.debits, 'one for each order'),
    row('refunds', wallet.refunds, 'one for each order that failed'),
    row('checked', summary.checked, 'status checks at the service'),
    row('wallet', naira(wallet.balance), 'as the debits and refunds leave it'),
    '',
    ...(differences.length === 0
      ? [
          paint(
            'green',
            'No differences: every order was charged at most once, and ended as its transaction did.',
          ),
        ]
      : [
          paint('red', `${differences.length} differences:`),
          ...differences.slice(0, listed).map((difference) => `  ${difference}`),
          ...(differences.length > listed ? [`  … and ${differences.length - listed} more`] : []),
        ]),
  ];
}
