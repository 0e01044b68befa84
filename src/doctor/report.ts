import { wrapped } from '../cli/columns.js';
import type { Paint } from '../cli/terminal.js';
import { version } from '../version.js';
import type { Finding, FindingStatus } from './finding.js';

const marks: Readonly<Record<FindingStatus, string>> = { ok: '✓', warning: '!', failed: '✗', skipped: '-' };
const tints = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const;

const nameWidth = 19;
const indent = ' '.repeat(nameWidth + 4);

/** The lines of a finding, with its remedy; none for a skipped check, which `skippedLines` names. */
export function findingLines({ check, status, message, remedy }: Finding, paint: Paint): string[] {
  if (status === 'skipped') return [];
  const width = 80 - indent.length;
  const [first = '', ...rest] = wrapped(message, width);
  const advice = remedy === undefined ? [] : wrapped(`${remedy[0]?.toUpperCase()}${remedy.slice(1)}.`, width);
  return [
    `${paint(tints[status], marks[status])} ${check.padEnd(nameWidth)}  ${first}`,
    ...[...rest, ...advice].map((line) => `${indent}${line}`),
  ];
}

/** One line for a finding, with its remedy: for logs and for `grep`. */
export function findingLine({ check, status, message, remedy }: Finding): string {
  const advice = remedy === undefined ? '' : `. ${remedy[0]?.toUpperCase()}${remedy.slice(1)}.`;
  const mark = status === 'failed' ? 'FAILED' : status;
  return `${mark.padEnd(7)}  ${check.padEnd(nameWidth)}  ${message}${advice}`;
}

/** The checks that were skipped, in one line where it fits. */
export function skippedLines(findings: readonly Finding[], paint: Paint): string[] {
  const names = findings.filter(({ status }) => status === 'skipped').map(({ check }) => check);
  if (names.length === 0) return [];
  return wrapped(`- Not checked: ${names.join(', ')} (--json says why)`).map((line) => paint('dim', line));
}

export function summaryLine(findings: readonly Finding[], paint: Paint): string {
  const count = (wanted: FindingStatus) => findings.filter(({ status }) => status === wanted).length;
  const ends = (['ok', 'warning', 'failed', 'skipped'] as const).map(
    (status) => `${count(status)} ${status}`,
  );
  return paint(isHealthy(findings) ? 'green' : 'red', ends.join(', '));
}

export const isHealthy = (findings: readonly Finding[]): boolean =>
  findings.every(({ status }) => status !== 'failed');

export const jsonReport = (findings: readonly Finding[]): string =>
  JSON.stringify({ ok: isHealthy(findings), version, findings }, null, 2);
