import { callSafely } from '../utils/call-safely.js';
import { TransactionEndedError } from '../utils/transaction-ended-error.js';
import type { Account } from './account.js';
import { describeError, type OrderPolicy } from './decide.js';
import type { LookUps } from './look-ups.js';
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
  /** What this process knows of the account. */
  readonly account: Account;
  /** The lookups of this process. */
  readonly lookUps: LookUps;
  /** The purchases and lookups under way in this process, by the id of their order. */
  readonly underway: Map<string, Promise<unknown>>;
  /** How many orders waited to be settled when this process last counted them. */
  accepted: number;
  /** Orders that a worker buys at a time. */
  readonly concurrency: number;
  /** ms between two sweeps. */
  readonly sweepAfter: number;
  /** ms after which an order is no longer bought. */
  readonly expireAfter: number | undefined;
  /** ms within which the same order may not be placed again. */
  readonly duplicateWithin: number | undefined;
  /** ms for one attempt to buy. */
  readonly buyTimeout: number;
  readonly onTransition: OrdersOptions<Client>['onTransition'];
  readonly onError: (error: unknown, orderId: string | undefined) => void;
  /** The pacer of the client, where it was given. */
  readonly pacer: OrdersOptions<Client>['pacer'];
  /** In [0, 1). */
  readonly random: () => number;
}

const copyOfDate = (date: Date | undefined) => date && new Date(date);

/** A copy for callbacks, which may change it. Nothing in an order lies deeper; structuredClone takes several times as long. */
const copyOf = (order: Order): Order => ({
  ...order,
  params: { ...order.params },
  lastError: order.lastError && { ...order.lastError },
  createdAt: new Date(order.createdAt),
  updatedAt: new Date(order.updatedAt),
  settledAt: copyOfDate(order.settledAt),
  dueAt: copyOfDate(order.dueAt),
});

/** A change of state to be made to an order as it was read. */
export interface Move {
  readonly event: OrderEvent;
  readonly change?: OrderChange;
  readonly detail?: OrderNote['detail'];
  /** Only where the order is due by the clock of the store. */
  readonly due?: boolean;
  /** The token of a delivered order, as the service sent it. */
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
    callSafely(() => runtime.onTransition?.(copyOf(moved), order.state, moved.state));
    if (moved.state === 'held')
      void safely(runtime, order.id, async () => runtime.hooks.held?.(copyOf(moved)));
  }
  return moved;
}

/**
 * Sends an order to review whose hook committed its end by itself and did not finish: the order counts as ended, and a part of what belongs
 * to that is missing. Always throws what the transaction threw.
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
    if (stored?.state === state) {
      await moveOrder(runtime, stored, {
        event: 'reopen',
        change: { lastError: described },
        detail: { error: described },
      });
    }
  }
  throw error;
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
  await hooks[state]?.(copyOf(order), context);
}

/**
 * Runs a step with an order, one at a time in this process. A step that waited for one that changed something is not run. A step resolves to
 * what it changed, and to undefined where it changed nothing: a worker's step, for example, while the account is at fault.
 */
export async function stepOnce<Client, Result>(
  { underway }: OrdersRuntime<Client>,
  id: string,
  step: () => Promise<Result>,
): Promise<Result | undefined> {
  for (let other = underway.get(id); other; other = underway.get(id)) {
    const changed = await other.then(
      (result) => result !== undefined,
      () => true,
    );
    if (changed) return undefined;
  }
  const own = step().finally(() => underway.delete(id));
  underway.set(id, own);
  return own;
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
