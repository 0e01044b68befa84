import { callSafely } from '../utils/functions.js';
import { loggerOf } from '../utils/logger.js';
import { TransactionEndedError } from '../utils/transactions.js';
import { Breaker, type BreakerState } from './breaker.js';
import { describeError } from './decide.js';
import { type OrdersOptions, type ResolvedOptions, resolveOptions } from './options.js';
import type { Order } from './order.js';
import { type FinalOrderState, isFinal, laneNames, laneOf, type OrderEvent, transition } from './states.js';
import type { OrderChange, OrderNote } from './store.js';

/** What every part of `createOrders` works with: the checked options, and what this process knows. */
export interface OrdersRuntime<Client> extends ResolvedOptions<Client> {
  /** What this process knows of the account. */
  readonly breaker: Breaker;
  /** The steps under way in this process, by the id of their order. */
  readonly underway: Map<string, Promise<Order | undefined>>;
  /** How many orders wait to be settled, as the store last told. */
  accepted(): Promise<number>;
}

/** How long the number of accepted orders counts, in ms. */
const countedForMs = 60_000;

/** Checks the options of `createOrders`, and makes what this process knows. */
export function createRuntime<Client>(given: OrdersOptions<Client>): OrdersRuntime<Client> {
  const options = resolveOptions(given);
  const { billpay, store, retryDelay } = options;
  let counted = { at: Number.NEGATIVE_INFINITY, count: Promise.resolve(0) };
  return {
    ...options,
    breaker: new Breaker((state) => logBreaker(billpay, state), retryDelay),
    underway: new Map(),
    accepted() {
      const at = Date.now();
      if (Math.abs(at - counted.at) >= countedForMs)
        counted = { at, count: store.count('accepted').catch(() => 0) };
      return counted.count;
    },
  };
}

/** One line in the client's log when buying stops, and one when it continues. */
function logBreaker(billpay: object, state: BreakerState | undefined): void {
  const logger = loggerOf(billpay);
  if (!state) {
    logger?.warn('billpay orders: the account is in order again, and buying continues');
    return;
  }
  const { error, nextTryAt, from } = state;
  const what = from === undefined ? 'buying has stopped' : `orders of ${from} NGN and more wait`;
  logger?.warn(
    `billpay orders: the account is at fault, and ${what}. One order tries again from time to time; after the fault is corrected, orders.resumeHeld() tries at once`,
    { error, nextTryAt },
  );
}

/** A change of state to be made to an order as it was read. */
export interface Move {
  readonly event: OrderEvent;
  readonly change?: OrderChange;
  readonly detail?: OrderNote['detail'];
  /** Only where the order is due by the clock of the store. */
  readonly due?: boolean;
  /** Only where the time in which it may be bought is not over. */
  readonly unexpired?: boolean;
  /** The token of a delivered order, as the service sent it. */
  readonly token?: string | undefined;
}

/** What a change of state needs to know of an order. */
export type OrderAt = Pick<Order, 'id' | 'state' | 'attempt' | 'mayHaveCharged'>;

/**
 * Moves an order to the state that an event leads to. A final state and its hook are one transaction. Undefined where the order has moved
 * on since it was read, or where the event does not happen in its state: somebody else came first.
 */
export async function moveOrder<Client>(
  runtime: OrdersRuntime<Client>,
  order: OrderAt,
  { event, change, detail, due, unexpired, token }: Move,
): Promise<Order | undefined> {
  const mayHaveCharged = order.mayHaveCharged || change?.mayHaveCharged === true;
  const state = transition(order.state, event, mayHaveCharged);
  if (state === undefined) return undefined;
  const { store } = runtime;
  const { id, attempt } = order;
  const guard = { id, state: order.state, attempt, ...(due && { due }), ...(unexpired && { unexpired }) };
  const full: OrderChange = {
    ...change,
    state,
    ...(isFinal(state) && { dueInMs: undefined, awaitingRefund: false }),
  };
  const note: OrderNote = detail ? { event, detail } : { event };
  const end = () =>
    store.transaction(async (client) => {
      const ended = await store.update(guard, full, note, client);
      if (ended && isFinal(state)) await runHook(runtime, state, ended, { client, token });
      return ended;
    });
  const moved = isFinal(state)
    ? await end().catch((error: unknown) => rejectBrokenEnd(runtime, order.id, state, error))
    : await store.update(guard, full, note);
  if (moved && moved.state !== order.state) {
    const { onTransition, onError, on } = runtime;
    const told = (error: unknown) => report(onError, error, order.id);
    callSafely(() => onTransition?.(structuredClone(moved), order.state, moved.state));
    if (moved.state === 'held' && event === 'hold' && order.state === 'buying')
      callSafely(() => on.held?.(structuredClone(moved)), told);
  }
  return moved;
}

