import { money } from '../contract/money.js';
import { finalStates, type ReconcileFinding, type ReconcileSummary } from '../orders/index.js';
import { printable } from '../utils/print.js';
import { type CommandProcess, paintFor, widthOf, wrapped } from './terminal.js';

/** Findings of a kind beyond these are counted, not listed. */
const listed = 20;

/** How many orders have not ended. */
export const notEnded = ({ orders, states }: ReconcileSummary): number =>
  finalStates.reduce((rest, state) => rest - states[state], orders);

/** What `orders.reconcile` has compared and found, in lines. */
export function reportLines(
  summary: ReconcileSummary,
  findings: readonly ReconcileFinding[],
  { stdout }: Pick<CommandProcess, 'stdout'>,
): string[] {
  const paint = paintFor(stdout);
  const { orders, checked, states, complete } = summary;
  const open = notEnded(summary);
  const counts = Object.entries(states).filter(([, count]) => count > 0);
  const row = (name: string, count: number, text = '') =>
    `  ${name.padEnd(12)}${String(count).padStart(7)}   ${text}`.trimEnd();
  return [
    row('orders', orders, counts.map(([state, count]) => `${count} ${state}`).join(', ')),
    row('checked', checked),
    '',
    ...sumLines(summary),
    ...statementLines(summary),
    ...findingLines(findings, stdout),
    ...(complete ? [] : [paint('yellow', 'Not complete: it ended before everything was compared.')]),
    ...(open > 0 ? [paint('yellow', `Not ended: ${open}`)] : []),
    ...(findings.length > 0 ? [paint('red', `Differences: ${findings.length}`)] : []),
    ...(complete && findings.length === 0 ? [paint('green', 'No differences.')] : []),
  ];
}

function sumLines({ sums, total }: ReconcileSummary): string[] {
  if (sums.length === 0) return [];
  const line = (names: readonly [string, string, string], orders: string, ...amounts: readonly string[]) =>
    [
      `  ${names[0].padEnd(11)}${names[1].padEnd(12)}${names[2].padEnd(9)}${orders.padStart(7)}`,
      ...amounts.map((amount, at) => amount.padStart(at === 2 ? 11 : 14)),
    ].join('');
  return [
    line(['day', 'product', 'biller'], 'orders', 'charged', 'refunded', 'commission'),
    ...[...sums, { ...total, day: 'total', product: '', biller: '' }].map((sum) =>
      line(
        [sum.day, sum.product, printable(sum.biller)],
        String(sum.orders),
        money(sum.charged),
        money(sum.refunded),
        money(sum.commission),
      ),
    ),
    '',
  ];
}

function statementLines({ statement }: ReconcileSummary): string[] {
  if (!statement) return [];
  const { rows, balance, expectedBalance, change, expectedChange } = statement;
  const [name, has, should] =
    balance === undefined ? ['changes by', change, expectedChange] : ['leaves', balance, expectedBalance];
  const line = (what: string, value: string) => `  ${what.padEnd(12)}${value.padStart(18)}`;
  return [
    `The statement of ${rows} rows, NGN`,
    line(name, money(has)),
    line('should be', should === undefined ? 'not known yet' : money(should)),
    '',
  ];
}

/** The findings of each kind under its sentence and its remedy, which all of them share. */
function findingLines(findings: readonly ReconcileFinding[], stdout: CommandProcess['stdout']): string[] {
  const width = widthOf(stdout);
  const kinds = new Map<string, ReconcileFinding[]>();
  for (const finding of findings) kinds.set(finding.kind, [...(kinds.get(finding.kind) ?? []), finding]);
  return [...kinds].flatMap(([kind, all]) => {
    const [{ message = '', whatToDo = '' } = {}] = all;
    const rest = all.length - listed;
    return [
      paintFor(stdout)('bold', `${kind} (${all.length})`),
      ...[message, `→ ${whatToDo}`].flatMap((text) => wrapped(text, width - 2)).map((line) => `  ${line}`),
      ...all.slice(0, listed).flatMap((finding) => detailLines(finding, width)),
      ...(rest > 0 ? [`    … and ${rest} more`] : []),
      '',
    ];
  });
}

function detailLines({ id, reference, stored, found }: ReconcileFinding, width: number): string[] {
  const about = [id, reference].filter((text) => text !== undefined).map(printable);
  const values = [
    ...(stored === undefined ? [] : [`stored ${shown(stored)}`]),
    ...(found === undefined ? [] : [`found ${shown(found)}`]),
  ];
  const line = `${about.join(' ') || 'without a reference'}: ${values.join(', ')}`.replace(/: $/, '');
  return wrapped(line, width - 6).map((text, at) => (at === 0 ? `    ${text}` : `      ${text}`));
}

const shown = (value: string | number | boolean): string =>
  typeof value === 'number' ? money(value) : printable(String(value));
