/** What a worker of this process does beside the jobs of its queue: lookups, and kept webhooks of orders that were just accepted. */
export interface LookUps {
  /** Starts to look up what is added, and to settle when that is asked for. */
  work(lookUp: (id: string) => Promise<void>, settleKept: () => Promise<void>): void;
  /** Looks an order up as soon as a lane is free; `next` before those that wait already. Whether a worker here does so. */
  add(id: string, next?: boolean): boolean;
  /** Looks an order up after a time, if a worker still runs here then. */
  later(id: string, delayMs: number): void;
  /** Settles orders by kept webhooks, once for all that ask for it within `settleAfterMs`. Whether a worker here does so. */
  settleSoon(): boolean;
  /** Forgets the lookups that wait, settles what waits for that, and resolves when the work under way has ended. */
  stop(): Promise<void>;
}

/**
 * How long an order that a worker has bought may wait for a webhook that came before its reference was stored. One statement then looks for
 * the webhooks of all orders that were accepted meanwhile.
 */
const settleAfterMs = 200;

/**
 * The lanes of lookups: of their own, so that lookups take none from purchases, whatever engine runs the jobs. What waits here is due in the
 * store, so that a process that ends loses nothing.
 */
export function createLookUps(lanes: number): LookUps {
  /** In the order in which they came. */
  let waiting = new Set<string>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const running = new Map<string, Promise<void>>();
  let lookUp: ((id: string) => Promise<void>) | undefined;
  let settleKept = async (): Promise<void> => {};
  let settling: ReturnType<typeof setTimeout> | undefined;
  let settled: Promise<void> = Promise.resolve();

  const settle = (): void => {
    settling = undefined;
    settled = settled.then(settleKept).catch(() => {});
  };

  const serve = (): void => {
    for (const id of waiting) {
      if (!lookUp || running.size >= lanes) return;
      // Looked up again after the look under way: it may have begun before what this one is for.
      if (running.has(id)) continue;
      waiting.delete(id);
      const look = lookUp(id)
        .catch(() => {})
        .finally(() => {
          running.delete(id);
          serve();
        });
      running.set(id, look);
    }
  };

  const add = (id: string, next = false): boolean => {
    if (!lookUp) return false;
    waiting = next ? new Set([id, ...waiting]) : waiting.add(id);
    serve();
    return true;
  };

  return {
    work(given, settleGiven) {
      lookUp = given;
      settleKept = settleGiven;
    },
    add,
    later(id, delayMs) {
      if (!lookUp) return;
      clearTimeout(timers.get(id));
      const timer = setTimeout(() => {
        timers.delete(id);
        add(id);
      }, delayMs);
      timers.set(id, timer);
    },
    settleSoon() {
      if (!lookUp) return false;
      settling ??= setTimeout(settle, settleAfterMs);
      return true;
    },
    async stop() {
      lookUp = undefined;
      if (settling) {
        clearTimeout(settling);
        settle();
      }
      waiting.clear();
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      await Promise.all([settled, ...running.values()]);
    },
  };
}
