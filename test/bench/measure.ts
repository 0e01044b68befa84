import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The built package that is measured: that of this checkout, or the one that BENCH_PACKAGE names, to compare two versions. */
export const packageFolder = process.env['BENCH_PACKAGE'] ?? fileURLToPath(new URL('../..', import.meta.url));

export const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What was measured, beside its target. A ratio is one to the rival in the same round. */
export interface Result {
  readonly measure: string;
  readonly value: number;
  readonly target: number;
  /** Whether the value has to be at least the target; at most, where it is absent. */
  readonly atLeast?: boolean;
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
};

/** Runs a probe in a process of its own; returns the JSON that it prints. */
export async function probe<T>(script: string, ...args: readonly (string | number)[]): Promise<T> {
  const env = { ...process.env, BENCH_PACKAGE: packageFolder };
  const { stdout } = await execute(process.execPath, ['--no-warnings', script, ...args.map(String)], { env });
  return JSON.parse(stdout);
}

/**
 * Measures every contender in turn, round after round, each second round backwards: a machine that becomes slower favours none. Returns the
 * figures of each contender by round.
 */
export async function rounds(
  count: number,
  contenders: Readonly<Record<string, () => Promise<number>>>,
): Promise<Readonly<Record<string, number[]>>> {
  const all: Record<string, number[]> = {};
  const names = Object.keys(contenders);
  for (let round = 0; round < count; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const figure = await contenders[name]?.();
      if (figure !== undefined) all[name] = [...(all[name] ?? []), figure];
    }
  }
  return all;
}

/** The median, over the rounds, of one contender's figure divided by another's in the same round. */
export const ratio = (all: Readonly<Record<string, number[]>>, own: string, rival: string): number =>
  median((all[own] ?? []).map((value, round) => value / (all[rival]?.[round] ?? Number.NaN)));

/** One line for each result, and whether its target is met. Runs of the same code differ by up to 15 %. */
export function lineOf({ measure, value, target, atLeast = false }: Result): string {
  const isMet = atLeast ? value >= target : value <= target;
  const digits = value < 100 ? 2 : 0;
  const sign = atLeast ? '>=' : '<=';
  return `${isMet ? 'met   ' : 'MISSED'}  ${measure.padEnd(68)} ${value.toFixed(digits).padStart(9)}  (${sign} ${target})`;
}
