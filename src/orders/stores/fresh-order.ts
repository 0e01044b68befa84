import type { NewOrder, StoredOrder } from '../order.js';

/** An order as it is right after it was placed: due at once. */
export function freshOrder(
  { id, product, params, customer, run, expireAfterMs }: NewOrder,
  at: Date,
): StoredOrder {
  return {
    id,
    product,
    params,
    customer,
    run,
    state: 'placed',
    attempt: 0,
    doubted: false,
    doubtedForMs: 0,
    acceptedForMs: 0,
    expiresInMs: expireAfterMs,
    reference: undefined,
    amount: undefined,
    amountCharged: undefined,
    commission: undefined,
    settledAt: undefined,
    refunded: false,
    awaitingRefund: false,
    contradicted: false,
    token: undefined,
    lastError: undefined,
    tries: 0,
    createdAt: at,
    updatedAt: at,
    dueAt: at,
  };
}
