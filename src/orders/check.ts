import type { Transaction } from '../contract/responses.js';
import { UnexpectedResponseError } from '../errors/call-errors.js';
import { createRedactor, patternRedactor, secretsInToken } from '../redaction.js';
import { checkWaitMs, describeError } from './decide.js';
import type { Order, OrderError } from './order.js';
import { moveOrder, type OrdersRuntime, once } from './runtime.js';
import { settleOrder } from './settle.js';
import { tokenText } from './tokens.js';

/** One status check of an accepted order that is due: settles it where its transaction has ended. Returns the order as it is then. */
export async function checkOrder<Client>(runtime: OrdersRuntime<Client>, order: Order): Promise<Order> {
  const checked = await once(runtime, order.id, () => check(runtime, order));
  return checked ?? (await runtime.store.find(order.id)) ?? order;
}

async function check<Client>(runtime: OrdersRuntime<Client>, order: Order): Promise<Order | undefined> {
  const { store, settleWithin } = runtime;
  const { id, state, attempt, reference, tries, acceptedForMs } = order;
  if (reference === undefined) return undefined;
  const wait = checkWaitMs(tries + 1, runtime, await runtime.accepted(), Math.random());
  const left = settleWithin - acceptedForMs;
  const dueInMs = left > 0 ? Math.min(wait, left) : wait;
  // Taken before the check, so that of several workers one asks.
  const taken = await store.update(
    { id, state, attempt, due: true },
    { tries: tries + 1, dueInMs },
    undefined,
  );
  if (!taken) return undefined;
  // What is stored and thrown may quote a statement of a hook, and so the token that the hook was given.
  let redactor = patternRedactor;
  let lastError: OrderError | undefined;
  let isOpen = true;
  try {
    const transaction = await statusOf(runtime, reference);
    redactor = createRedactor(secretsInToken(tokenText(transaction.token)));
    isOpen = await apply(runtime, taken, transaction);
  } catch (error) {
    lastError = describeError(error, redactor);
    await store.update({ id, state, attempt }, { lastError }, undefined);
    throw redactor === patternRedactor ? error : redactor.cause(error);
  } finally {
    if (isOpen && left <= 0) await reviewUnsettled(runtime, taken, lastError);
  }
  return isOpen && left > 0 ? taken : store.find(id);
}

/** An order that stays without an end for too long needs a person, who can see what the service knows of it. */
async function reviewUnsettled<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
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
    change: { lastError, dueInMs: undefined, mayHaveCharged: true },
    detail: { error: lastError },
  });
}

/** What a status check shows of a transaction. */
type CheckedTransaction = Pick<Transaction, 'reference'> &
  Partial<Pick<Transaction, 'transaction_status' | 'token' | 'refunded' | 'amount_charged' | 'commission'>>;

/** The state of a transaction. A client refuses a response about another one, which is a case of its own here. */
async function statusOf<Client>(
  { billpay }: OrdersRuntime<Client>,
  reference: string,
): Promise<CheckedTransaction> {
  try {
    return await billpay.transactions.status(reference);
  } catch (error) {
    const other = error instanceof UnexpectedResponseError ? error.otherReference : undefined;
    if (other === undefined) throw error;
    return { reference: other };
  }
}

/** Whether the order is still open, and due as it was stored before the check. */
async function apply<Client>(
  runtime: OrdersRuntime<Client>,
  order: Order,
  transaction: CheckedTransaction,
): Promise<boolean> {
  const { id, state, attempt } = order;
  const { reference, transaction_status: status, token, refunded } = transaction;
  const { amount_charged: amountCharged, commission } = transaction;
  if (reference !== undefined && reference !== order.reference) {
    const message = `The status check of ${order.reference} returned the transaction ${reference}.`;
    const error = { name: 'UnexpectedResponseError', message };
    await moveOrder(runtime, order, {
      event: 'review',
      // It was accepted, so it was charged, whatever a later attempt ends in.
      change: { lastError: error, dueInMs: undefined, mayHaveCharged: true },
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
    const detail = { source: 'status', note: 'failed; the refund has not been seen' } as const;
    await runtime.store.update({ id, state, attempt }, { awaitingRefund: true }, { event: 'check', detail });
  }
  return true;
}
