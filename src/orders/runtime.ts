import { callSafely } from '../utils/call-safely.js';
import type { OrderPolicy } from './decide.js';
import type { OrdersClient, OrdersOptions } from './options.js';
import type { Order, StoredOrder } from './order.js';
import type { OrderQueue, OrderStepJob } from './queues/queue.js';
import { type FinalOrderState, isFinal, type OrderEvent, transition } from './states.js';
import type { OrderChange, OrderNote, OrderStore } from './store.js';
import type { TokenPolicy } from './tokens.js';

/** What every part of `createOrders` works with: the checked options. */
export interface OrdersRuntime<Client> {
  readonly billpay: OrdersClient;
  readonly store: OrderStore<Client>;
  readonly queue: OrderQueue<Client>;
  readonly hooks: NonNullable<OrdersOptions<Client>['on']>;
  readonly policy: OrderPolicy;
  readonly tokens: TokenPolicy;
  /** Orders that a worker works on at a time. */
  readonly concurrency: number;
  /** ms between two sweeps. */
  readonly sweepAfter: number;
  /** ms for one attempt to buy. */
  readonly buyTimeout: number;
  readonly onTransition: OrdersOptions<Client>['onTransition'];
  readonly onError: (error: unknown, orderId: string | undefined) => void;
  /** In [0, 1). */
  readonly random: () => number;
}

/** A change of state to be made to an order as it was read. */
export interface Move {
  readonly event: OrderEvent;
  readonly change?: OrderChange;
  readonly detail?: OrderNote['detail'];
  /** Only where the order is due by the clock of the store. */
  readonly due?: boolean;
  /** The token of a delivered order, as the service gives it. */
  readonly token?: string | undefined;
}

/** What a change of state needs to know of an order. */
export type OrderAt = Pick<StoredOrder, 'id' | 'state' | 'attempt' | 'doubted'>;

/**
 * Moves an order to the state that an event leads to. A final state and its hook are one transaction. Undefined where the order has moved
 * on since it was read, or where the event does not happen in its state: somebody else came first.
 */
export async function moveOrder<Client>(
  runtime: OrdersRuntime<Client>,
  order: OrderAt,
  { event, change, detail, due, token }: Move,
): Promise<Order | undefined> {
  const doubted = order.doubted || change?.doubted === true;
  const state = transition(order.state, event, doubted);
  if (state === undefined) return undefined;
  const { store } = runtime;
  const guard = { id: order.id, state: order.state, attempt: order.attempt, ...(due && { due }) };
  const full: OrderChange = {
    ...change,
    state,
    ...(isFinal(state) && { dueInMs: undefined, awaitingRefund: false }),
  };
  const note: OrderNote = detail ? { event, detail } : { event };
  const moved = isFinal(state)
    ? await store.transaction(async (client) => {
        const ended = await store.update(guard, full, note, client);
        if (ended) await runHook(runtime, state, ended, { client, token });
        return ended;
      })
    : await store.update(guard, full, note);
  if (moved && moved.state !== order.state) {
    callSafely(() => runtime.onTransition?.(moved, order.state, moved.state));
  }
  return moved;
}

/**
 * Asks the queue to continue with an order; for what is due only after the next sweep there is no job. A queue that cannot take the job
 * is reported and breaks nothing: what the job is for is stored, and the sweep finds it.
 */
export async function requestStep<Client>(
  { queue, sweepAfter, onError }: OrdersRuntime<Client>,
  job: OrderStepJob,
  delayMs = 0,
): Promise<void> {
  if (delayMs >= sweepAfter) return;
  try {
    await queue.enqueue(job, { delayMs });
  } catch (error) {
    callSafely(() => onError(error, job.id));
  }
}

async function runHook<Client>(
  { hooks }: OrdersRuntime<Client>,
  state: FinalOrderState,
  order: Order,
  context: { client: Client; token: string | undefined },
): Promise<void> {
  await hooks[state]?.(order, context);
}

/** Runs work for nobody who waits for it: what it throws is reported, and breaks nothing. */
export async function safely<Client>(
  { onError }: OrdersRuntime<Client>,
  id: string | undefined,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    callSafely(() => onError(error, id));
  }
}
