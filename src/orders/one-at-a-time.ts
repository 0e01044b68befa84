/** How long one piece of work may hold up the others, in ms. */
const patienceMs = 30_000;

/**
 * Runs work one after another, in the order in which it came. When one piece runs for longer than 30 s, what waits behind it is rejected:
 * usually that is the hook of a transaction which waits for a call that is itself waiting for the transaction to end.
 */
export function oneAtATime(): <T>(work: () => T | PromiseLike<T>) => Promise<T> {
  const waiting: { start: () => Promise<void>; reject: (error: Error) => void }[] = [];
  let isBusy = false;

  async function runAll(): Promise<void> {
    isBusy = true;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const watchdog = setInterval(() => {
        for (const { reject } of waiting.splice(0)) reject(new StoreBusyError());
      }, patienceMs);
      await next.start();
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
      waiting.push({ start, reject });
      if (!isBusy) void runAll();
    });
}

class StoreBusyError extends Error {
  constructor() {
    super(
      'A transaction of this store has been running for 30 s, so this call was given up. If a hook waits for this call, give it the client of the hook, or make the call after the hook.',
    );
  }
}