/**
 * Sends an order to review whose hook committed something by itself and did not finish: its end, so that the order counts as ended and a
 * part of what belongs to that is missing; or a part of that without the end. Always throws what the transaction threw.
 */
async function rejectBrokenEnd<Client>(
  runtime: OrdersRuntime<Client>,
  id: string,
  state: FinalOrderState,
  error: unknown,
): Promise<never> {
  if (error instanceof TransactionEndedError) {
    const stored = await runtime.store.find(id);
    const described = describeError(error);
    const hasEnded = stored?.state === state;
    if (stored && (hasEnded || error.mayHaveCommitted)) {
      await moveOrder(runtime, stored, {
        event: hasEnded ? 'reopen' : 'review',
        change: { lastError: described, dueInMs: undefined, ...(!hasEnded && { settled: true }) },
        detail: { error: described },
      });
    }
  }
  throw error;
}

async function runHook<Client>(
  { on }: OrdersRuntime<Client>,
  state: FinalOrderState,
  order: Order,
  context: { client: Client; token: string | undefined },
): Promise<void> {
  await on[state]?.(structuredClone(order), context);
}

/**
 * Asks the queue to continue with an order when it is due. A status check that is due in half a sweep interval or later is left to the sweep:
 * most orders are settled by a webhook before, so their second job would be in vain. A queue that cannot take the job is reported and breaks
 * nothing: when the order is due is stored, and the sweep finds it.
 */
export async function requestStep<Client>(
  { queue, onError, sweepInterval }: OrdersRuntime<Client>,
  { id, state, dueInMs }: Pick<Order, 'id' | 'state' | 'dueInMs'>,
  leastMs = 0,
): Promise<void> {
  const lane = laneOf(state);
  if (lane === undefined || dueInMs === undefined) return;
  if (lane === 'check' && dueInMs >= sweepInterval / 2) return;
  try {
    await queue.send(lane, id, { delayMs: Math.max(leastMs, dueInMs) });
  } catch (error) {
    report(onError, error, id);
  }
}

/** How many due orders of a lane are asked for at once: more than the service takes in several minutes. */
export const sweepBatch = 250;

/** Sends a job for the orders that are due: for what no job remembers. */
export async function sweep<Client>({ store, queue }: OrdersRuntime<Client>): Promise<void> {
  for (const lane of laneNames) {
    for (const id of await store.due(lane, sweepBatch)) await queue.send(lane, id);
  }
}

/** Lets the orders continue that the circuit breaker held back: one of them tries, or all are bought. */
export async function resumeHeld<Client>(runtime: OrdersRuntime<Client>): Promise<void> {
  await runtime.store.wake('held');
  await sweep(runtime);
}

/** Runs a step with an order, one at a time in this process: who comes meanwhile gets the order as that step leaves it. A step that does nothing resolves to undefined. */
export async function once<Client>(
  runtime: OrdersRuntime<Client>,
  id: string,
  step: () => Promise<Order | undefined>,
): Promise<Order | undefined> {
  const { underway } = runtime;
  const other = underway.get(id);
  if (other) return (await other) ?? once(runtime, id, step);
  const own = step().finally(() => underway.delete(id));
  underway.set(id, own);
  return own;
}

/** Tells the caller of an error. What the callback throws, or rejects with, breaks nothing. */
export const report = (
  onError: (error: unknown, orderId: string | undefined) => unknown,
  error: unknown,
  id: string | undefined,
): void => callSafely(() => onError(error, id));
