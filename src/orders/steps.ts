import { buyOrder, buyPlaced } from './buy.js';
import { actionFor } from './decide.js';
import type { OrderJob, OrderStepJob } from './queues/queue.js';
import { type OrdersRuntime, requestStep, safely } from './runtime.js';
import { applyKeptEvent, foreignMs, lookUp } from './settle.js';
import type { SettleableEvent } from './store.js';

/** How many due orders one sweep queues at most. */
const sweepBatch = 1000;
/** Looks for an order that is not there yet: after 50 ms, 200 ms, 0.8 s, 3.2 s and 12.8 s. */
const firstMissedMs = 50;
const maxMissedLookups = 5;

/** Runs one job: a step with an order, or a sweep. Jobs are idempotent, and may run at the same time in any number of processes. */
export const runJob = <Client>(runtime: OrdersRuntime<Client>, job: OrderJob): Promise<void> =>
  job.type === 'sweep' ? sweep(runtime) : step(runtime, job);

async function step<Client>(
  runtime: OrdersRuntime<Client>,
  { id, placed, missed = 0 }: OrderStepJob,
): Promise<void> {
  if (placed && (await buyPlaced(runtime, id))) return;
  const order = await runtime.store.find(id);
  if (!order) {
    // Placed in a transaction that is not committed yet, or that was rolled back.
    if (missed >= maxMissedLookups) return;
    return requestStep(runtime, { type: 'order', id, missed: missed + 1 }, firstMissedMs * 4 ** missed);
  }
  const action = actionFor(order);
  if (action === 'buy') await buyOrder(runtime, order, true);
  else if (action === 'lookUp') await lookUp(runtime, order);
}

/** Queues the orders that are due, and deals with the webhooks that were kept. */
async function sweep<Client>(runtime: OrdersRuntime<Client>): Promise<void> {
  const { store, queue } = runtime;
  const due = await store.due(sweepBatch);
  await safely(runtime, undefined, async () => {
    for (const id of due) await queue.enqueue({ type: 'order', id });
  });
  const events = await store.settleableEvents(sweepBatch);
  for (const event of events.filter(({ orderId }) => orderId !== undefined)) {
    await safely(runtime, event.orderId, () => applyKeptEvent(runtime, event));
  }
  await handOver(
    runtime,
    events.filter(({ orderId }) => orderId === undefined),
  );
}

/** Hands the webhooks of no order to `on.foreign`, until the time for that is used up. The next sweep handles the rest. */
async function handOver<Client>(
  runtime: OrdersRuntime<Client>,
  foreign: readonly SettleableEvent[],
): Promise<void> {
  const startedAt = performance.now();
  for (const event of foreign) {
    const left = foreignMs - (performance.now() - startedAt);
    if (left <= 0) return;
    await safely(runtime, undefined, () => applyKeptEvent(runtime, event, left));
  }
}
