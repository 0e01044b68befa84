/** Lookups of this process. */
export interface LookUps {
  /** Starts to look up what is added. */
  work(lookUp: (id: string) => Promise<void>): void;
  /** Looks an order up as soon as a lane is free; `next` before those that wait already. Whether a worker here does so. */
  add(id: string, next?: boolean): boolean;
  /** Looks an order up after a time, if a worker still runs here then. */
  later(id: string, delayMs: number): void;
  /** Forgets what waits, and resolves when the lookups under way have ended. */
  stop(): Promise<void>;
}

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
    work(given) {
      lookUp = given;
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
    async stop() {
      lookUp = undefined;
      waiting.clear();
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      await Promise.all(running.values());
    },
  };
}
