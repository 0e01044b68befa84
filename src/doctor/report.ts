import { version } from '../version.js';
import type { Finding, FindingStatus } from './finding.js';

const marks: Readonly<Record<FindingStatus, string>> = {
  ok: 'ok     ',
  warning: 'warning',
  failed: 'FAILED ',
  skipped: 'skipped',
};

/** The width of the longest name of a check. */
const nameWidth = 19;

/** One line for a finding, with its remedy. */
export function findingLine({ check, status, message, remedy }: Finding): string {
  const advice = remedy === undefined ? '' : `. ${remedy[0]?.toUpperCase()}${remedy.slice(1)}.`;
  return `${marks[status]}  ${check.padEnd(nameWidth)}  ${message}${advice}`;
}

/** The last line. */
export function summaryLine(findings: readonly Finding[]): string {
  const count = (wanted: FindingStatus) => findings.filter(({ status }) => status === wanted).length;
  const ends = (['ok', 'warning', 'failed', 'skipped'] as const).map(
    (status) => `${count(status)} ${status}`,
  );
  return ends.join(', ');
}

/** Whether no check failed. */
export const isHealthy = (findings: readonly Finding[]): boolean =>
  findings.every(({ status }) => status !== 'failed');

/** What `--json` prints. */
export const jsonReport = (findings: readonly Finding[]): string =>
  JSON.stringify({ ok: isHealthy(findings), version, findings }, null, 2);
