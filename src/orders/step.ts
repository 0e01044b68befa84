import { wait } from '../utils/wait.js';
import { buyFresh, buyOrder } from './buy.js';
import { checkOrder } from './check.js';
import type { Order } from './order.js';
import { type OrdersRuntime, report, requestStep, sweepBatch } from './runtime.js';
import { type Lane, laneNames, laneOf } from './states.js';

/** How long an order is left alone whose step threw before it could store when it is due next, in ms. */
const restMs = 30_000;
/** The least wait before the next job of an order, in ms: while this one runs, an engine would take another one for now for the same. */
const afterThisJobMs = 1;
/** How long a worker waits after it could not reach the store, in ms. */
const unreachableMs = 1000;

/** One step with an order, if it is due. Returns the order as it is then; undefined where there is none. A step under way here is waited for. */
export async function step<Client>(runtime: OrdersRuntime<Client>, id: string): Promise<Order | undefined> {
  await runtime.underway.get(id);
  const order = await runtime.store.find(id);
  return order && stepAsRead(runtime, order);
}

async function stepAsRead<Client>(runtime: OrdersRuntime<Client>, order: Order): Promise<Order> {
  if (!isDue(order)) return order;
  return laneOf(order.state) === 'purchase' ? buyOrder(runtime, order, true) : checkOrder(runtime, order);
}

const isDue = ({ state, dueInMs }: Order): boolean =>
  laneOf(state) !== undefined && dueInMs !== undefined && dueInMs <= 0;

/**
 * A step of a worker, for a job of this lane; an order of the other lane is sent there. Afterwards the order is sent on its way again, until
 * nothing is left to do with it. What a step throws is reported, and the order rests for a while.
 */
export async function workOn<Client>(runtime: OrdersRuntime<Client>, lane: Lane, id: string): Promise<void> {
  const { store, onError } = runtime;
  try {
    const bought = lane === 'purchase' ? await buyFresh(runtime, id) : undefined;
    if (bought) return await requestStep(runtime, bought, afterThisJobMs);
    const order = await store.find(id);
    if (!order) return;
    if (laneOf(order.state) !== lane) return await requestStep(runtime, order);
    await requestStep(runtime, await stepAsRead(runtime, order), afterThisJobMs);
  } catch (error) {
    report(onError, error, id);
    // While the store cannot be reached, nothing is asked of it for a while.
    await rest(runtime, id).catch(() => wait(unreachableMs, undefined));
  }
}

async function rest<Client>(runtime: OrdersRuntime<Client>, id: string): Promise<void> {
  const { store, retryDelay } = runtime;
  const order = await store.find(id);
  if (!order || !isDue(order)) return;
  const { state, attempt } = order;
  const dueInMs = retryDelay?.(1) ?? restMs;
  const resting = await store.update({ id, state, attempt }, { dueInMs }, undefined);
  if (resting) await requestStep(runtime, resting, afterThisJobMs);
}

/**
 * Works on everything that is due, one step after the other, until nothing is left. An order whose step throws is reported and left to a
 * later run; so is one that was tried while the circuit breaker is open.
 */
export async function runUntilIdle<Client>(runtime: OrdersRuntime<Client>): Promise<void> {
  const { store, breaker, onError } = runtime;
  const failed = new Set<string>();
  const held = new Set<string>();
  for (;;) {
    const due = (await Promise.all(laneNames.map((lane) => store.due(lane, sweepBatch)))).flat();
    const next = due.filter((id) => !failed.has(id) && !held.has(id));
    if (next.length === 0) return;
    for (const id of next) {
      try {
        await step(runtime, id);
        if (breaker.state()) held.add(id);
        else held.clear();
      } catch (error) {
        failed.add(id);
        report(onError, error, id);
      }
    }
  }
}
