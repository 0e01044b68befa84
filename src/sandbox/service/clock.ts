import { longestTimerMs } from '../../validation/options.js';
import { Agenda, type Task } from './agenda.js';

/** Time as the sandbox sees it: real, or moved by hand. Everything due runs in order of time, then of scheduling. */

/** Something scheduled; `cancel` is harmless once it ran. */
export interface Scheduled {
  cancel(): void;
}

export interface Clock {
  readonly kind: 'real' | 'manual';
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `task` after `delayMs`. */
  schedule(delayMs: number, task: Task): Scheduled;
  /**
   * Resolves to true after `delayMs`, or to false at once when the clock is cleared. Keeps the process alive
   * meanwhile. `advance` continues only when `next`, the work that follows, is done.
   */
  wait(delayMs: number, next: Promise<void>): Promise<boolean>;
  /** Forgets everything scheduled. */
  clear(): void;
}

/** A clock that moves only when `advance` is called. */
export interface ManualClock extends Clock {
  /**
   * Moves on by `ms`, running what falls due one after the other; `settled` is awaited after each. Requests that were
   * sent before the call have arrived when it starts.
   */
  advance(ms: number, settled: () => Promise<void>): Promise<void>;
}

/** A pending settlement must not keep a finished script running; a request that waits must. */
function setKeepsAlive(timer: unknown, keepsAlive: boolean): void {
  if (typeof timer !== 'object' || timer === null) return;
  const change: unknown = Reflect.get(timer, keepsAlive ? 'ref' : 'unref');
  if (typeof change === 'function') change.call(timer);
}

export function createRealClock(): Clock {
  const agenda = new Agenda();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let armedFor = Number.POSITIVE_INFINITY;
  let waiting = 0;

  const now = () => Date.now();

  const arm = () => {
    const next = agenda.peek();
    if (next === undefined || next.due >= armedFor) return;
    clearTimeout(timer);
    armedFor = next.due;
    timer = setTimeout(runDue, Math.min(Math.max(next.due - now(), 0), longestTimerMs));
    setKeepsAlive(timer, waiting > 0);
  };

  const runDue = () => {
    armedFor = Number.POSITIVE_INFINITY;
    const until = now();
    for (let item = agenda.takeDue(until); item; item = agenda.takeDue(until)) void item.task();
    arm();
  };

  const schedule = (delayMs: number, task: Task, onClear?: () => void): Scheduled => {
    const item = agenda.add(now() + delayMs, task, onClear);
    arm();
    return {
      cancel: () => {
        item.cancelled = true;
      },
    };
  };

  return {
    kind: 'real',
    now,
    schedule: (delayMs, task) => schedule(delayMs, task),
    wait: (delayMs) =>
      new Promise((resolve) => {
        const done = (passed: boolean) => {
          waiting -= 1;
          resolve(passed);
        };
        waiting += 1;
        schedule(
          delayMs,
          () => done(true),
          () => done(false),
        );
        setKeepsAlive(timer, true);
      }),
    clear: () => {
      agenda.clear();
      clearTimeout(timer);
      armedFor = Number.POSITIVE_INFINITY;
    },
  };
}

/** Kept from before a test may put a fake one in its place. */
const realTimeout = setTimeout;

/** Lets what is on its way in process, such as a body being read, come in. */
const arrivals = () => new Promise((resolve) => realTimeout(resolve, 0));

export function createManualClock(start: number): ManualClock {
  const agenda = new Agenda();
  let now = start;
  let lastAdvance = Promise.resolve();

  const run = async (ms: number, settled: () => Promise<void>) => {
    await arrivals();
    await settled();
    const until = now + ms;
    for (let item = agenda.takeDue(until); item; item = agenda.takeDue(until)) {
      now = Math.max(now, item.due);
      await item.task();
      await settled();
    }
    now = until;
  };

  return {
    kind: 'manual',
    now: () => now,
    schedule: (delayMs, task) => {
      const item = agenda.add(now + delayMs, task);
      return {
        cancel: () => {
          item.cancelled = true;
        },
      };
    },
    wait: (delayMs, next) =>
      new Promise((resolve) => {
        const pass = () => {
          resolve(true);
          return next;
        };
        agenda.add(now + delayMs, pass, () => resolve(false));
      }),
    clear: () => agenda.clear(),
    advance: (ms, settled) => {
      lastAdvance = lastAdvance.then(() => run(ms, settled));
      return lastAdvance;
    },
  };
}
