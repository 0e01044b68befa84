/** How long a call that a piece of work makes may wait for that same work to end, in ms. */
const patienceMs = 30_000;

interface Job {
  readonly start: () => Promise<void>;
  readonly reject: (error: Error) => void;
  /** The job that was running when this one was asked for, and asked for it. */
  readonly askedBy: object | undefined;
}

/**
 * Runs work one after another, in the order in which it came.
 *
 * A hook can deadlock its own transaction: it waits for a lookup, and the lookup waits for the transaction to end. Where the runtime tells which
 * work a call came from, such a call is rejected after 30 s.
 */
export function oneAtATime(): <T>(work: () => T | PromiseLike<T>) => Promise<T> {
  const waiting: Job[] = [];
  const scope = createScope();
  let isBusy = false;

  async function runAll(): Promise<void> {
    isBusy = true;
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const current = job;
      const watchdog = setInterval(() => {
        const stuck = waiting.filter(({ askedBy }) => askedBy === current);
        for (const { reject } of stuck) reject(new StoreBusyError());
        waiting.splice(0, waiting.length, ...waiting.filter((other) => !stuck.includes(other)));
      }, patienceMs);
      await (scope?.run(current, current.start) ?? current.start());
      clearInterval(watchdog);
    }
    isBusy = false;
  }

  return (work) =>
    new Promise((resolve, reject) => {
      const start = async () => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      };
      waiting.push({ start, reject, askedBy: scope?.getStore() });
      if (!isBusy) void runAll();
    });
}

/** What tells which work a call came from; undefined on runtimes without it. */
function createScope() {
  const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks');
  return hooks && new hooks.AsyncLocalStorage<Job>();
}

class StoreBusyError extends Error {
  constructor() {
    super(
      'This call was made by a hook, and waited 30 s for the transaction of that hook to end. Give it the client of the hook, or make it after the hook.',
    );
  }
}
