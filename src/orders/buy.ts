import type { PurchaseItem } from '../contract/purchase-item.js';
import type { Purchase } from '../contract/responses.js';
import { nameOfThrown } from '../utils/unknown.js';
import type { AttemptOutcome } from './breaker.js';
import {
  afterFailedAttempt,
  backoffMs,
  describeError,
  isExhausted,
  nairaOf,
  purchaseOf,
  putOffMs,
} from './decide.js';
import type { Order, OrderError } from './order.js';
import {
  type Move,
  moveOrder,
  type OrderAt,
  type OrdersRuntime,
  once,
  report,
  resumeHeld,
} from './runtime.js';
import type { OrderChange } from './store.js';

/** How much later than the others an order is due whose own attempt the account refused, in ms. */
const behindMs = 1000;

/**
 * One attempt to buy an order under its id. Returns the order in its new state; where another process has it, or has moved it on, the order
 * as it then is. An attempt of this same process is waited for.
 *
 * @param dueOnly - only where the order is due: for workers. A buyer who asks for it now need not wait for a backoff.
 */
export async function buyOrder<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  dueOnly: boolean,
): Promise<Order> {
  const moved = await once(runtime, order.id, async () => {
    const ended = await endWithoutAttempt(runtime, order, dueOnly);
    if (ended) return ended;
    return runtime.breaker.admits(order) ? buyAdmitted(runtime, order, dueOnly) : putOff(runtime, order);
  });
  return moved ?? (await runtime.store.find(order.id)) ?? order;
}

/** Ends an order whose time to be bought is over, and sends one to review whose limits are used up. */
async function endWithoutAttempt<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  dueOnly: boolean,
): Promise<Order | undefined> {
  const { state, mayHaveCharged, expiresInMs } = order;
  if (expiresInMs !== undefined && expiresInMs <= 0 && !mayHaveCharged && state !== 'buying') {
    return moveOrder(runtime, order, { event: 'expire', detail: { note: 'expireAfter is over' } });
  }
  const overtakes = state === 'buying';
  if (state === 'placed' || !isExhausted({ ...order, tries: triesAt(order) }, runtime)) return undefined;
  const lastError = order.lastError ?? interrupted;
  return moveOrder(runtime, order, {
    event: 'review',
    due: dueOnly || overtakes,
    change: { lastError, dueInMs: undefined, ...(overtakes && { mayHaveCharged: true as const }) },
    detail: { error: lastError },
  });
}

const interrupted: OrderError = {
  name: 'Error',
  message:
    'The process that was buying ended each time before it could store the outcome. Look for the idempotency_key in the history of the service.',
};

/** The attempts without progress, with the one whose process ended. */
const triesAt = ({ state, tries }: Pick<Order, 'state' | 'tries'>): number =>
  state === 'buying' ? tries + 1 : tries;

/** An order that the circuit breaker holds back waits until the next one is tried; its customer learns it from the state. */
async function putOff<Client>(runtime: OrdersRuntime<Client>, order: Order): Promise<Order | undefined> {
  const { breaker, store } = runtime;
  const { id, state, attempt, mayHaveCharged } = order;
  const change = {
    dueInMs: putOffMs(order, mayHaveCharged || state === 'buying', breaker.waitMs(), runtime),
    lastError: breaker.state()?.error ?? order.lastError,
  };
  if (state === 'placed') return moveOrder(runtime, order, { event: 'hold', change });
  return store.update({ id, state, attempt, due: state === 'buying' }, change, undefined);
}

/**
 * One attempt to buy an order that was never tried, without reading it first: the guard of its first change asks for all that must hold. Most
 * orders are bought so. Undefined for any other order, and while the circuit breaker, which looks at orders, is open.
 */
export async function buyFresh<Client>(
  runtime: OrdersRuntime<Client>,
  id: string,
): Promise<Order | undefined> {
  if (runtime.breaker.state() || runtime.underway.has(id)) return undefined;
  return once(runtime, id, async () => {
    const fresh = { id, state: 'placed', attempt: 0, tries: 0, mayHaveCharged: false } as const;
    const begun = await beginAttempt(runtime, fresh, { due: true, unexpired: true });
    return begun && finishAttempt(runtime, begun, begun);
  });
}

