/**
 * Processes that are killed at moments that the seed decides and started again, until their work is done. What is killed, and what must hold:
 *
 * | killed | test | must hold |
 * |---|---|---|
 * | workers, receivers and a buyer of orders | integration/orders/kill | each order is charged once and ends once, on every engine |
 * | a bulk run on SQLite | integration/bulk/kill | each item is charged once |
 * | two receivers of webhooks | integration/webhooks/kill | each effect happens once; on Redis again only after a kill |
 * | the sandbox with a state file | integration/sandbox/kill | what was acknowledged is kept |
 * | the backend of the guide, from the tarball | package/reseller | each order is charged once and ends once |
 * | a buyer with a journal of its own, killed or frozen | `npm run chaos -- processes` | each order is charged once |
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import type { FaultOptions } from '../../src/sandbox/index.js';

/** Something that can be killed and started again. */
export interface Victim {
  start(): Promise<unknown>;
  kill(): Promise<unknown>;
}

type Range = readonly [least: number, most: number];

export interface Killing {
  readonly seed: number;
  /** The most kills. */
  readonly kills: number;
  /** How long all live before the next kill, in ms. */
  readonly living: Range;
  /** How long the victim is dead, in ms; default 0. */
  readonly dead?: Range;
  /** Runs before each kill, with the number of kills so far. It ends the killing by returning false. */
  readonly before?: (kills: number) => unknown;
}

/** Kills one after the other, and starts each again. Resolves to the number of kills. */
export async function killRepeatedly(
  victims: readonly [Victim, ...Victim[]],
  { seed, kills, living, dead = [0, 0], before }: Killing,
): Promise<number> {
  const within = ([min, max]: Range) => fc.integer({ min, max });
  const kill = fc.tuple(fc.constantFrom(...victims), within(living), within(dead));
  const plan = fc.sample(fc.noBias(kill), { seed, numRuns: kills });
  for (const [done, [victim, livingMs, deadMs]] of plan.entries()) {
    if ((await before?.(done)) === false) return done;
    await delay(livingMs);
    await victim.kill();
    await delay(deadMs);
    await victim.start();
  }
  return kills;
}

/** What goes wrong on the way to the service and back while buyers are killed. */
const losses: readonly FaultOptions[] = [
  { when: 'before', connection: 'close' },
  { when: 'after', connection: 'close' },
  { when: 'after', cutBody: true },
  { when: 'after', status: 500 },
  { when: 'before', status: 502, body: '<html>Bad gateway</html>' },
  { when: 'before', status: 503, code: 'PROVIDER_UNAVAILABLE' },
  { when: 'before', status: 503, code: 'QUEUE_UNAVAILABLE' },
  { when: 'before', status: 429, retryAfter: 1 },
  { when: 'after', delay: '200ms' },
];

/** Some faults of these, each of which meets up to four requests. */
export function troublesOf(seed: number, most: number, more: readonly FaultOptions[] = []): FaultOptions[] {
  const times = fc.integer({ min: 1, max: 4 });
  const fault = fc
    .tuple(fc.constantFrom(...losses, ...more), times)
    .map(([one, times]) => ({ ...one, times }));
  return fc.sample(fc.noBias(fc.array(fault, { maxLength: most, size: 'max' })), { seed, numRuns: 1 }).flat();
}

/** A program that says through its channel that it is ready (and on which port it listens), and later perhaps that it is done. */
export class Member implements Victim {
  #child: ChildProcess | undefined;
  port: number | undefined;
  done = false;
  /** How often it was started. The program has it in `LIFE`. */
  lives = 0;

  constructor(
    readonly program: string,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Resolves once the process is ready; rejects when it ends before that. */
  async start(): Promise<void> {
    this.lives += 1;
    const child = fork(this.program, {
      env: { ...process.env, ...this.env, LIFE: String(this.lives) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.port = await new Promise<number | undefined>((resolve, reject) => {
      child.on('message', (said) => {
        if (said === 'done') this.done = true;
        else resolve((said as Partial<AddressInfo>).port);
      });
      child.once('exit', (code) =>
        reject(new Error(`${this.program} ended with code ${code} before it was ready`)),
      );
    });
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async kill(): Promise<void> {
    this.port = undefined;
    if (!this.#child || !this.isRunning) return;
    const gone = once(this.#child, 'exit');
    this.signal('SIGKILL');
    await gone;
  }
}
