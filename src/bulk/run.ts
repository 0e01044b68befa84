import type { Order } from '../orders/order.js';
import type { OrderState } from '../orders/states.js';
import type { OrderStore } from '../orders/store.js';
import { onAbort, wait } from '../utils/wait.js';
import { instance, signal, wholeNumber, withMethods } from '../validation/option-kinds.js';
import { type OptionShape, optional, withDefault } from '../validation/options.js';

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

/** A name that every database stores as it is, so that it is found again. */
const isRunName = (value: unknown): boolean =>
  typeof value === 'string' &&
  value !== '' &&
  !/[\0\ud800-\udfff]/u.test(value) &&
  new TextEncoder().encode(value).length <= 255;

export const runShape = {
  store: withMethods<OrderStore<unknown>>(
    ['insertMany', 'find', 'list'],
    'must be an order store, such as sqliteOrderStore(database), postgresOrderStore(pool) or memoryOrderStore()',
  ),
  run: instance<string>(isRunName, 'must be a name of 1 to 255 bytes, such as payday-2026-11'),
  concurrency: withDefault(wholeNumber(1), 4),
  signal: optional(signal()),
} satisfies OptionShape<RunOptions<unknown>>;

/** Runs a call that ends with its caller's signal, when it aborts by itself, or when its time is over. */
export async function stoppable<T>(
  { signal: given, timeout }: { signal?: AbortSignal | undefined; timeout?: number },
  work: (stop: AbortController) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const stopListening = onAbort(given, () => stop.abort());
  if (given?.aborted) stop.abort();
  const timer = timeout === undefined ? undefined : setTimeout(() => stop.abort(), timeout);
  try {
    return await work(stop);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

/** Calls back with one value after the other, and awaits each. After one that threw, every later call rejects with its error. */
export function inTurn<T>(callback: ((value: T) => unknown) | undefined): (value: T) => Promise<void> {
  let last = Promise.resolve();
  return (value) => {
    last = last.then(async () => void (await callback?.(value)));
    return last;
  };
}

/** Every order of a run in one of these states, page by page. */
export async function* ordersOf<Client>(
  store: OrderStore<Client>,
  run: string,
  states: readonly OrderState[],
): AsyncGenerator<Order, void> {
  const limit = 500;
  for (const state of states) {
    let after: Order | undefined;
    do {
      const page = await store.list({ run, state, limit, ...(after && { after }) });
      yield* page;
      after = page.length === limit ? page.at(-1) : undefined;
    } while (after);
  }
}

/** The shortest and the longest wait between two steps with an order, in ms: another process, a webhook or a person may move it on. */
const [shortestWaitMs, longestWaitMs] = [20, 60_000];

/**
 * Works on orders by their ids, so many at once, until each is done or the signal aborts. What is under way is waited for; then the first error
 * of a step is thrown.
 *
 * @param step - works on one order; resolves to the ms after which it is worked on again, or to undefined when it is done.
 */
export async function workOff(
  ids: Iterable<string>,
  { concurrency, signal }: { readonly concurrency: number; readonly signal: AbortSignal },
  step: (id: string) => Promise<number | undefined>,
): Promise<void> {
  const fresh = ids[Symbol.iterator]();
  /** When each order is worked on again. */
  const waiting = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  const start = (id: string) => {
    const work = step(id)
      .then(
        (ms) => {
          if (ms === undefined) return;
          waiting.set(id, Date.now() + Math.max(shortestWaitMs, Math.min(ms, longestWaitMs)));
        },
        (error: unknown) => void errors.push(error),
      )
      .finally(() => running.delete(work));
    running.add(work);
  };
  while (!signal.aborted && errors.length === 0) {
    const next = running.size < concurrency ? nextOf(fresh, waiting) : {};
    if (next.id !== undefined) start(next.id);
    else if (running.size === 0 && next.inMs === undefined) return;
    else await eventOf([...running], next.inMs, signal);
  }
  await Promise.all(running);
  for (const error of errors) throw error;
}

/** The id that comes next, a new one first; else the ms until one that waits does; neither where none waits. */
function nextOf(fresh: Iterator<string>, waiting: Map<string, number>): { id?: string; inMs?: number } {
  const { value, done } = fresh.next();
  if (!done) return { id: value };
  const now = Date.now();
  let earliest = Number.POSITIVE_INFINITY;
  for (const [id, at] of waiting) {
    earliest = Math.min(earliest, at);
    if (at > now) continue;
    waiting.delete(id);
    return { id };
  }
  return waiting.size === 0 ? {} : { inMs: earliest - now };
}

/** Waits until one of the steps ends, the time is over or the signal aborts. */
async function eventOf(
  running: readonly Promise<void>[],
  inMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (inMs === undefined) return void (await Promise.race(running));
  const over = new AbortController();
  const stopListening = onAbort(signal, () => over.abort());
  await Promise.race([...running, wait(inMs, over.signal)]);
  over.abort();
  stopListening();
}
