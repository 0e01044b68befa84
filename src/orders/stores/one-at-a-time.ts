/** How long a call waits for one and the same piece of work to end, in ms. A call of that work itself would wait without end. */
const patienceMs = 30_000;

interface Job {
  readonly start: () => Promise<void>;
  readonly reject: (error: Error) => void;
  /** The job that was running when this one was asked for, and asked for it. */
  readonly askedBy: object | undefined;
  /** The job that it was already waiting for when the patience with that one was last measured. */
  waitsFor?: object;
}

/**
 * Runs work one after another, in the order in which it came.
 *
 * A hook may never end, or deadlock its own transaction: it waits for a call, and the call waits for the transaction to end. A call that
 * the work itself made is rejected within 30 s, where the runtime can tell which work a call came from; any other call is rejected after it
 * has waited between 30 and 60 s for the same work. What was rejected never runs.
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
        const stuck = waiting.filter(({ askedBy, waitsFor }) => askedBy === current || waitsFor === current);
        for (const { reject, askedBy } of stuck) reject(new StoreBusyError(askedBy === current));
        waiting.splice(0, waiting.length, ...waiting.filter((other) => !stuck.includes(other)));
        for (const other of waiting) other.waitsFor = current;
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
  constructor(isOwn: boolean) {
    super(
      isOwn
        ? 'This call was made by a hook, and waited 30 s for the transaction of that hook to end. Give it the client of the hook, or make it after the hook.'
        : 'This call waited more than 30 s for the transaction of a hook that does not end, and changed nothing. Find the hook that waits for something else than its client; until it ends, the store takes no calls.',
    );
  }
}
