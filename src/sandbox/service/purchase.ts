import { toKobo, toNaira } from '../../contract/money.js';
import { defaultQuantity, type MeterType, type Product } from '../../contract/vocabulary.js';
import type { SettlementOutcome } from '../records/objects.js';
import { type Catalogue, hasCatalogue, unknownBiller } from './catalogue.js';
import type { Client } from './clients.js';
import type { Route } from './request.js';
import {
  done,
  failure,
  type HttpResponse,
  proxyPage,
  success,
  type TriggerEffect,
  type Work,
  type WorkResult,
} from './responses.js';
import type { ServiceState } from './service-state.js';
import { acceptance, type Transaction, wireTime } from './transactions.js';

/** The checked fields of a purchase. */
export interface Order {
  readonly biller: string;
  readonly recipient: string;
  readonly idempotency_key: string;
  readonly product_code: string | undefined;
  readonly amount: number | undefined;
  readonly quantity: number;
  readonly meter_type: MeterType | undefined;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

export function readOrder(params: Readonly<Record<string, unknown>>): Order {
  const meterType = params['meter_type'];
  return {
    biller: text(params['biller']),
    recipient: text(params['recipient']),
    idempotency_key: text(params['idempotency_key']),
    product_code: params['product_code'] === undefined ? undefined : text(params['product_code']),
    amount: number(params['amount']),
    quantity: number(params['quantity']) ?? defaultQuantity,
    meter_type: meterType === 'prepaid' || meterType === 'postpaid' ? meterType : undefined,
  };
}

/** Takes the key of an order; the work on it charges at most once, and frees a key under which nothing was bought. */
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

/** The price of an order in NGN, or why it cannot be sold. */
type Price =
  | { readonly ok: true; readonly amount: number }
  | { readonly ok: false; readonly response: HttpResponse };

/** The catalogue's price (times the quantity), or the face value where there is no catalogue. */
function priceOf(order: Order, product: Product, catalogue: Catalogue): Price {
  if (!catalogue.serves(product, order.biller)) return { ok: false, response: unknownBiller(order.biller) };
  if (!hasCatalogue(product)) return { ok: true, amount: toNaira(toKobo(order.amount ?? 0)) };

  const code = order.product_code ?? '';
  const listed = catalogue.product(product, order.biller, code);
  if (!listed) {
    return {
      ok: false,
      response: failure(422, 'GATEWAY_ERROR', `Unknown product_code for this biller: ${code}.`),
    };
  }
  if (order.amount !== undefined && order.amount !== listed.amount) {
    return {
      ok: false,
      response: failure(422, 'AMOUNT_MISMATCH', `The listed price of ${code} is ${listed.amount} NGN.`),
    };
  }
  return { ok: true, amount: toNaira(toKobo(listed.amount) * order.quantity) };
}

/** The response to a purchase that was debited: as documented, or as its trigger defines. */
function afterDebit(transaction: Transaction, effect: TriggerEffect | undefined): WorkResult {
  if (effect === 'error after the debit') {
    return { response: failure(500, 'GATEWAY_ERROR', 'An unexpected failure occurred.'), transaction };
  }
  if (effect === 'proxy page') return { response: proxyPage(), transaction };
  return { response: success(202, acceptance(transaction)), transaction, closed: effect === 'response lost' };
}

/** What the transaction delivers on success: electricity's token, whatever the kind of meter, education's PINs, else nothing. */
function tokenFor(transaction: Transaction, { ids }: ServiceState): string | null {
  const { product, reference } = transaction;
  if (product === 'electricity') return ids.meterToken(reference);
  if (product === 'edu') return ids.pins(transaction.biller.toUpperCase(), reference, transaction.quantity);
  return null;
}

/**
 * Brings a pending transaction to its final state: a failed one is refunded before its webhook is sent. Resolves after the
 * webhook's first attempt; does nothing to a transaction that is final already.
 */
export async function settle(
  state: ServiceState,
  transaction: Transaction,
  outcome: SettlementOutcome,
): Promise<void> {
  if (transaction.status !== 'pending') return;
  const client = state.clients.byId(transaction.clientId);
  if (!client) return;
  const now = state.clock.date();

  state.changes.commit(() => {
    state.transactions.settle(transaction, outcome, now);
    const settled = { type: 'transaction', change: 'settled', transaction } as const;
    if (outcome === 'success') {
      transaction.token = tokenFor(transaction, state);
      return [settled];
    }
    const entry = client.wallet.refund(transaction.amount, transaction, now);
    transaction.refunded = true;
    return [settled, { type: 'wallet', clientId: client.clientId, entry }];
  });
  await state.announce(client, transaction);
}

/** Settles a pending transaction when its time has come. */
export function scheduleSettlement(state: ServiceState, transaction: Transaction): void {
  const { settlesAt, settlesAs } = transaction;
  if (!settlesAt) return;
  state.clock.schedule(settlesAt.getTime() - state.clock.now(), () => settle(state, transaction, settlesAs));
}
