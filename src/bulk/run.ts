import * as z from 'zod/mini';
import type { StoredOrder } from '../orders/order.js';
import type { OrderState } from '../orders/states.js';
import type { DueOrder, OrderStore } from '../orders/store.js';
import { onAbort } from '../utils/on-abort.js';
import { wait } from '../utils/wait.js';
import { signal, text, wholeNumber, withMethods } from '../validation/option-kinds.js';
import type { OptionShape } from '../validation/parse-options.js';

/** Options that every call on a run takes. */
export interface RunOptions<Client> {
  /** Where the run is stored: `sqliteOrderStore` for one machine, `postgresOrderStore` or `mysqlOrderStore` for several. */
  readonly store: OrderStore<Client>;
  /** The name of the run, such as `payday-2026-11`. A later call with the same name continues it. */
  readonly run: string;
  /** How many requests are under way at once in this process. Default 4. */
  readonly concurrency?: number | undefined;
  /** Ends the call cleanly after the requests under way. A later call continues. */
  readonly signal?: AbortSignal | undefined;
}

export const runShape = {
  store: withMethods<OrderStore<unknown>>(
    ['insertMany', 'due', 'list'],
    'must be an order store, such as sqliteOrderStore(database), postgresOrderStore(pool) or memoryOrderStore()',
  ),
  run: text(', such as payday-2026-11'),
  concurrency: z._default(wholeNumber(1), 4),
  signal: z.optional(signal()),
} satisfies OptionShape<RunOptions<unknown>>;

/** Runs a call that ends when its caller's signal aborts, with the reason `signal`, when it aborts by itself, or when its time is over. */
export async function stoppable<T>(
  { signal: given, timeout }: { signal?: AbortSignal | undefined; timeout?: number },
  work: (stop: AbortController) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const abort = () => stop.abort({ reason: 'signal' });
  const stopListening = onAbort(given, abort);
  if (given?.aborted) abort();
  const timer = timeout === undefined ? undefined : setTimeout(() => stop.abort(), timeout);
  try {
    return await work(stop);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

/** Every order of a run in one of these states, page by page. */
export async function* ordersOf<Client>(
  store: OrderStore<Client>,
  run: string,
  states: readonly OrderState[],
  pageSize = 500,
): AsyncGenerator<StoredOrder, void> {
  for (const state of states) {
    let after: StoredOrder | undefined;
    do {
      const page = await store.list({ run, state, limit: pageSize, ...(after && { after }) });
      yield* page;
      after = page.length === pageSize ? page.at(-1) : undefined;
    } while (after);
  }
}

/** ms between two looks at the store while a backoff, a lease or another process is waited for. */
const idleMs = 500;
/** Orders that are read at once: fewer reads for long runs. */
const batchSize = 200;

/** Works on the orders of a run until none is in one of these states, or the signal aborts. Ends with the error of a step that rejects. */
export async function workOff<Client>(
  { store, run, concurrency }: { store: OrderStore<Client>; run: string; concurrency: number },
  states: readonly OrderState[],
  signal: AbortSignal,
  step: (id: string) => Promise<void>,
): Promise<void> {
  const underway = new Map<string, Promise<void>>();
  let waiting: DueOrder[] = [];
  try {
    while (!signal.aborted) {
      if (waiting.length === 0) {
        const due = await store.due(batchSize, { run, states });
        waiting = due.filter(({ id }) => !underway.has(id));
      }
      for (const { id } of waiting.splice(0, concurrency - underway.size)) {
        const working = step(id).finally(() => underway.delete(id));
        underway.set(id, working);
      }
      if (underway.size > 0) await Promise.race(underway.values());
      else if ((await ordersOf(store, run, states, 1).next()).done) return;
      // What is left is not due yet, or another process works on it.
      else await wait(idleMs, signal);
    }
  } finally {
    await Promise.allSettled(underway.values());
  }
}
