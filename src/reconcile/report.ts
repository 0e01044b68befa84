import { wrapped } from '../cli/columns.js';
import type { Paint } from '../cli/terminal.js';
import type { ReconcileFinding, ReconcileReport } from '../orders/index.js';

/** Findings of a kind beyond these are counted, not listed; `--json` has them all. */
const listed = 20;

const naira = (amount: number): string =>
  amount.toLocaleString('en-NG', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Ids and references come from elsewhere: what would move the cursor of a terminal is not printed. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, '?');

/** What is printed at the end, in lines of 80 characters where ids are not longer. */
export function reportLines(report: ReconcileReport, timeZone: string, paint: Paint): string[] {
  const { orders, lookedUp, findings, states, complete, from, to } = report;
  const time = (at: Date) => at.toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const counts = Object.entries(states)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`);
  return [
    `Orders placed from ${time(from)} to ${time(to)}, ${timeZone}`,
    '',
    ...row('orders', orders, counts.join(', ')),
    ...row('looked up', lookedUp, ''),
    '',
    ...sumLines(report),
    ...statementLines(report),
    ...(findings.length > 0 ? findingLines(findings, paint) : []),
    ...(complete
      ? []
      : [paint('yellow', 'Not complete: the command was ended before all orders were compared.')]),
    ...(complete && findings.length === 0 ? [paint('green', 'No differences.')] : []),
    ...(findings.length > 0
      ? [paint('red', `${findings.length} difference${findings.length === 1 ? '' : 's'}`)]
      : []),
  ];
}

const row = (name: string, count: number | string, text: string): string[] =>
  wrapped(text, 80 - 24).map((line, at) =>
    at === 0 ? `  ${name.padEnd(12)}${String(count).padStart(7)}   ${line}`.trimEnd() : ' '.repeat(24) + line,
  );

function sumLines({ sums, total }: ReconcileReport): string[] {
  if (sums.length === 0) return [];
  const line = (names: readonly [string, string, string], orders: string, ...amounts: readonly string[]) =>
    [
      `  ${names[0].padEnd(11)}${names[1].padEnd(12)}${names[2].padEnd(9)}${orders.padStart(7)}`,
      ...amounts.map((amount, at) => amount.padStart(at === 2 ? 11 : 14)),
    ].join('');
  return [
    line(['day', 'product', 'biller'], 'orders', 'charged', 'refunded', 'commission'),
    ...sums.map((sum) =>
      line(
        [sum.day, sum.product, printable(sum.biller)],
        String(sum.orders),
        naira(sum.charged),
        naira(sum.refunded),
        naira(sum.commission),
      ),
    ),
    line(
      ['total', '', ''],
      String(total.orders),
      naira(total.charged),
      naira(total.refunded),
      naira(total.commission),
    ),
    '',
  ];
}

function statementLines({ statement }: ReconcileReport): string[] {
  if (!statement) return [];
  const { rows, balance, expectedBalance, change, expectedChange } = statement;
  const [has, should] = balance === undefined ? [change, expectedChange] : [balance, expectedBalance];
  const names = balance === undefined ? ['changes by', 'should be'] : ['leaves', 'should be'];
  const line = (name: string, value: string) => `  ${name.padEnd(12)}${value.padStart(18)}`;
  return [
    `The statement of ${rows} rows, NGN`,
    line(names[0] ?? '', naira(has ?? 0)),
    line(names[1] ?? '', should === undefined ? 'not known yet' : naira(should)),
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
