import { type OrderJob, type OrderQueue, type QueueWorkOptions, turnOf } from './queue.js';

function keyOf(job: OrderJob): string {
  if (job.type === 'order') return `order:${job.id}`;
  return job.resume ? 'resume' : 'sweep';
}

/**
 * Runs jobs in this process: timers, and a sweep of the store at start and every `sweepAfter` ms. For one machine. Several processes may
 * use it on one PostgreSQL store, because each step is guarded there; each then sweeps on its own.
 *
 * @example
 * ```ts
 * const orders = createOrders({ billpay, store, queue: inProcessQueue() }); // also the default
 * ```
 */
export function inProcessQueue(): OrderQueue {
  /** Jobs that wait, by their turn. */
  const waiting: readonly OrderJob[][] = [[], [], []];
  /** Jobs that wait or run, so that the same one is not queued twice. */
  const known = new Set<string>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const running = new Set<Promise<void>>();
  let worker: { run: (job: OrderJob) => Promise<void>; options: QueueWorkOptions } | undefined;

  const add = (job: OrderJob): void => {
    const key = keyOf(job);
    if (known.has(key)) return;
    known.add(key);
    waiting[turnOf(job)]?.push(job);
    serve();
  };

  const later = (job: OrderJob, delayMs: number): void => {
    const key = keyOf(job);
    clearTimeout(timers.get(key));
    const timer = setTimeout(() => {
      timers.delete(key);
      add(job);
    }, delayMs);
    timers.set(key, timer);
  };

  const serve = (): void => {
    while (worker && running.size < worker.options.concurrency) {
      const job = waiting.find(({ length }) => length > 0)?.shift();
      if (!job) return;
      const key = keyOf(job);
      // From here on the same job may be added again: it would see a later state.
      known.delete(key);
      const run = worker
        .run(job)
        .catch(() => {})
        .finally(() => {
          running.delete(run);
          if (worker && job.type === 'sweep') later({ type: 'sweep' }, worker.options.sweepAfter);
          serve();
        });
      running.add(run);
    }
  };

  return {
    async enqueue(job, { delayMs = 0 } = {}) {
      // Without a worker there is nobody to run it; a worker that starts later finds it by its sweep.
      if (!worker) return;
      if (delayMs > 0) later(job, delayMs);
      else add(job);
    },
    async work(run, options) {
      worker = { run, options };
      add({ type: 'sweep' });
    },
    async stop() {
      worker = undefined;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      for (const jobs of waiting) jobs.length = 0;
      known.clear();
      await Promise.all(running);
    },
  };
}
