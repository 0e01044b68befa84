import type { Order } from '../orders/order.js';
import type { OrderStore } from '../orders/store.js';
import { mapConcurrent } from '../utils/functions.js';
import { onAbort, wait } from '../utils/wait.js';
import {
  instance,
  type OptionShape,
  optional,
  signal,
  unchecked,
  wholeNumber,
  withDefault,
} from '../validation/options.js';

/** Options that every call on a run takes. */
export interface RunOptions<Client> {
  /** Where the run is stored: `sqliteOrderStore` for one machine, `postgresOrderStore` or `mysqlOrderStore` for several. */
  readonly store: OrderStore<Client>;
  /** The name of the run, such as `payday-2026-11`. A later call with the same name continues it. */
  readonly run: string;
  /** How many requests are under way at once in this process. Default 4. */
  readonly concurrency?: number | undefined;
  /** Ends the call cleanly after the requests under way. A later call continues. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** A name that every database stores as it is, so that it is found again. */
const isRunName = (value: unknown): boolean =>
  typeof value === 'string' &&
  value !== '' &&
  !/[\0\ud800-\udfff]/u.test(value) &&
  new TextEncoder().encode(value).length <= 255;

/** The store is checked by `createOrders`. */
export const runShape = {
  store: unchecked<OrderStore<unknown>>(),
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

/** An order after a step with it, and the ms until the next one; undefined where this call is done with it. */
export interface Stepped {
  readonly order: Order;
  readonly againInMs: number | undefined;
}

/** The shortest and the longest wait between two steps with an order, in ms: another process, a webhook or a person may move it on. */
const [shortestWaitMs, longestWaitMs] = [20, 60_000];

/**
 * Works on orders by their ids, so many at once, until each is done or the signal aborts, and yields each order after each step. What is due
 * again comes before what is new. After an abort, what is under way ends and is yielded.
 *
 * @param step - works on one order; undefined where there is none any more.
 */
export async function* follow(
  ids: Iterable<string>,
  { concurrency, signal }: { readonly concurrency: number; readonly signal: AbortSignal },
  step: (id: string) => Promise<Stepped | undefined>,
): AsyncGenerator<Order, void> {
  const fresh = ids[Symbol.iterator]();
  /** When the next step with an order is due. */
  const waiting = new Map<string, number>();
  function* next(): Generator<string, void> {
    while (!signal.aborted) {
      const id = dueOf(waiting) ?? fresh.next().value;
      if (id === undefined) return;
      waiting.delete(id);
      yield id;
    }
  }
  for (;;) {
    for await (const stepped of mapConcurrent(next(), concurrency, step)) {
      if (!stepped) continue;
      const { order, againInMs } = stepped;
      if (againInMs !== undefined)
        waiting.set(order.id, Date.now() + Math.max(shortestWaitMs, Math.min(againInMs, longestWaitMs)));
      yield order;
    }
    if (signal.aborted || waiting.size === 0) return;
    const earliest = [...waiting.values()].reduce((one, other) => Math.min(one, other));
    await wait(earliest - Date.now(), signal);
  }
}

function dueOf(waiting: ReadonlyMap<string, number>): string | undefined {
  const now = Date.now();
  for (const [id, at] of waiting) if (at <= now) return id;
  return undefined;
}
