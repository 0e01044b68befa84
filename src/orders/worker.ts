import { callSafely } from '../utils/call-safely.js';
import { onAbort } from '../utils/on-abort.js';
import { wait } from '../utils/wait.js';
import { backoffMs } from './decide.js';
import type { OrderJob } from './queues/queue.js';
import { type OrdersRuntime, safely } from './runtime.js';
import { runJob } from './steps.js';

/** Options for `orders.start`. */
export interface StartOrders {
  /** Stops the worker as `stop` does. */
  readonly signal?: AbortSignal | undefined;
}

/** A worker of this process. */
export interface OrderWorker {
  /** Takes no more work and resolves when the steps under way have ended. What is left is found by the next process. */
  stop(): Promise<void>;
}

/** The longest wait before a worker that could not start tries again for the first time, in ms. */
const firstStartMs = 1000;

/** Makes what starts the workers of a process. A queue works for one of them at a time, so a start waits for the stop before it. */
export function createStart<Client>(runtime: OrdersRuntime<Client>): (options?: StartOrders) => OrderWorker {
  let ended: Promise<void> = Promise.resolve();
  return ({ signal } = {}) => {
    const stopping = new AbortController();
    const started = ended.then(() => startQueue(runtime, stopping.signal));
    let stopped: Promise<void> | undefined;
    const stop = () => {
      if (stopped) return stopped;
      stopping.abort();
      stopped = started.then(() => runtime.queue.stop());
      ended = stopped.catch(() => {});
      return stopped;
    };
    const stopSafely = () => void safely(runtime, undefined, stop);
    onAbort(signal, stopSafely);
    if (signal?.aborted) stopSafely();
    return { stop };
  };
}

/** Starts the queue, again and again while that fails: a process may start before its database does. */
async function startQueue<Client>(runtime: OrdersRuntime<Client>, stopping: AbortSignal): Promise<void> {
  const { queue, concurrency, sweepAfter } = runtime;
  const run = (job: OrderJob) =>
    safely(runtime, job.type === 'order' ? job.id : undefined, () => runJob(runtime, job));
  for (let n = 1; !stopping.aborted; n++) {
    try {
      return await queue.work(run, { concurrency, sweepAfter });
    } catch (error) {
      callSafely(() => runtime.onError(error, undefined));
    }
    // What had begun to work ends before the next start.
    await safely(runtime, undefined, () => queue.stop());
    await wait(backoffMs(n, firstStartMs, runtime.random()), stopping);
  }
}
