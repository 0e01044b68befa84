import { buyOrder, buyPlaced } from './buy.js';
import { actionFor, rankOf } from './decide.js';
import { lookUp } from './look-up.js';
import type { StoredOrder } from './order.js';
import type { OrderJob, OrderStepJob, OrderSweepJob } from './queues/queue.js';
import { type OrdersRuntime, requestStep, safely } from './runtime.js';
import { applyKeptEvent, foreignMs } from './settle.js';
import { statesToBuy } from './states.js';
import type { DueOrder, SettleableEvent } from './store.js';

/** How many due orders one sweep queues at most. */
const sweepBatch = 1000;
/** Looks for an order that is not there yet: after 50 ms, 200 ms, 0.8 s, 3.2 s and 12.8 s. */
const firstMissedMs = 50;
const maxMissedLookups = 5;

/** Runs one job: a step with an order, or a sweep. Jobs are idempotent, and may run at the same time in any number of processes. */
export const runJob = <Client>(runtime: OrdersRuntime<Client>, job: OrderJob): Promise<void> =>
  job.type === 'sweep' ? sweep(runtime, job) : step(runtime, job, (order) => lookUp(runtime, order));

/** The same for a worker, whose lookups have lanes of their own. */
export const runWorkerJob = <Client>(runtime: OrdersRuntime<Client>, job: OrderJob): Promise<void> =>
  job.type === 'sweep'
    ? sweep(runtime, job)
    : step(runtime, job, async ({ id }) => void runtime.lookUps.add(id, job.rank !== 'lookUp'));

async function step<Client>(
  runtime: OrdersRuntime<Client>,
  { id, placed, missed = 0 }: OrderStepJob,
  lookUpOrder: (order: StoredOrder) => Promise<void>,
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
  else if (action === 'lookUp') await lookUpOrder(order);
}

/** Looks one order up in a lane for lookups. */
export async function lookUpNow<Client>(runtime: OrdersRuntime<Client>, id: string): Promise<void> {
  const order = await runtime.store.find(id);
  if (order && actionFor(order) === 'lookUp') await lookUp(runtime, order);
}

/** Queues the orders that are due, and deals with the webhooks that were kept. */
async function sweep<Client>(runtime: OrdersRuntime<Client>, { resume }: OrderSweepJob): Promise<void> {
  const { store, queue, lookUps } = runtime;
  if (resume) runtime.account.resume();
  await safely(runtime, undefined, async () => {
    for (const { id, state } of await duePurchases(runtime)) {
      await queue.enqueue({ type: 'order', id, rank: rankOf(state) });
    }
  });
  await safely(runtime, undefined, async () => {
    const silent = await dueLookUps(runtime);
    if (silent.length > 0) runtime.accepted = await store.count('accepted');
    for (const { id } of silent) {
      if (!lookUps.add(id)) await queue.enqueue({ type: 'order', id, rank: 'lookUp' });
    }
  });
  await settleKept(runtime);
}

/** The orders to be bought; while the account is at fault, those whose time for that is over, and the one that tries. */
async function duePurchases<Client>({
  account,
  store,
}: Pick<OrdersRuntime<Client>, 'account' | 'store'>): Promise<readonly DueOrder[]> {
  if (!account.stopped()) return store.due(sweepBatch, { states: statesToBuy });
  const expired = await store.due(sweepBatch, { states: ['placed', 'held'], expired: true });
  return account.isOpen() ? [...expired, ...(await store.due(1, { states: statesToBuy }))] : expired;
}

/** The orders to be looked up. Asked for by themselves: orders that cannot be bought now may be many, and lie before them. */
const dueLookUps = <Client>({ store }: OrdersRuntime<Client>): Promise<readonly DueOrder[]> =>
  store.due(sweepBatch, { states: ['accepted'] });

/**
 * Works on everything that is due, one step after the other, until nothing is left. An order whose step throws is reported and left to a
 * later run; so is one that was tried while the account is at fault.
 */
export async function runUntilIdle<Client>(runtime: OrdersRuntime<Client>): Promise<void> {
  const left = new Set<string>();
  for (;;) {
    await settleKept(runtime);
    const due = [...(await duePurchases(runtime)), ...(await dueLookUps(runtime))];
    const next = due.filter(({ id }) => !left.has(id));
    if (next.length === 0) return;
    for (const { id } of next) {
      left.add(id);
      await safely(runtime, id, async () => {
        await runJob(runtime, { type: 'order', id });
        if (!runtime.account.stopped()) left.delete(id);
      });
    }
  }
}

/** Applies kept webhooks to their orders, and hands over those that belong to none. */
const settleKept = async <Client>(runtime: OrdersRuntime<Client>): Promise<void> =>
  handOver(runtime, await settleOwn(runtime));

/** Applies kept webhooks to their orders. Returns those that belong to none. */
export async function settleOwn<Client>(runtime: OrdersRuntime<Client>): Promise<readonly SettleableEvent[]> {
  const events = await runtime.store.settleableEvents(sweepBatch);
  for (const event of events.filter(({ orderId }) => orderId !== undefined)) {
    await safely(runtime, event.orderId, () => applyKeptEvent(runtime, event));
  }
  return events.filter(({ orderId }) => orderId === undefined);
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
