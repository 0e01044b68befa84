import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { run } from '../runtimes/tools.js';
import { acceptance } from '../support/envelopes.js';
import { type ConsumerFolder, node24 } from './consumer-folder.js';

/** A Node to measure on. */
export interface NodeVersion {
  readonly version: string;
  readonly program: string;
}

/** One figure for each client; undefined where it does not run. */
export type Figures = Readonly<Record<string, number | undefined>>;

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.ceil((sorted.length - 1) / 2)],
  ];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
};

/** Runs the work while a stub server responds in another process. */
export async function withStub<T>(
  consumer: ConsumerFolder,
  work: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const child = spawn(node24, [consumer.file('probes/stub.mjs'), JSON.stringify(acceptance())], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [port] = await once(createInterface(child.stdout), 'line');
    return await work(`http://127.0.0.1:${port}/api/v1`);
  } finally {
    child.kill();
  }
}

export interface Probe {
  readonly node: NodeVersion;
  readonly flags?: readonly string[];
  readonly script: string;
  readonly args: readonly string[];
}

/** Runs a probe; returns the JSON that it prints as its last line. */
export async function probed<T>(
  consumer: ConsumerFolder,
  { node, flags = [], script, args }: Probe,
): Promise<T> {
  const printed = await run(
    node.program,
    [...flags, '--no-warnings', consumer.file(script), ...args],
    consumer.folder,
  );
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '');
}

/** A client that could not be measured: reported on the page; the run continues. */
export interface Gap {
  readonly name: string;
  readonly where: string;
  readonly reason: string;
}

/** Records clients that cannot be measured. */
export const leftOut =
  ({ gaps }: Pick<ConsumerFolder, 'gaps'>, where: string) =>
  (name: string, error: unknown): void => {
    const reason = reasonOf(error);
    console.log(`  ${name} does not run ${where}: ${reason}`);
    if (!gaps.some((gap) => gap.name === name && gap.where === where)) gaps.push({ name, where, reason });
  };

/**
 * Runs the same probe for every client in turn, round after round, each second round backwards: a machine that becomes slower during a round
 * favours no client. A client whose probe fails gets no figures.
 */
export async function rounds<T extends object>(
  count: number,
  names: readonly string[],
  measure: (name: string) => Promise<T>,
  failed: (name: string, error: unknown) => void,
): Promise<Map<string, T[]>> {
  const all = new Map<string, T[]>(names.map((name) => [name, []]));
  const running = new Set(names);
  for (let round = 0; round < count; round++) {
    for (const name of round % 2 === 0 ? [...running] : [...running].reverse()) {
      try {
        all.get(name)?.push(await measure(name));
      } catch (error) {
        failed(name, error);
        running.delete(name);
        all.set(name, []);
      }
    }
  }
  return all;
}

const reasonOf = (error: unknown): string => {
  const lines = String(error instanceof Error ? error.message : error).split('\n');
  return (lines.find((line) => /^\s*(\w*Error\b|error TS)/.test(line)) ?? lines[0] ?? 'it failed')
    .trim()
    .slice(0, 160);
};

/** The median of a field over each client's rounds. */
export function medians<T extends object>(all: ReadonlyMap<string, readonly T[]>, field: keyof T): Figures {
  return Object.fromEntries(
    [...all].map(([name, values]) => [name, median(values.map((value) => Number(value[field])))]),
  );
}

/** The median over the rounds of a client's figure divided by the base's of the same round. */
export function ratios<T extends object>(
  all: ReadonlyMap<string, readonly T[]>,
  field: keyof T,
  base: string,
): Figures {
  const of = all.get(base) ?? [];
  return Object.fromEntries(
    [...all].map(([name, values]) => [
      name,
      median(values.map((value, round) => Number(value[field]) / Number(of[round]?.[field]))),
    ]),
  );
}
