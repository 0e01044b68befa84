import type { KnownWebhookEvent } from '../contract/events.js';
import { atMost } from '../utils/at-most.js';
import { callSafely } from '../utils/call-safely.js';
import { ContradictoryEndError } from './errors.js';
import type { Order, OrderHistoryDetail, StoredOrder } from './order.js';
import { moveOrder, type OrdersRuntime, requestStep } from './runtime.js';
import { isFinal } from './states.js';
import type { OrderChange, SettleableEvent } from './store.js';
import { bringsToken, hasLostDigits, storedToken, tokenText } from './tokens.js';

/** How long `on.foreign` may take before others continue without it, in ms. */
export const foreignMs = 30_000;

/** How a transaction ended, from a webhook or a status lookup. */
export interface Settlement {
  readonly outcome: 'success' | 'failed';
  /** As the service sent it. */
  readonly token: unknown;
  /** A webhook had a token that was not kept with it. */
  readonly tokenWithheld?: boolean;
  readonly source: NonNullable<OrderHistoryDetail['source']>;
  /** NGN that left the wallet, as the service sent it. */
  readonly amountCharged?: unknown;
  /** The commission in NGN, as the service sent it. */
  readonly commission?: unknown;
}

/**
 * Ends an accepted order as its transaction ended. Undefined where it has ended already, or where a look is needed first. An order that has
 * moved on since it was read is read again.
 */
export async function settleOrder<Client>(
  runtime: OrdersRuntime<Client>,
  order: StoredOrder,
  settlement: Settlement,
): Promise<Order | undefined> {
  const settled = await settleAsRead(runtime, order, settlement);
  if (settled) return settled;
  const now = await runtime.store.find(order.id);
  return now && now.state !== order.state ? settleOrder(runtime, now, settlement) : undefined;
}

async function settleAsRead<Client>(
  runtime: OrdersRuntime<Client>,
  order: StoredOrder,
  settlement: Settlement,
): Promise<Order | undefined> {
  const { outcome, source } = settlement;
  if (isFinal(order.state)) {
    if (contradicts(order, outcome)) await reportContradiction(runtime, order, settlement);
    return undefined;
  }
  // Its hook ran in part, and ran again it might do that part twice: a person decides.
  if (order.state === 'review' && order.settledAt) return undefined;
  if (outcome === 'failed') {
    return moveOrder(runtime, order, {
      event: 'fail',
      change: { ...settledBy(settlement), refunded: true },
      detail: { source },
    });
  }
  const token = tokenText(settlement.token);
  const isLost = hasLostDigits(settlement.token);
  // A webhook need not carry the token: the status lookup has it, and the hook gets it only once.
  const isWithheld = token === undefined && (settlement.tokenWithheld || bringsToken(order));
  if (source === 'webhook' && (isWithheld || isLost)) {
    if (order.state === 'accepted') await lookUpSoon(runtime, order);
    else await noteWithoutToken(runtime, order);
    return undefined;
  }
  if (isLost) return reviewToken(runtime, order);
  return moveOrder(runtime, order, {
    event: 'deliver',
    token,
    change: {
      ...settledBy(settlement),
      ...(token !== undefined && { token: await storedToken(token, runtime.tokens) }),
    },
    detail: { source },
  });
}

/** What is stored of a settlement besides the state. */
const settledBy = ({ amountCharged, commission }: Settlement): OrderChange => ({
  settled: true,
  ...(isNaira(amountCharged) && { amountCharged }),
  ...(isNaira(commission) && { commission }),
});

const isNaira = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const contradicts = ({ state }: StoredOrder, outcome: Settlement['outcome']): boolean =>
  outcome === 'success' ? state !== 'delivered' : state === 'delivered';

/** The same end reported again is no contradiction, and a contradiction is reported once. */
async function reportContradiction<Client>(
  { store, onError }: OrdersRuntime<Client>,
  { id, state, attempt, contradicted }: StoredOrder,
  { outcome, source }: Settlement,
): Promise<void> {
  if (contradicted) return;
  const error = new ContradictoryEndError(id, state, outcome === 'success' ? 'delivered' : 'failed');
  const { name, message } = error;
  const noted = await store.update(
    { id, state, attempt },
    { contradicted: true },
    { event: 'contradict', detail: { source, error: { name, message } } },
  );
  if (noted) callSafely(() => onError(error, id));
}

