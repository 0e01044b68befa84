import type { PurchaseItem } from '../contract/purchase-item.js';
import type { Purchase } from '../contract/responses.js';
import { callSafely } from '../utils/call-safely.js';
import { nameOfThrown } from '../utils/is-error.js';
import type { AttemptOutcome } from './account.js';
import { afterFailedAttempt, backoffMs, describeError, isExhausted } from './decide.js';
import type { Order, OrderError, StoredOrder } from './order.js';
import { type Move, moveOrder, type OrderAt, type OrdersRuntime, requestStep, stepOnce } from './runtime.js';
import { applyKeptEvent } from './settle.js';
import type { OrderChange } from './store.js';

/**
 * One attempt to buy an order under its id. Returns the order in its new state; where another process has it, or has moved it on, the order
 * as it then is. An attempt of this same process is waited for.
 *
 * @param dueOnly - only where the order is due: for workers. A buyer who asks for it now need not wait for a backoff.
 */
export async function buyOrder<Client>(
  runtime: OrdersRuntime<Client>,
  order: StoredOrder,
  dueOnly: boolean,
): Promise<Order> {
  const moved = await stepOnce(runtime, order.id, async () => {
    const ended = await endWithoutAttempt(runtime, order, dueOnly);
    if (ended) return ended;
    return runtime.account.enter(order.id)
      ? buyAdmitted(runtime, order, dueOnly)
      : holdUnlessWorker(runtime, order, dueOnly);
  });
  return moved ?? (await runtime.store.find(order.id)) ?? order;
}

/** The first attempt for an order that was only just placed. Returns whether nothing more is to be done with it now. */
export async function buyPlaced<Client>(runtime: OrdersRuntime<Client>, id: string): Promise<boolean> {
  if (runtime.underway.has(id)) return true;
  // The order is due, so a sweep finds it when the account is in order again.
  if (!runtime.account.enter(id)) return true;
  const placed = { id, state: 'placed', attempt: 0, doubted: false, tries: 0 } as const;
  return (await stepOnce(runtime, id, () => buyAdmitted(runtime, placed, true))) !== undefined;
}

/** Ends an order whose time to be bought is over, and sends one to review whose limits are used up. */
async function endWithoutAttempt<Client>(
  runtime: OrdersRuntime<Client>,
  order: StoredOrder,
  dueOnly: boolean,
): Promise<Order | undefined> {
  const { state, doubted, expiresInMs } = order;
  if (expiresInMs !== undefined && expiresInMs <= 0 && !doubted && state !== 'buying') {
    return moveOrder(runtime, order, { event: 'expire', detail: { note: 'expireAfter is over' } });
  }
  const overtakes = state === 'buying';
  if (state === 'placed' || !isExhausted({ ...order, tries: triesAt(order) }, runtime.policy))
    return undefined;
  const lastError = order.lastError ?? interrupted;
  return moveOrder(runtime, order, {
    event: 'review',
    due: dueOnly || overtakes,
    change: { lastError, dueInMs: undefined, ...(overtakes && { doubted: true as const }) },
    detail: { error: lastError },
  });
}

const interrupted: OrderError = {
  name: 'Error',
  message:
    'The process that was buying ended each time before it could store the outcome. Look for the idempotency_key in the history of the service.',
};

/** The attempts without progress, with the one whose process ended. */
const triesAt = ({ state, tries }: Pick<StoredOrder, 'state' | 'tries'>): number =>
  state === 'buying' ? tries + 1 : tries;

/** A customer who asks while the account is at fault learns it from the state; a worker leaves the order as it is. */
async function holdUnlessWorker<Client>(
  runtime: OrdersRuntime<Client>,
  order: StoredOrder,
  dueOnly: boolean,
): Promise<Order | undefined> {
  const lastError = runtime.account.stopped()?.error;
  if (dueOnly || order.state !== 'placed' || order.doubted) return undefined;
  return moveOrder(runtime, order, { event: 'hold', change: { lastError }, detail: {} });
}

