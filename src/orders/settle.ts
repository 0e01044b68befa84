import type { KnownWebhookEvent } from '../contract/events.js';
import { RetryLaterError } from '../webhooks/errors.js';
import { nairaOf } from './decide.js';
import { ContradictoryEndError } from './errors.js';
import type { Order, OrderHistoryDetail } from './order.js';
import { moveOrder, type OrdersRuntime, report, requestStep } from './runtime.js';
import { isFinal } from './states.js';
import type { OrderChange } from './store.js';
import { bringsToken, hasLostDigits, storedToken, tokenText } from './tokens.js';

/** How a transaction ended, from a webhook or a status check. */
export interface Settlement {
  readonly outcome: 'success' | 'failed';
  /** As the service sent it. */
  readonly token: unknown;
  readonly source: NonNullable<OrderHistoryDetail['source']>;
  /** NGN that left the wallet, as the service sent it. */
  readonly amountCharged?: unknown;
  /** The commission in NGN, as the service sent it. */
  readonly commission?: unknown;
}

/**
 * Ends an accepted order as its transaction ended. Undefined where it has ended already, or where a status check is needed first. An order that has
 * moved on since it was read is read again.
 */
export async function settleOrder<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  settlement: Settlement,
): Promise<Order | undefined> {
  const settled = await settleAsRead(runtime, order, settlement);
  if (settled) return settled;
  const now = await runtime.store.find(order.id);
  return now && now.state !== order.state ? settleOrder(runtime, now, settlement) : undefined;
}

async function settleAsRead<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  settlement: Settlement,
): Promise<Order | undefined> {
  const { outcome, source } = settlement;
  if (isFinal(order.state)) {
    if (contradicts(order, outcome)) await reportContradiction(runtime, order, settlement);
    return undefined;
  }
  // Its hook ran in part, and ran again it might do that part twice: a person decides.
  if (order.state === 'review' && order.lastError?.name === 'TransactionEndedError') return undefined;
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
  const isMissing = token === undefined && bringsToken(order);
  if (source === 'webhook' && (isMissing || isLost)) {
    if (order.state === 'accepted') await checkSoon(runtime, order);
    else await noteWithoutToken(runtime, order);
    return undefined;
  }
  if (isLost)
    return reviewToken(
      runtime,
      order,
      'The token came as a number that cannot be read exactly. Look it up in the console of the service.',
    );
  if (isMissing) return awaitToken(runtime, order);
  return moveOrder(runtime, order, {
    event: 'deliver',
    token,
    change: {
      ...settledBy(settlement),
      ...(token !== undefined && { token: await storedToken(token, runtime) }),
    },
    detail: { source },
  });
}

/** What is stored of a settlement besides the state. */
function settledBy({ amountCharged, commission }: Settlement): OrderChange {
  const [charged, earned] = [nairaOf(amountCharged), nairaOf(commission)];
  return {
    settled: true,
    ...(charged !== undefined && { amountCharged: charged }),
    ...(earned !== undefined && { commission: earned }),
  };
}

const contradicts = ({ state }: Order, outcome: Settlement['outcome']): boolean =>
  outcome === 'success' ? state !== 'delivered' : state === 'delivered';

/** The same end reported again is no contradiction, and a contradiction is reported once. */
async function reportContradiction<Client>(
  { store, onError }: OrdersRuntime<Client>,
  { id, state, attempt, contradicted }: Order,
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
  if (noted) report(onError, error, id);
}

/** How long a success may be without its token before a person must look, in ms. */
const tokenWithinMs = 600_000;
/** The longest wait between two status checks for a token, in ms. */
const tokenCheckMs = 60_000;

/** The service may report a success a moment before its token is there: the order is checked again before it is delivered. */
async function awaitToken<Client>(runtime: OrdersRuntime<Client>, order: Order): Promise<Order | undefined> {
  const { id, state, attempt, reference, settledAt, updatedAt } = order;
  if (state !== 'accepted') return undefined;
  // The order was just stored, so that its last change is now by the clock of the store.
  const left = tokenWithinMs - (settledAt ? updatedAt.getTime() - settledAt.getTime() : 0);
  if (left > 0) {
    const note = 'success; the token has not been seen';
    return runtime.store.update(
      { id, state, attempt },
      { settled: true, dueInMs: Math.min(tokenCheckMs, left) },
      settledAt ? undefined : { event: 'check', detail: { source: 'status', note } },
    );
  }
  return reviewToken(
    runtime,
    order,
    `The transaction ${reference} succeeded, and its token did not come within ten minutes. Look it up in the console of the service and give it to resolve, or retry to check once more.`,
  );
}

/** A success without its token, or with other digits, is worth nothing to the customer. */
function reviewToken<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  message: string,
): Promise<Order | undefined> {
  const error = { name: 'UnexpectedResponseError', message };
  return moveOrder(runtime, order, {
    event: 'review',
    change: { lastError: error, dueInMs: undefined, mayHaveCharged: true },
    detail: { error },
  });
}

/** Orders that wait for a person are not checked: `orders.retry` does that. */
async function noteWithoutToken<Client>(
  { store }: OrdersRuntime<Client>,
  { id, state, attempt }: Order,
): Promise<void> {
  const note = 'the webhook reports a success without its token; retry checks it';
  await store.update({ id, state, attempt }, {}, { event: 'note', detail: { source: 'webhook', note } });
}

async function checkSoon<Client>(runtime: OrdersRuntime<Client>, order: Order): Promise<void> {
  const { id, state, attempt } = order;
  const due = await runtime.store.update({ id, state, attempt }, { dueInMs: 0 }, undefined);
  if (due) await requestStep(runtime, due);
}

/** How long the service delivers an event again, in ms, with an hour to spare: the time of an older one is of another clock. */
const longestDeliveryMs = 33 * 3_600_000;
/** How far the clocks of the service and of the store may be apart, in ms. */
const clockSkewMs = 300_000;

/**
 * Applies a verified webhook. Its reference may not be stored yet, because the webhook can overtake the response of the purchase: while some
 * order may have it, the service is asked to deliver it again. What belongs to no order goes to `on.unmatched`.
 *
 * @throws `RetryLaterError` while an order may still turn out to have the reference.
 */
export async function applyEvent<Client>(
  runtime: OrdersRuntime<Client>,
  event: KnownWebhookEvent,
): Promise<void> {
  const { store, on } = runtime;
  const { reference } = event.data;
  const known = await store.findByReference(reference);
  if (known) return settleByEvent(runtime, known, event);
  if (await store.awaitsReference(placedBefore(event)))
    throw new RetryLaterError('An order that is being bought or is unknown may have this reference.');
  // An order may have stored it since it was looked for.
  const stored = await store.findByReference(reference);
  if (stored) return settleByEvent(runtime, stored, event);
  await on.unmatched?.({ ...event, data: { ...event.data, token: null } });
}

/** Orders that were placed later cannot have caused the event; undefined where its time is not of this day. */
function placedBefore({ timestamp }: KnownWebhookEvent): Date | undefined {
  const at = Date.parse(timestamp);
  return Math.abs(Date.now() - at) < longestDeliveryMs ? new Date(at + clockSkewMs) : undefined;
}

async function settleByEvent<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  { event, data: { token } }: KnownWebhookEvent,
): Promise<void> {
  const outcome = event === 'transaction.completed' ? 'success' : 'failed';
  await settleOrder(runtime, order, { outcome, token, source: 'webhook' });
}
