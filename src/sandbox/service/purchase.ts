import type { Client } from './clients.js';
import { type Order, priceOf } from './order.js';
import { failure, proxyPage, success } from './responses.js';
import type { Route } from './routes.js';
import type { ServiceState } from './service-state.js';
import { scheduleSettlement } from './settlement.js';
import { wireTime } from './time-format.js';
import { acceptance, type Transaction } from './transactions.js';
import { done, type TriggerEffect, type Work, type WorkResult } from './work.js';

export function purchase(
  state: ServiceState,
  client: Client,
  route: Route,
  order: Order,
  effect: TriggerEffect | undefined,
): Work {
  const { keys } = client;
  const key = order.idempotency_key;
  const transaction = keys.get(key);
  if (transaction === 'in flight') {
    return done({
      response: failure(409, 'ALREADY_PROCESSING', 'A request with this idempotency_key is still in flight.'),
    });
  }
  if (transaction)
    return done({ response: success(202, acceptance(transaction)), transaction, replayed: true });
  let bought: Transaction | undefined;
  keys.set(key, 'in flight');
  return {
    isNew: true,
    run: () => {
      const result = buy(state, client, route, order, effect);
      bought = result.transaction;
      return result;
    },
    // A request that bought nothing leaves its key free.
    end: () => {
      if (bought) keys.set(key, bought);
      else keys.delete(key);
    },
  };
}

function buy(
  state: ServiceState,
  client: Client,
  route: Route,
  order: Order,
  effect: TriggerEffect | undefined,
): WorkResult {
  const { product } = route.operation;
  if (product === undefined) throw new Error(`${route.name} sells nothing`);
  const price = priceOf(order, product, state.catalogue);
  if (!price.ok) return price;
  if (effect === 'provider unavailable') {
    return { response: failure(503, 'PROVIDER_UNAVAILABLE', 'This biller cannot be served now.') };
  }
  if (effect === 'queue unavailable') {
    return { response: failure(503, 'QUEUE_UNAVAILABLE', 'The purchase could not be accepted.') };
  }
  const { amount } = price;
  if (!client.wallet.covers(amount)) {
    return {
      response: failure(402, 'INSUFFICIENT_BALANCE', 'The wallet balance cannot cover this purchase.'),
    };
  }

  const acceptedAt = state.clock.date();
  const now = acceptedAt.getTime();
  const at = wireTime(now);
  const settlesByItself = state.settleAfter !== 'manual' && effect !== 'stays pending';
  const transaction: Transaction = {
    reference: state.ids.reference(),
    clientId: client.clientId,
    operation: route.name,
    product,
    biller: order.biller,
    recipient: order.recipient,
    product_code: order.product_code,
    quantity: order.quantity,
    meter_type: order.meter_type,
    idempotency_key: order.idempotency_key,
    amount,
    status: 'pending',
    token: null,
    refunded: false,
    created_at: at,
    updated_at: at,
    completed_at: undefined,
    acceptedAt,
    settledAt: undefined,
    settlesAt: settlesByItself ? new Date(now + Number(state.settleAfter)) : undefined,
    settlesAs: effect === 'settles as failed' ? 'failed' : 'success',
  };
  state.changes.commit(() => {
    const entry = client.wallet.debit(amount, transaction, acceptedAt);
    state.transactions.add(transaction);
    return [
      { type: 'wallet', clientId: client.clientId, entry },
      { type: 'transaction', change: 'accepted', transaction },
    ];
  });
  scheduleSettlement(state, transaction);
  return afterDebit(transaction, effect);
}

/** The response to a purchase that was debited: as documented, or as its trigger defines. */
function afterDebit(transaction: Transaction, effect: TriggerEffect | undefined): WorkResult {
  if (effect === 'error after the debit') {
    return { response: failure(500, 'GATEWAY_ERROR', 'An unexpected failure occurred.'), transaction };
  }
  if (effect === 'proxy page') return { response: proxyPage(), transaction };
  return { response: success(202, acceptance(transaction)), transaction, closed: effect === 'response lost' };
}
