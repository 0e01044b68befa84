import { type Lane, laneNames } from '../states.js';
import type { OrderQueue, QueueWork } from './queue.js';

/** How many due orders are asked for at once. */
const batch = 100;
/** The shortest wait between two questions to the store, in ms, where nothing rings. */
const shortestWaitMs = 50;

/**
 * Runs the jobs in this process: one loop for each lane asks the store for what is due, works on it, and waits for what is due next. For one
 * machine. Several processes may use it on one database, because each step is guarded there.
 *
 * @example
 * ```ts
 * const orders = createOrders({ billpay, store, queue: inProcessQueue() }); // also the default
 * ```
 */
export function inProcessQueue(): OrderQueue {
  const bells: Readonly<Record<Lane, Bell>> = { purchase: createBell(), check: createBell() };
  let run = { isStopping: true, ended: Promise.resolve<unknown>(undefined) };
  return {
    sweepInterval: 1000,
    async send(lane) {
      bells[lane].ring();
    },
    async work(work) {
      const own = { isStopping: false, ended: run.ended };
      own.ended = Promise.all(laneNames.map((lane) => serve(lane, work, bells[lane], () => own.isStopping)));
      run = own;
    },
    async stop() {
      run.isStopping = true;
      for (const lane of laneNames) bells[lane].ring();
      await run.ended;
    },
  };
}

/** The loop of a lane. */
async function serve(
  lane: Lane,
  { concurrency, sweepInterval, run, due, nextDue }: QueueWork,
  bell: Bell,
  isStopping: () => boolean,
): Promise<void> {
  const running = new Map<string, Promise<void>>();
  let waiting: string[] = [];
  while (!isStopping()) {
    bell.quiet();
    if (waiting.length === 0) waiting = (await due(lane, batch)).filter((id) => !running.has(id));
    const isIdle = waiting.length === 0;
    while (waiting.length > 0 && running.size < concurrency[lane] && !isStopping()) {
      const id = waiting.shift() ?? '';
      const step = run(lane, id).finally(() => running.delete(id));
      running.set(id, step);
    }
    if (running.size >= concurrency[lane]) await Promise.race(running.values());
    else if (isIdle) {
      const next = (await nextDue(lane)) ?? sweepInterval;
      await bell.wait(Math.min(sweepInterval, Math.max(next, shortestWaitMs)));
    }
  }
  await Promise.all(running.values());
}

/** Tells a loop that something may be due. */
interface Bell {
  ring(): void;
  /** What rang before is dealt with. */
  quiet(): void;
  /** Waits until it rings, or has rung, at most so many ms. */
  wait(ms: number): Promise<void>;
}

function createBell(): Bell {
  let isRung = false;
  let heard = () => {};
  return {
    ring() {
      isRung = true;
      heard();
    },
    quiet() {
      isRung = false;
    },
    async wait(ms) {
      if (isRung) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        heard = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
