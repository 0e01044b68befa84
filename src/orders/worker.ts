import { onAbort, wait } from '../utils/wait.js';
import { checkedCall, type StartOrders } from './call-options.js';
import { backoffMs } from './decide.js';
import type { QueueWork } from './queues/queue.js';
import { type OrdersRuntime, report, sweep } from './runtime.js';
import { workOn } from './step.js';

/** A worker of this process. */
export interface OrderWorker {
  /**
   * Takes no more work and resolves when the steps under way have ended. What is left is found by the next process. While another worker of
   * the same `createOrders` runs, it resolves at once, and that one continues.
   */
  stop(): Promise<void>;
}

/** The longest wait before a worker that could not start tries again for the first time, in ms. */
const firstStartMs = 1000;

/**
 * Makes what starts the workers of a process. They share one run of the queue, which begins with the first of them and ends with the last. A
 * run waits for the end of the one before it.
 */
export function createStart<Client>(runtime: OrdersRuntime<Client>): (options?: StartOrders) => OrderWorker {
  let ended: Promise<void> = Promise.resolve();
  let shared: { workers: number; stop(): Promise<void> } | undefined;

  const startRun = () => {
    const stopping = new AbortController();
    const work = workOf(runtime, stopping.signal);
    const started = ended.then(() => startQueue(runtime, work, stopping.signal));
    const stop = () => {
      stopping.abort();
      const stopped = started.then(() => runtime.queue.stop()).then(work.idle);
      ended = stopped.catch(() => {});
      return stopped;
    };
    return { workers: 0, stop };
  };

  return (options) => {
    const { signal } = checkedCall.start(options);
    const own = shared ?? startRun();
    shared = own;
    own.workers++;
    let stopped: Promise<void> | undefined;
    const leave = async (): Promise<void> => {
      own.workers--;
      if (own.workers > 0) return;
      shared = undefined;
      await own.stop();
    };
    const stop = () => {
      stopped ??= leave();
      return stopped;
    };
    const stopSafely = () => void stop().catch((error: unknown) => report(runtime.onError, error, undefined));
    onAbort(signal, stopSafely);
    if (signal?.aborted) stopSafely();
    return { stop };
  };
}

/** What the queue of a run works with. What is under way is known here, so that a run ends when all of it has. */
function workOf<Client>(runtime: OrdersRuntime<Client>, stopping: AbortSignal): QueueWork {
  const { store, concurrency, sweepInterval } = runtime;
  const underWay = new Set<Promise<void>>();
  const track = async (work: () => Promise<void>): Promise<void> => {
    // A job that was fetched while the worker was stopping: the order stays due, and the sweep of another process finds it.
    if (stopping.aborted) return;
    const own = reported(runtime, work(), undefined);
    underWay.add(own);
    await own;
    underWay.delete(own);
  };
  return {
    concurrency: { purchase: concurrency, check: Math.ceil(concurrency / 2) },
    sweepInterval,
    run: (lane, id) => track(() => workOn(runtime, lane, id)),
    sweep: () => track(() => sweep(runtime)),
    due: (lane, limit) => reported(runtime, store.due(lane, limit), []),
    nextDue: (lane) => reported(runtime, store.nextDue(lane), undefined),
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** What this work resolves to; another value where it fails, which is reported. */
const reported = <T, Other>(
  { onError }: Pick<OrdersRuntime<unknown>, 'onError'>,
  work: Promise<T>,
  otherwise: Other,
): Promise<T | Other> =>
  work.catch((error: unknown) => {
    report(onError, error, undefined);
    return otherwise;
  });

/** Starts the queue, again and again while that fails: a process may start before its database does. */
async function startQueue<Client>(
  runtime: OrdersRuntime<Client>,
  work: QueueWork,
  stopping: AbortSignal,
): Promise<void> {
  const { queue, onError } = runtime;
  for (let n = 1; !stopping.aborted; n++) {
    try {
      return await queue.work(work);
    } catch (error) {
      report(onError, error, undefined);
    }
    // What had begun to work ends before the next start.
    await reported(runtime, queue.stop(), undefined);
    await work.idle();
    await wait(backoffMs(n, firstStartMs, Math.random()), stopping);
  }
}
