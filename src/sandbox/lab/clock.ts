import { assertOption, longestTimerMs } from '../../validation/options.js';
import { ChangeNotKept } from '../records/commit.js';
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
  /** When the next task is due, in ms since 1970; undefined when nothing is scheduled. */
  nextDue(): number | undefined;
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
  /** Moves on to whatever is due next, and runs it; false when nothing is due. */
  advanceToNext(settled: () => Promise<void>): Promise<boolean>;
}

/** A pending settlement must not keep a finished script running; a waiting request must. */
function setKeepsAlive(timer: unknown, keepsAlive: boolean): void {
  if (typeof timer !== 'object' || timer === null) return;
  const change: unknown = Reflect.get(timer, keepsAlive ? 'ref' : 'unref');
  if (typeof change === 'function') change.call(timer);
}

/** Where a change could not be kept, every request reports it; nobody waits for this task. */
async function run(task: Task): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!(error instanceof ChangeNotKept)) throw error;
  }
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
    for (let item = agenda.takeDue(until); item; item = agenda.takeDue(until)) void run(item.task);
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
    nextDue: () => agenda.peek()?.due,
    clear: () => {
      agenda.clear();
      clearTimeout(timer);
      armedFor = Number.POSITIVE_INFINITY;
    },
  };
}

/** The service's times have four digits for the year; what is scheduled then needs room behind it. */
export const lastClockMs = Date.UTC(9000, 0);

/** Kept from before a test may put a fake one in its place. */
const realTimeout = setTimeout;

/** Lets work that is under way in this process finish, such as reading a body. */
const arrivals = () => new Promise((resolve) => realTimeout(resolve, 0));

export function createManualClock(start: number): ManualClock {
  const agenda = new Agenda();
  let now = start;
  let last: Promise<unknown> = Promise.resolve();

  /** One advance at a time. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  /** Requests that are on their way have arrived, and what they caused is done. */
  const arrived = async (settled: () => Promise<void>) => {
    await arrivals();
    await settled();
  };

  const runUntil = async (until: number, settled: () => Promise<void>) => {
    assertOption(
      until <= lastClockMs,
      'clock',
      'cannot be moved past the year 9000; reset the sandbox, or create another',
    );
    for (let item = agenda.takeDue(until); item; item = agenda.takeDue(until)) {
      now = Math.max(now, item.due);
      await item.task();
      await settled();
    }
    now = Math.max(now, until);
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
    nextDue: () => agenda.peek()?.due,
    clear: () => agenda.clear(),
    advance: (ms, settled) =>
      inTurn(async () => {
        await arrived(settled);
        await runUntil(now + ms, settled);
      }),
    advanceToNext: (settled) =>
      inTurn(async () => {
        await arrived(settled);
        const next = agenda.peek();
        if (next) await runUntil(next.due, settled);
        return next !== undefined;
      }),
  };
}