/** An attempt of an order that the circuit breaker lets through. Undefined where another process has it. */
async function buyAdmitted<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  dueOnly: boolean,
): Promise<Order | undefined> {
  return finishAttempt(runtime, order, await beginAttempt(runtime, order, { due: dueOnly }));
}

/** Sends the purchase of an order whose attempt has begun, and stores the outcome. */
async function finishAttempt<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  begun: Order | undefined,
): Promise<Order | undefined> {
  const outcome = begun && (await attempt(runtime, begun));
  const isFree = runtime.breaker.report(order, outcome);
  try {
    if (!begun || !outcome) return undefined;
    const moved =
      'purchase' in outcome
        ? await accept(runtime, begun, outcome.purchase)
        : await failed(runtime, begun, outcome.error);
    return moved ?? (await runtime.store.find(begun.id)) ?? begun;
  } finally {
    if (isFree) await resumeHeld(runtime).catch((error: unknown) => report(runtime.onError, error, order.id));
  }
}

function beginAttempt<Client>(
  runtime: OrdersRuntime<Client>,
  order: OrderAt & Pick<Order, 'tries'>,
  guard: Pick<Move, 'due' | 'unexpired'>,
): Promise<Order | undefined> {
  // A process that was buying may have sent its request, whatever became of it.
  const overtakes = order.state === 'buying';
  return moveOrder(runtime, order, {
    event: 'begin',
    ...guard,
    due: guard.due || overtakes,
    change: {
      attempt: order.attempt + 1,
      dueInMs: runtime.lease,
      ...(overtakes && { mayHaveCharged: true as const, tries: triesAt(order) }),
    },
  });
}

/** The waits within an attempt count too: one that expires is not sent later. */
async function attempt<Client>(
  { billpay, buyTimeout }: OrdersRuntime<Client>,
  { id, product, params, mayHaveCharged, expiresInMs = buyTimeout }: Order,
): Promise<AttemptOutcome> {
  const totalTimeout = mayHaveCharged
    ? buyTimeout
    : Math.max(1, Math.min(buyTimeout, Math.floor(expiresInMs)));
  try {
    const item = { product, params, idempotency_key: id } as PurchaseItem;
    return { purchase: await billpay.purchase(item, { totalTimeout, resume: mayHaveCharged }) };
  } catch (error) {
    return { error };
  }
}

async function accept<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  { reference, amount: given }: Pick<Purchase, 'reference'> & { readonly amount: unknown },
): Promise<Order | undefined> {
  const amount = nairaOf(given);
  const charged = amount === undefined ? {} : { amount };
  const dueInMs = runtime.checkAfter;
  try {
    return await moveOrder(runtime, order, {
      event: 'accept',
      change: { reference, dueInMs, tries: 0, lastError: undefined, accepted: true, ...charged },
      detail: { reference, ...charged },
    });
  } catch (error) {
    // By its name, because the store may come from the other module format.
    if (nameOfThrown(error) !== 'DuplicateReferenceError') throw error;
    const described = { ...describeError(error), reference };
    return moveOrder(runtime, order, {
      event: 'review',
      change: { lastError: described, dueInMs: undefined, mayHaveCharged: true },
      detail: { reference, error: described },
    });
  }
}

async function failed<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  error: unknown,
): Promise<Order | undefined> {
  const heldMs = runtime.breaker.waitMs();
  // After the others that are held, so that another one is tried next.
  const after = afterFailedAttempt(error, order, runtime, Math.random(), heldMs && heldMs + behindMs);
  const { event, dueInMs, mayHaveCharged } = after;
  const purchase = purchaseOf(error);
  // The service accepted it: only the rest of the response could not be used.
  if (purchase && event !== 'review') return accept(runtime, order, purchase);
  const lastError = describeError(error);
  const change: OrderChange = {
    lastError,
    dueInMs,
    tries: event === 'hold' ? order.tries : order.tries + 1,
    ...(mayHaveCharged && { mayHaveCharged }),
  };
  const detail = { error: lastError, ...(purchase && { reference: purchase.reference }) };
  return refusedSafely(runtime, order, { event, change, detail });
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
    report(runtime.onError, error, order.id);
    const lastError = describeError(error);
    return moveOrder(runtime, order, {
      event: 'defer',
      change: { ...move.change, lastError, dueInMs: backoffMs(order.tries + 1, 5000, Math.random()) },
      detail: { error: lastError },
    });
  }
}