/** An attempt of an order that the account has admitted. Undefined where another process has it. */
async function buyAdmitted<Client>(
  runtime: OrdersRuntime<Client>,
  order: OrderAt & Pick<StoredOrder, 'tries'>,
  dueOnly: boolean,
): Promise<Order | undefined> {
  let outcome: AttemptOutcome | undefined;
  try {
    const begun = await beginAttempt(runtime, order, dueOnly);
    if (!begun) return undefined;
    outcome = await attempt(runtime, begun);
    const moved =
      'purchase' in outcome
        ? await accepted(runtime, begun, outcome.purchase, dueOnly)
        : await failed(runtime, begun, outcome.error);
    return moved ?? (await runtime.store.find(begun.id)) ?? begun;
  } finally {
    runtime.account.leave(order.id, outcome);
  }
}

function beginAttempt<Client>(
  runtime: OrdersRuntime<Client>,
  order: OrderAt & Pick<StoredOrder, 'tries'>,
  dueOnly: boolean,
): Promise<Order | undefined> {
  // A process that was buying may have sent its request, whatever became of it.
  const overtakes = order.state === 'buying';
  return moveOrder(runtime, order, {
    event: 'begin',
    due: dueOnly || overtakes,
    change: {
      attempt: order.attempt + 1,
      dueInMs: runtime.policy.lease,
      ...(overtakes && { doubted: true as const, tries: triesAt(order) }),
    },
  });
}

async function attempt<Client>(
  { billpay, buyTimeout }: OrdersRuntime<Client>,
  { id, product, params, doubted }: Order,
): Promise<AttemptOutcome> {
  try {
    const item = { product, params, idempotency_key: id } as PurchaseItem;
    return { purchase: await billpay.purchase(item, { totalTimeout: buyTimeout, resume: doubted }) };
  } catch (error) {
    return { error };
  }
}

async function accepted<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  { reference, amount }: Purchase,
  dueOnly: boolean,
): Promise<Order | undefined> {
  const { policy, store, onError, lookUps } = runtime;
  const dueInMs = policy.lookUpAfter;
  const charged = Number.isFinite(amount) ? { amount } : {};
  let moved: Order | undefined;
  try {
    moved = await moveOrder(runtime, order, {
      event: 'accept',
      change: { reference, dueInMs, tries: 0, lastError: undefined, accepted: true, ...charged },
      detail: { reference, ...charged },
    });
  } catch (error) {
    // By its name, because a store of the caller's may have the class from the other module format.
    if (nameOfThrown(error) !== 'DuplicateReferenceError') throw error;
    return moveOrder(runtime, order, {
      event: 'review',
      change: { lastError: describeError(error), dueInMs: undefined, doubted: true },
      detail: { reference, error: describeError(error) },
    });
  }
  if (!moved) return undefined;
  lookUps.later(order.id, dueInMs);
  // The webhook may have come before the reference was stored. A worker looks for those of several orders at once; a buyer waits for the outcome.
  if (dueOnly && lookUps.settleSoon()) return moved;
  try {
    if (await applyKeptEvent(runtime, { reference, orderId: order.id })) return await store.find(order.id);
  } catch (error) {
    // The purchase is stored. The sweep deals with the kept webhook again.
    callSafely(() => onError(error, order.id));
  }
  return moved;
}

async function failed<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  error: unknown,
): Promise<Order | undefined> {
  const { event, dueInMs, doubted } = afterFailedAttempt(error, order, runtime.policy, runtime.random());
  const lastError = describeError(error);
  const change: OrderChange = {
    lastError,
    dueInMs,
    tries: event === 'hold' ? order.tries : order.tries + 1,
    ...(doubted && { doubted }),
  };
  const moved = await refusedSafely(runtime, order, { event, change, detail: { error: lastError } });
  // While the account is at fault the sweep chooses the order that tries next.
  if (moved?.dueAt && event !== 'hold') await requestStep(runtime, { type: 'order', id: order.id }, dueInMs);
  return moved;
}

/** As `moveOrder`; where the hook `refused` throws, the order is placed again, because nothing was charged, and ends later. */
async function refusedSafely<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  move: Move,
): Promise<Order | undefined> {
  try {
    return await moveOrder(runtime, order, move);
  } catch (error) {
    if (move.event !== 'refuse') throw error;
    callSafely(() => runtime.onError(error, order.id));
    const lastError = describeError(error);
    return moveOrder(runtime, order, {
      event: 'defer',
      change: { ...move.change, lastError, dueInMs: backoffMs(order.tries + 1, 5000, runtime.random()) },
      detail: { error: lastError },
    });
  }
}
