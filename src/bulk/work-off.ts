import type { DueOrder, OrderStore } from '../orders/store.js';
import { wait } from '../utils/wait.js';

/** ms between two looks at the store while a backoff, a lease or another process is waited for. */
const idleMs = 500;

/** Orders that are read at once: fewer reads for long runs. */
const batchSize = 200;

/** How the due orders of a run are worked off. */
export interface WorkOptions<Client> {
  readonly store: OrderStore<Client>;
  readonly run: string;
  readonly concurrency: number;
  /** Ends the work after the steps under way. */
  readonly signal: AbortSignal;
  /** Which of the due orders this is about. */
  accepts(order: DueOrder): boolean;
  /** One step with an order. If it rejects, the work ends with its error. */
  step(id: string): Promise<void>;
  /** Whether there are orders that are not due yet, or that another process works on. */
  hasMore(): Promise<boolean>;
}

/** Works until no order is left, or the signal aborts. */
export async function workOff<Client>({
  store,
  run,
  concurrency,
  signal,
  accepts,
  step,
  hasMore,
}: WorkOptions<Client>): Promise<void> {
  const underway = new Map<string, Promise<void>>();
  let waiting: DueOrder[] = [];
  try {
    while (!signal.aborted) {
      if (waiting.length === 0) {
        waiting = (await store.due(batchSize, run)).filter((due) => accepts(due) && !underway.has(due.id));
      }
      for (const { id } of waiting.splice(0, concurrency - underway.size)) {
        const working = step(id).finally(() => underway.delete(id));
        // Its error ends the loop below; until then it must not count as unhandled.
        working.catch(() => {});
        underway.set(id, working);
      }
      if (underway.size > 0) await Promise.race(underway.values());
      else if (await hasMore()) await wait(idleMs, signal);
      else return;
    }
  } finally {
    await Promise.allSettled(underway.values());
  }
}
