import { callSafely } from '../utils/call-safely.js';
import { onAbort } from '../utils/on-abort.js';
import { wait } from '../utils/wait.js';
import { checkedCall, type StartOrders } from './call-options.js';
import { backoffMs } from './decide.js';
import type { OrderJob } from './queues/queue.js';
import { type OrdersRuntime, safely } from './runtime.js';
import { lookUpNow, runWorkerJob, settleOwn } from './steps.js';

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
    const started = ended.then(() => startQueue(runtime, stopping.signal));
    const stop = () => {
      stopping.abort();
      const stopped = started.then(async () => {
        await Promise.all([runtime.queue.stop(), runtime.lookUps.stop()]);
      });
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
    const stopSafely = () => void safely(runtime, undefined, stop);
    onAbort(signal, stopSafely);
    if (signal?.aborted) stopSafely();
    return { stop };
  };
}

/** Starts the queue, again and again while that fails: a process may start before its database does. */
async function startQueue<Client>(runtime: OrdersRuntime<Client>, stopping: AbortSignal): Promise<void> {
  const { queue, lookUps, concurrency, sweepAfter } = runtime;
  const run = (job: OrderJob) =>
    safely(runtime, job.type === 'order' ? job.id : undefined, () => runWorkerJob(runtime, job));
  for (let n = 1; !stopping.aborted; n++) {
    try {
      lookUps.work(
        (id) => safely(runtime, id, () => lookUpNow(runtime, id)),
        () => safely(runtime, undefined, () => settleOwn(runtime)),
      );
      return await queue.work(run, { concurrency, sweepAfter });
    } catch (error) {
      callSafely(() => runtime.onError(error, undefined));
    }
    // What had begun to work ends before the next start.
    await safely(runtime, undefined, () => queue.stop());
    await wait(backoffMs(n, firstStartMs, runtime.random()), stopping);
  }
}