/** A token with other digits is worth nothing to the customer. */
function reviewToken<Client>(runtime: OrdersRuntime<Client>, order: StoredOrder): Promise<Order | undefined> {
  const error = {
    name: 'UnexpectedResponseError',
    message:
      'The token came as a number that cannot be read exactly. Look it up in the console of the service.',
  };
  return moveOrder(runtime, order, {
    event: 'review',
    change: { lastError: error, dueInMs: undefined, doubted: true },
    detail: { error },
  });
}

/** Orders that wait for a person are not looked up: `orders.retry` does that. */
async function noteWithoutToken<Client>(
  { store }: OrdersRuntime<Client>,
  { id, state, attempt }: StoredOrder,
): Promise<void> {
  const note = 'the webhook reports a success without its token; retry looks it up';
  await store.update({ id, state, attempt }, {}, { event: 'note', detail: { source: 'webhook', note } });
}

async function lookUpSoon<Client>(runtime: OrdersRuntime<Client>, order: StoredOrder): Promise<void> {
  const { id, state, attempt } = order;
  const due = await runtime.store.update({ id, state, attempt }, { dueInMs: 0 }, undefined);
  if (due && !runtime.lookUps.add(id, true)) await requestStep(runtime, { type: 'order', id });
}

/**
 * Applies a verified webhook. Its reference may not be stored yet, because the webhook can overtake the response of the purchase: then
 * it is kept until an order stores the reference, or until no open order can claim it any more.
 */
export async function applyEvent<Client>(
  runtime: OrdersRuntime<Client>,
  event: KnownWebhookEvent,
): Promise<void> {
  const { store } = runtime;
  const { reference } = event.data;
  const known = await store.findByReference(reference);
  if (known) return settleByEvent(runtime, known, event);
  await store.keepEvent({ reference, event: JSON.stringify(withoutToken(event)) });
  // Written first and looked for again: an order that stored its reference in between either saw the kept webhook or is seen here.
  const late = await store.findByReference(reference);
  if (late) {
    await settleByEvent(runtime, late, event);
    await store.dropEvent(reference);
    return;
  }
  for (const settleable of await store.settleableEvents(1, reference))
    await applyKeptEvent(runtime, settleable);
}

/** An event as it is kept: a token is not written down, but that there was one is. */
type EventWithoutToken = KnownWebhookEvent & { readonly token_withheld?: boolean };

const withoutToken = (event: KnownWebhookEvent) => ({
  ...event,
  data: { ...event.data, token: null },
  token_withheld: tokenText(event.data.token) !== undefined,
});

async function settleByEvent<Client>(
  runtime: OrdersRuntime<Client>,
  order: StoredOrder,
  { event, data: { token, amount } }: KnownWebhookEvent,
  tokenWithheld = false,
): Promise<void> {
  await settleOrder(runtime, order, {
    outcome: event === 'transaction.completed' ? 'success' : 'failed',
    token,
    tokenWithheld,
    source: 'webhook',
    amountCharged: amount,
  });
}

/** Applies a kept webhook to its order, or hands it to `on.foreign` where it belongs to none. Returns whether there was one. */
export async function applyKeptEvent<Client>(
  runtime: OrdersRuntime<Client>,
  { reference, orderId }: SettleableEvent,
  patienceMs = foreignMs,
): Promise<boolean> {
  const { store, hooks } = runtime;
  const kept = await store.keptEvent(reference);
  if (!kept) return false;
  const { token_withheld: tokenWithheld, ...event }: EventWithoutToken = JSON.parse(kept.event);
  const order = orderId === undefined ? undefined : await store.find(orderId);
  if (order) await settleByEvent(runtime, order, event, tokenWithheld);
  else
    await atMost(
      patienceMs,
      Promise.resolve(hooks.foreign?.(event)),
      'on.foreign took too long; a later sweep hands the webhook over again',
    );
  // Removed last: a process that ends before this deals with it again, and settling a second time changes nothing.
  await store.dropEvent(reference);
  return true;
}
