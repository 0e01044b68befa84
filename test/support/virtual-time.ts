interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** Time that stands still until it is advanced, in place of `setTimeout`, `Date.now` and `performance.now`; sockets stay real. */
export interface VirtualTime {
  /** ms since it began. */
  now(): number;
  /** Advances to the next timer, after `before(ms)` has advanced every other clock. False when there is no timer. */
  step(before: (ms: number) => Promise<unknown>): Promise<boolean>;
  /** Restores the real functions. */
  restore(): void;
}

export function virtualTime(): VirtualTime {
  const real = { setTimeout, clearTimeout, dateNow: Date.now, performanceNow: performance.now };
  const startedAt = Date.now();
  const timers = new Map<number, Timer>();
  let now = 0;
  let lastId = 0;

  const set = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    const id = ++lastId;
    timers.set(id, { due: now + Math.max(0, ms), run: () => run(...args) });
    const handle = { ref: () => handle, unref: () => handle, [Symbol.toPrimitive]: () => id };
    return handle;
  };
  Object.assign(globalThis, {
    setTimeout: set,
    clearTimeout: (id: unknown) => timers.delete(Number(id ?? 0)),
  });
  Date.now = () => startedAt + now;
  performance.now = () => now;

  return {
    now: () => now,
    async step(before) {
      const next = Math.min(...Array.from(timers.values(), ({ due }) => due));
      if (next === Number.POSITIVE_INFINITY) return false;
      await before(next - now);
      now = next;
      for (const [id, { due, run }] of [...timers]) {
        if (due <= now && timers.delete(id)) run();
      }
      return true;
    },
    restore() {
      Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
      Date.now = real.dateNow;
      performance.now = real.performanceNow;
    },
  };
}

/** Runs everything that needs no time to pass: microtasks, and `busy()` work over sockets. */
export async function settled(busy: () => boolean = () => false): Promise<void> {
  for (let idle = 0; idle < 4; idle++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (busy()) idle = 0;
  }
}

/** Advances time until the work has ended. */
export async function passTime<T>(
  time: VirtualTime,
  work: Promise<T>,
  before: (ms: number) => Promise<unknown>,
  busy?: () => boolean,
): Promise<T> {
  let over = false;
  const end = () => {
    over = true;
  };
  work.then(end, end);
  for (;;) {
    await settled(busy);
    if (over) return work;
    if (!(await time.step(before))) throw new Error('nothing is left that could end the work');
  }
}
