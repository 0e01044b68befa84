import type { PurchaseItem } from '../contract/purchase-item.js';
import type { Purchase } from '../contract/responses.js';
import { callSafely } from '../utils/call-safely.js';
import { afterFailedAttempt, backoffMs, describeError } from './decide.js';
import type { Order, StoredOrder } from './order.js';
import { type Move, moveOrder, type OrderAt, type OrdersRuntime, requestStep } from './runtime.js';
import { applyKeptEvent } from './settle.js';
import { DuplicateReferenceError, type OrderChange } from './store.js';

/**
 * One attempt to buy an order under its id. Gives the order in its new state; where another process has it, or has moved it on, the
 * order as it then stands.
 *
 * @param dueOnly - only where the order is due: for workers. A buyer who asks for it now need not wait for a backoff.
 */
export async function buyOrder<Client>(
  runtime: OrdersRuntime<Client>,
  order: StoredOrder,
  dueOnly: boolean,
): Promise<Order> {
  const begun = await beginAttempt(runtime, order, dueOnly);
  if (!begun) return (await runtime.store.find(order.id)) ?? order;
  return finishAttempt(runtime, begun);
}

/** The first attempt for an order that was only just placed. Gives whether it was still to be made. */
export async function buyPlaced<Client>(runtime: OrdersRuntime<Client>, id: string): Promise<boolean> {
  const begun = await beginAttempt(runtime, { id, state: 'placed', attempt: 0, doubted: false }, true);
  if (begun) await finishAttempt(runtime, begun);
  return begun !== undefined;
}

function beginAttempt<Client>(
  runtime: OrdersRuntime<Client>,
  order: OrderAt,
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
      ...(overtakes && { doubted: true as const }),
    },
  });
}

async function finishAttempt<Client>(runtime: OrdersRuntime<Client>, begun: Order): Promise<Order> {
  const outcome = await attempt(runtime, begun);
  const moved =
    'purchase' in outcome
      ? await accepted(runtime, begun, outcome.purchase)
      : await failed(runtime, begun, outcome.error);
  return moved ?? (await runtime.store.find(begun.id)) ?? begun;
}

async function attempt<Client>(
  { billpay, buyTimeout }: OrdersRuntime<Client>,
  { id, product, params, doubted }: Order,
): Promise<{ purchase: Purchase } | { error: unknown }> {
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
): Promise<Order | undefined> {
  const { policy, store, onError } = runtime;
  const dueInMs = policy.lookUpAfter;
  const charged = Number.isFinite(amount) ? { amount } : {};
  let moved: Order | undefined;
  try {
    moved = await moveOrder(runtime, order, {
      event: 'accept',
      change: { reference, dueInMs, tries: 0, lastError: undefined, ...charged },
      detail: { reference, ...charged },
    });
  } catch (error) {
    if (!(error instanceof DuplicateReferenceError)) throw error;
    return moveOrder(runtime, order, {
      event: 'review',
      change: { lastError: describeError(error), dueInMs: undefined, doubted: true },
      detail: { reference, error: describeError(error) },
    });
  }
  if (!moved) return undefined;
  await requestStep(runtime, { type: 'order', id: order.id }, dueInMs);
  try {
    // The webhook may have come before the reference was stored.
    if (await applyKeptEvent(runtime, { reference, orderId: order.id })) return await store.find(order.id);
  } catch (error) {
    // The purchase stands. The sweep deals with the kept webhook again.
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
  if (moved?.dueAt) await requestStep(runtime, { type: 'order', id: order.id }, dueInMs);
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
