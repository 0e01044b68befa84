import type { KnownWebhookEvent } from '../contract/events.js';
import type { Transaction } from '../contract/responses.js';
import { otherReferenceIn } from '../http/other-reference.js';
import { secretsInToken } from '../redaction/known-secrets.js';
import { createRedactor, patternRedactor } from '../redaction/redactor.js';
import { atMost } from '../utils/at-most.js';
import { describeError, nextLookMs } from './decide.js';
import type { Order, OrderHistoryDetail, StoredOrder } from './order.js';
import { moveOrder, type OrdersRuntime, requestStep } from './runtime.js';
import type { SettleableEvent } from './store.js';
import { bringsToken, storedToken, tokenText } from './tokens.js';

/** How long `on.foreign` may take before others go on without it, in ms. */
export const foreignMs = 30_000;

/** How a transaction ended, from a webhook or a status lookup. */
export interface Settlement {
  readonly outcome: 'success' | 'failed';
  readonly token: string | undefined;
  /** A webhook had a token that was not kept with it. */
  readonly tokenWithheld?: boolean;
  readonly source: NonNullable<OrderHistoryDetail['source']>;
}

/** Ends an accepted order as its transaction ended. Undefined where the order has moved on, or where a look is needed first. */
export async function settleOrder<Client>(
  runtime: OrdersRuntime<Client>,
  order: StoredOrder,
  { outcome, token, tokenWithheld = false, source }: Settlement,
): Promise<Order | undefined> {
  if (outcome === 'failed') {
    return moveOrder(runtime, order, {
      event: 'fail',
      detail: { source },
    });
  }
  // A webhook need not carry the token: the status lookup has it, and the hook gets it only once.
  if (source === 'webhook' && token === undefined && (tokenWithheld || bringsToken(order))) {
    if (order.state === 'accepted') await lookUpSoon(runtime, order);
    else await noteWithoutToken(runtime, order);
    return undefined;
  }
  return moveOrder(runtime, order, {
    event: 'deliver',
    token,
    change: token === undefined ? {} : { token: await storedToken(token, runtime.tokens) },
    detail: { source },
  });
}

/** Orders that wait for a person are not looked up: `orders.retry` does that. */
async function noteWithoutToken<Client>(
  { store }: OrdersRuntime<Client>,
  { id, state, attempt }: StoredOrder,
): Promise<void> {
  const note = 'the webhook tells of a success without its token; retry looks it up';
  await store.update({ id, state, attempt }, {}, { event: 'note', detail: { source: 'webhook', note } });
}

async function lookUpSoon<Client>(runtime: OrdersRuntime<Client>, order: StoredOrder): Promise<void> {
  const { id, state, attempt } = order;
  const due = await runtime.store.update({ id, state, attempt }, { dueInMs: 0 }, undefined);
  if (due) await requestStep(runtime, { type: 'order', id });
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
  { event, data: { token } }: KnownWebhookEvent,
  tokenWithheld = false,
): Promise<void> {
  await settleOrder(runtime, order, {
    outcome: event === 'transaction.completed' ? 'success' : 'failed',
    token: tokenText(token),
    tokenWithheld,
    source: 'webhook',
  });
}

/** Applies a kept webhook to its order, or hands it to `on.foreign` where it belongs to none. Gives whether there was one. */
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

/** Looks an accepted order up, and settles it where its transaction has ended. */
export async function lookUp<Client>(runtime: OrdersRuntime<Client>, order: StoredOrder): Promise<void> {
  const { store, policy } = runtime;
  const { id, state, attempt, reference, tries } = order;
  if (reference === undefined) return;
  const dueInMs = nextLookMs(tries, policy, runtime.random());
  // Taken before the look, so that of several workers one looks.
  const guard = { id, state, attempt, due: true };
  const taken = await store.update(guard, { tries: tries + 1, dueInMs }, undefined);
  if (!taken) return;
  let open = true;
  // What is stored and thrown may quote a statement of a hook, and so the token that the hook was given.
  let redactor = patternRedactor;
  try {
    const transaction = await statusOf(runtime, reference);
    redactor = createRedactor(secretsInToken(tokenText(transaction.token)));
    open = await applyLookup(runtime, taken, transaction);
  } catch (error) {
    await store.update({ id, state, attempt }, { lastError: describeError(error, redactor) }, undefined);
    throw redactor === patternRedactor ? error : redactor.cause(error);
  } finally {
    if (open) await requestStep(runtime, { type: 'order', id }, dueInMs);
  }
}

/** What a look shows of a transaction. */
type SeenTransaction = Pick<Transaction, 'reference'> &
  Partial<Pick<Transaction, 'transaction_status' | 'token' | 'refunded'>>;

/** The state of a transaction. A client refuses a response about another one, which is a case of its own here. */
async function statusOf<Client>(
  { billpay }: OrdersRuntime<Client>,
  reference: string,
): Promise<SeenTransaction> {
  try {
    return await billpay.transactions.status(reference);
  } catch (error) {
    const other = otherReferenceIn(error, reference);
    if (other === undefined) throw error;
    return { reference: other };
  }
}

/** Whether the order is still open after the look. */
async function applyLookup<Client>(
  runtime: OrdersRuntime<Client>,
  order: StoredOrder,
  { reference, transaction_status: status, token, refunded }: SeenTransaction,
): Promise<boolean> {
  const { id, state, attempt } = order;
  if (reference !== undefined && reference !== order.reference) {
    const message = `The lookup of ${order.reference} returned the transaction ${reference}.`;
    const error = { name: 'UnexpectedResponseError', message };
    await moveOrder(runtime, order, {
      event: 'review',
      // It was accepted, so it was charged, whatever a later attempt meets.
      change: { lastError: error, dueInMs: undefined, doubted: true },
      detail: { error },
    });
    return false;
  }
  if (status === 'success') {
    await settleOrder(runtime, order, { outcome: 'success', token: tokenText(token), source: 'status' });
    return false;
  }
  // Only `true` says that the money is back, not a text such as "false".
  if (status === 'failed' && refunded === true) {
    await settleOrder(runtime, order, { outcome: 'failed', token: undefined, source: 'status' });
    return false;
  }
  if (status === 'failed' && !order.awaitingRefund) {
    const note = { source: 'status', note: 'failed; the refund has not been seen' } as const;
    await runtime.store.update(
      { id, state, attempt },
      { awaitingRefund: true },
      { event: 'look', detail: note },
    );
  }
  return true;
}
