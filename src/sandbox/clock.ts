/** Time as the sandbox sees it: real, or moved by hand. Everything due runs in order of time, then of scheduling. */

/** What a scheduled task may give back: a promise is waited for by `advance`. */
type Task = () => unknown;

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
   * meanwhile. `advance` goes on only when `next`, the work that follows, is done.
   */
  wait(delayMs: number, next: Promise<void>): Promise<boolean>;
  /** Forgets everything scheduled. */
  clear(): void;
}

/** A clock that stands still until told otherwise. */
export interface ManualClock extends Clock {
  /**
   * Moves on by `ms`, running what falls due one after the other; `settled` is awaited after each. Requests that were
   * sent before the call have arrived when it starts.
   */
  advance(ms: number, settled: () => Promise<void>): Promise<void>;
}

interface Item {
  readonly due: number;
  readonly order: number;
  readonly task: Task;
  /** What to do instead when the clock is cleared. */
  readonly onClear: (() => void) | undefined;
  cancelled: boolean;
}

const isBefore = (a: Item, b: Item): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

/** A binary heap: the earliest item first. */
class Agenda {
  #items: Item[] = [];
  #order = 0;

  add(due: number, task: Task, onClear?: () => void): Item {
    const item: Item = { due, order: this.#order++, task, onClear, cancelled: false };
    this.#items.push(item);
    this.#rise(this.#items.length - 1);
    return item;
  }

  /** The earliest item that was not cancelled; it stays. */
  peek(): Item | undefined {
    while (this.#items[0]?.cancelled) this.#removeFirst();
    return this.#items[0];
  }

  /** Takes the earliest item if it is due at `now`. */
  takeDue(now: number): Item | undefined {
    const first = this.peek();
    if (first === undefined || first.due > now) return undefined;
    this.#removeFirst();
    return first;
  }

  clear(): void {
    const items = this.#items;
    this.#items = [];
    for (const item of items) if (!item.cancelled) item.onClear?.();
  }

  #removeFirst(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const [leftItem, rightItem] = [this.#items[left], this.#items[right]];
      if (leftItem === undefined) return;
      const child = rightItem !== undefined && isBefore(rightItem, leftItem) ? right : left;
      if (!this.#swapIfBefore(child, at)) return;
      at = child;
    }
  }

  #swapIfBefore(child: number, parent: number): boolean {
    const [a, b] = [this.#items[child], this.#items[parent]];
    if (a === undefined || b === undefined || !isBefore(a, b)) return false;
    this.#items[child] = b;
    this.#items[parent] = a;
    return true;
  }
}

/** The longest delay that `setTimeout` takes. */
const longestTimeout = 2 ** 31 - 1;

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
    timer = setTimeout(runDue, Math.min(Math.max(next.due - now(), 0), longestTimeout));
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

/** A request's stretches of work between its waits, so that `advance` waits for exactly as much as has fallen due. */
export class Turn {
  readonly #clock: Clock;
  #endStretch: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Holds the request for `delayMs`; false when the sandbox was reset or closed meanwhile. */
  async hold(delayMs: number): Promise<boolean> {
    if (delayMs === 0) return true;
    this.end();
    const stretch = new Promise<void>((resolve) => {
      this.#endStretch = resolve;
    });
    return this.#clock.wait(delayMs, stretch);
  }

  /** The request is over. */
  end(): void {
    this.#endStretch();
  }
}
