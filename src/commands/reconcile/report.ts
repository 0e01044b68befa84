import { Help } from 'commander';
import type { ReconcileFinding, ReconcileSummary } from '../../orders/index.js';
import { finalStates } from '../../orders/index.js';
import { printable } from '../../utils/printable.js';
import type { Paint } from '../terminal.js';

/** Findings of a kind beyond these are counted, not listed; `--json` has them all. */
const listed = 20;

const naira = (amount: number): string =>
  amount.toLocaleString('en-NG', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A text in lines of at most so many characters. */
const wrapped = (text: string, width: number): string[] => new Help().boxWrap(text, width).split('\n');

/** How many orders have not ended. */
export const notEnded = ({ orders, states }: ReconcileSummary): number =>
  finalStates.reduce((rest, state) => rest - states[state], orders);

/** What is printed at the end, in lines of 80 characters where ids are not longer. */
export function reportLines(
  summary: ReconcileSummary,
  findings: readonly ReconcileFinding[],
  timeZone: string,
  paint: Paint,
): string[] {
  const { orders, checked, states, complete, from, to } = summary;
  const time = (at: Date) => at.toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const counts = Object.entries(states)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`);
  return [
    `Orders placed from ${time(from)} to ${time(to)}, ${timeZone}`,
    '',
    ...row('orders', orders, counts.join(', ')),
    ...row('looked up', checked, ''),
    '',
    ...sumLines(summary),
    ...statementLines(summary),
    ...findingLines(findings, paint),
    ...endLines(findings.length, notEnded(summary), complete, paint),
  ];
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

function endLines(found: number, open: number, complete: boolean, paint: Paint): string[] {
  return [
    ...(complete ? [] : [paint('yellow', 'Not complete: it ended before everything was compared.')]),
    ...(open > 0 ? [paint('yellow', `Not ended: ${counted(open, 'order')}`)] : []),
    ...(found > 0 ? [paint('red', counted(found, 'difference'))] : []),
    ...(complete && found === 0 ? [paint('green', 'No differences.')] : []),
  ];
}

const row = (name: string, count: number | string, text: string): string[] =>
  wrapped(text, 80 - 24).map((line, at) =>
    at === 0 ? `  ${name.padEnd(12)}${String(count).padStart(7)}   ${line}`.trimEnd() : ' '.repeat(24) + line,
  );

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
        naira(sum.charged),
        naira(sum.refunded),
        naira(sum.commission),
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
    line(name, naira(has)),
    line('should be', should === undefined ? 'not known yet' : naira(should)),
    '',
  ];
}

function findingLines(findings: readonly ReconcileFinding[], paint: Paint): string[] {
  const kinds = new Map<string, ReconcileFinding[]>();
  for (const finding of findings) kinds.set(finding.kind, [...(kinds.get(finding.kind) ?? []), finding]);
  return [...kinds].flatMap(([kind, all]) => {
    const [{ message = '', whatToDo = '' } = {}] = all;
    const rest = all.length - listed;
    return [
      paint('bold', `${kind} (${all.length})`),
      ...wrapped(message, 78).map((line) => `  ${line}`),
      ...wrapped(`→ ${whatToDo}`, 78).map((line) => `  ${line}`),
      ...all.slice(0, listed).flatMap(detailLines),
      ...(rest > 0 ? [`    … and ${rest} more: --json lists all`] : []),
      '',
    ];
  });
}

function detailLines({ id, reference, stored, found }: ReconcileFinding): string[] {
  const about = [id, reference]
    .filter((text) => text !== undefined)
    .map(printable)
    .join(' ');
  const values = [
    ...(stored === undefined ? [] : [`stored ${shown(stored)}`]),
    ...(found === undefined ? [] : [`found ${shown(found)}`]),
  ].join(', ');
  const line = `    ${about || 'without a reference'}: ${values}`.replace(/: $/, '');
  return line.length <= 80 ? [line] : [`    ${about}`, ...wrapped(values, 74).map((text) => `      ${text}`)];
}

const shown = (value: string | number | boolean): string =>
  typeof value === 'number' ? naira(value) : printable(String(value));
