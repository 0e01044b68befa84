import { assertOption, longestTimerMs } from '../../validation/options.js';
import { ChangeNotKept, reportError } from '../records/changes.js';
import type { ServiceClock } from '../service/service-state.js';
import { Agenda, type Scheduled, type Task } from './agenda.js';

/** Time as the sandbox sees it: real, or moved by hand. Everything due runs in order of time, then of scheduling. */
export abstract class Clock implements ServiceClock {
  protected readonly agenda = new Agenda();
  #date = new Date(0);

  /** Milliseconds since 1970. */
  abstract now(): number;

  /** Now, as everything that is kept has it: one object for all that happens at the same time, because a date takes 100 bytes. */
  date(): Date {
    const now = this.now();
    if (this.#date.getTime() !== now) this.#date = new Date(now);
    return this.#date;
  }

  /** Runs `task` after `delayMs`. */
  schedule(delayMs: number, task: Task): Scheduled {
    return this.agenda.add(this.now() + delayMs, task);
  }

  /** Resolves to true after `delayMs`, or to false at once when the clock is cleared. Keeps the process alive meanwhile. */
  abstract wait(delayMs: number): Promise<boolean>;

  /** When the next task is due, in ms since 1970; undefined when nothing is scheduled. */
  nextDue(): number | undefined {
    return this.agenda.peek()?.due;
  }

  /** Forgets everything scheduled. */
  clear(): void {
    this.agenda.clear();
  }
}

/** Nobody waits for this task, so that its error must not end the process. Where a change could not be kept, every request says so. */
async function run(task: Task): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!(error instanceof ChangeNotKept)) reportError(error);
  }
}

export class RealClock extends Clock {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #armedFor = Number.POSITIVE_INFINITY;

  now(): number {
    return Date.now();
  }

  override schedule(delayMs: number, task: Task): Scheduled {
    const scheduled = super.schedule(delayMs, task);
    this.#arm();
    return scheduled;
  }

  wait(delayMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const alive = setTimeout(() => undefined, longestTimerMs);
      const end = (passed: boolean) => {
        clearTimeout(alive);
        resolve(passed);
      };
      this.agenda.add(
        this.now() + delayMs,
        () => end(true),
        () => end(false),
      );
      this.#arm();
    });
  }

  override clear(): void {
    super.clear();
    clearTimeout(this.#timer);
    this.#armedFor = Number.POSITIVE_INFINITY;
  }

  #arm(): void {
    const due = this.nextDue();
    if (due === undefined || due >= this.#armedFor) return;
    clearTimeout(this.#timer);
    this.#armedFor = due;
    this.#timer = setTimeout(() => this.#runDue(), Math.min(Math.max(due - this.now(), 0), longestTimerMs));
    // A pending settlement must not keep a finished script running. Elsewhere than in Node a timer is a number.
    if (typeof this.#timer === 'object') this.#timer.unref();
  }

  #runDue(): void {
    this.#armedFor = Number.POSITIVE_INFINITY;
    const until = this.now();
    for (let item = this.agenda.takeDue(until); item; item = this.agenda.takeDue(until)) void run(item.task);
    this.#arm();
  }
}

/** The service's times have four digits for the year; what is scheduled then needs room behind it. */
export const lastClockMs = Date.UTC(9000, 0);

/** Kept from before a test may put a fake one in its place. */
const realTimeout = setTimeout;

/** Lets work that is under way in this process finish, such as reading a body. */
const arrivals = () => new Promise((resolve) => realTimeout(resolve, 0));

/** A clock that moves only when `advance` is called. */
export class ManualClock extends Clock {
  #now: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(start: number) {
    super();
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  wait(delayMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const pass = () => {
        resolve(true);
        // The clock moves on when the request that waited has been served, or waits again.
        return arrivals();
      };
      this.agenda.add(this.#now + delayMs, pass, () => resolve(false));
    });
  }

  /**
   * Moves on by `ms`, running what falls due one after the other; `settled` is awaited after each. Requests that were
   * sent before the call have arrived when it starts.
   */
  advance(ms: number, settled: () => Promise<void>): Promise<void> {
    return this.#inTurn(settled, () => this.#runUntil(this.#now + ms, settled));
  }

  /** Moves on to whatever is due next, and runs it; false when nothing is due. */
  advanceToNext(settled: () => Promise<void>): Promise<boolean> {
    return this.#inTurn(settled, async () => {
      const due = this.nextDue();
      if (due !== undefined) await this.#runUntil(due, settled);
      return due !== undefined;
    });
  }

  /** One advance at a time, when requests that are on their way have arrived, and what they caused is done. */
  #inTurn<T>(settled: () => Promise<void>, work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(arrivals).then(settled).then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #runUntil(until: number, settled: () => Promise<void>): Promise<void> {
    assertOption(
      until <= lastClockMs,
      'clock',
      'cannot be moved past the year 9000; reset the sandbox, or create another',
    );
    for (let item = this.agenda.takeDue(until); item; item = this.agenda.takeDue(until)) {
      this.#now = Math.max(this.#now, item.due);
      await item.task();
      await settled();
    }
    this.#now = Math.max(this.#now, until);
  }
}
