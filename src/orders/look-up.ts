import type { Transaction } from '../contract/responses.js';
import { UnexpectedResponseError } from '../errors/response-errors.js';
import { secretsInToken } from '../redaction/patterns.js';
import { createRedactor, patternRedactor } from '../redaction/redactor.js';
import { describeError, nextLookMs } from './decide.js';
import type { Order, OrderError, StoredOrder } from './order.js';
import { moveOrder, type OrdersRuntime, stepOnce } from './runtime.js';
import { settleOrder } from './settle.js';
import { tokenText } from './tokens.js';

/** Looks an accepted order up, and settles it where its transaction has ended. A look of this same process is waited for. */
export async function lookUp<Client>(runtime: OrdersRuntime<Client>, order: StoredOrder): Promise<void> {
  await stepOnce(runtime, order.id, () => look(runtime, order));
}

async function look<Client>(runtime: OrdersRuntime<Client>, order: StoredOrder): Promise<Order | undefined> {
  const { store, policy } = runtime;
  const { id, state, attempt, reference, tries, acceptedForMs } = order;
  if (reference === undefined) return undefined;
  const wait = nextLookMs(tries, policy, runtime.accepted, runtime.random());
  const left = policy.settleWithin - acceptedForMs;
  const dueInMs = left > 0 ? Math.min(wait, left) : wait;
  // Taken before the look, so that of several workers one looks.
  const guard = { id, state, attempt, due: true };
  const taken = await store.update(guard, { tries: tries + 1, dueInMs }, undefined);
  if (!taken) return undefined;
  // What is stored and thrown may quote a statement of a hook, and so the token that the hook was given.
  let redactor = patternRedactor;
  let lastError: OrderError | undefined;
  let isOpen = true;
  try {
    const transaction = await statusOf(runtime, reference);
    redactor = createRedactor(secretsInToken(tokenText(transaction.token)));
    isOpen = await applyLookup(runtime, taken, transaction);
  } catch (error) {
    lastError = describeError(error, redactor);
    await store.update({ id, state, attempt }, { lastError }, undefined);
    throw redactor === patternRedactor ? error : redactor.cause(error);
  } finally {
    if (isOpen && left <= 0) await reviewUnsettled(runtime, taken, lastError);
    else if (isOpen) runtime.lookUps.later(id, dueInMs);
  }
  return taken;
}

/** An order that stays without an end for too long needs a person, who can see what the service knows of it. */
async function reviewUnsettled<Client>(
  runtime: OrdersRuntime<Client>,
  order: StoredOrder,
  error: OrderError | undefined,
): Promise<void> {
  const lastError = error ?? {
    name: 'TimeoutError',
    message: order.awaitingRefund
      ? `The transaction ${order.reference} failed, and its refund was not seen within settleWithin.`
      : `The transaction ${order.reference} was not settled within settleWithin.`,
  };
  await moveOrder(runtime, order, {
    event: 'review',
    change: { lastError, dueInMs: undefined, doubted: true },
    detail: { error: lastError },
  });
}

/** What a look shows of a transaction. */
type SeenTransaction = Pick<Transaction, 'reference'> &
  Partial<Pick<Transaction, 'transaction_status' | 'token' | 'refunded' | 'amount_charged' | 'commission'>>;

/** The state of a transaction. A client refuses a response about another one, which is a case of its own here. */
async function statusOf<Client>(
  { billpay }: OrdersRuntime<Client>,
  reference: string,
): Promise<SeenTransaction> {
  try {
    return await billpay.transactions.status(reference);
  } catch (error) {
    const other = error instanceof UnexpectedResponseError ? error.otherReference : undefined;
    if (other === undefined) throw error;
    return { reference: other };
  }
}

/** Whether the order is still open after the look. */
async function applyLookup<Client>(
  runtime: OrdersRuntime<Client>,
  order: StoredOrder,
  transaction: SeenTransaction,
): Promise<boolean> {
  const { id, state, attempt } = order;
  const { reference, transaction_status: status, token, refunded } = transaction;
  const { amount_charged: amountCharged, commission } = transaction;
  if (reference !== undefined && reference !== order.reference) {
    const message = `The lookup of ${order.reference} returned the transaction ${reference}.`;
    const error = { name: 'UnexpectedResponseError', message };
    await moveOrder(runtime, order, {
      event: 'review',
      // It was accepted, so it was charged, whatever a later attempt ends in.
      change: { lastError: error, dueInMs: undefined, doubted: true },
      detail: { error },
    });
    return false;
  }
  const settlement = { source: 'status', token, amountCharged, commission } as const;
  if (status === 'success') {
    await settleOrder(runtime, order, { ...settlement, outcome: 'success' });
    return false;
  }
  // Only `true` says that the money is back, not a text such as "false".
  if (status === 'failed' && refunded === true) {
    await settleOrder(runtime, order, { ...settlement, outcome: 'failed' });
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
