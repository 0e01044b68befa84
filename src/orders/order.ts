import type { PurchaseItem } from '../contract/purchase-item.js';
import type { OrderEvent, OrderState } from './states.js';

/** What `orders.place` stores: one thing to buy, under the shop's own id. */
export type OrderInput = {
  [Item in PurchaseItem as Item['product']]: {
    /** Your own id of the order. It is also the `idempotency_key` of the purchase: one id, one charge. */
    readonly id: string;
    /** The product family. */
    readonly product: Item['product'];
    /** What `billpay[product].purchase` takes, without the key. */
    readonly params: Item['params'];
  };
}[PurchaseItem['product']];

/** An order that is to be stored: the checked copy of what was placed. */
export interface NewOrder
  extends Pick<Order, 'id' | 'product' | 'params'>,
    Partial<Pick<Order, 'customer' | 'run'>> {
  /** ms after which an order that was certainly never charged is no longer bought. */
  readonly expireAfterMs?: number | undefined;
}

/** The error of the last attempt, status check or hook: what happened and what to do, safe to print. */
export interface OrderError {
  /** The class, such as `ServerError`. */
  readonly name: string;
  /** The service's code, where there is one. */
  readonly code?: string | undefined;
  /** The HTTP status, where there was a response. */
  readonly status?: number | undefined;
  /** What happened, what it means for the money, and what to do. */
  readonly message: string;
  /** The reference that came with an error, such as that of another purchase under the same key: look it up in the console of the service. */
  readonly reference?: string | undefined;
}

/** An order. */
export interface Order {
  /** Your own id, also the `idempotency_key`. */
  readonly id: string;
  /** The product family. */
  readonly product: OrderInput['product'];
  /** The parameters of the purchase. */
  readonly params: OrderInput['params'];
  /** Who it is for, as `place` was given it. */
  readonly customer: string | undefined;
  /** The bulk run that it belongs to. */
  readonly run: string | undefined;
  /** Where the order stands. */
  readonly state: OrderState;
  /** How many attempts to buy were begun. It guards every change: a process that was overtaken changes nothing. */
  readonly attempt: number;
  /** Whether an attempt may have charged the wallet. Once true it stays so, and no later refusal ends the order. */
  readonly mayHaveCharged: boolean;
  /** How long ago an attempt first ended unknown, in ms by the clock of the store; 0 where none did. */
  readonly unknownForMs: number;
  /** How long ago the order was accepted, in ms by the clock of the store; 0 where it was not. */
  readonly acceptedForMs: number;
  /** How long the order may still wait to be bought, in ms by the clock of the store; undefined without `expireAfter`. */
  readonly expiresInMs: number | undefined;
  /** The service's reference, once accepted. */
  readonly reference: string | undefined;
  /** What the service charged in NGN, once accepted. */
  readonly amount: number | undefined;
  /** What left the wallet in NGN, as a status check reported it; `amount` is what the response to the purchase said. */
  readonly amountCharged: number | undefined;
  /** The commission in NGN, as a status check reported it. */
  readonly commission: number | undefined;
  /** When the store recorded that the service had accepted the purchase. */
  readonly acceptedAt: Date | undefined;
  /** When the store recorded how the transaction ended. */
  readonly settledAt: Date | undefined;
  /** Whether the purchase failed and its refund has been seen. */
  readonly refunded: boolean;
  /** Whether the purchase failed and its refund has not been seen. The order stays `accepted` until it is. */
  readonly awaitingRefund: boolean;
  /** Whether a webhook later reported another end than the order has. */
  readonly contradicted: boolean;
  /** The token or PIN as `storeTokens` or `encryptToken` asks for; by default its last four characters after `…`. */
  readonly token: string | undefined;
  /** Why the last attempt, status check or hook did not succeed. */
  readonly lastError: OrderError | undefined;
  /** Consecutive status checks or repeats without progress: the backoff counts them. */
  readonly tries: number;
  /** When the order was placed. */
  readonly createdAt: Date;
  /** When the order last changed. */
  readonly updatedAt: Date;
  /** When a worker continues with it; undefined where nothing is to be done. */
  readonly dueAt: Date | undefined;
  /** How long until then, in ms by the clock of the store: 0 or less where it is due. */
  readonly dueInMs: number | undefined;
}

/** The times that are stored of an order, and from which the rest is measured when it is read. */
export interface OrderTimes extends Pick<Order, 'dueAt' | 'acceptedAt'> {
  readonly unknownSince: Date | undefined;
  readonly expiresAt: Date | undefined;
}

/** What is measured of an order at a time, by the clock of its store. */
export type MeasuredOrder = Pick<
  Order,
  'mayHaveCharged' | 'unknownForMs' | 'acceptedForMs' | 'expiresInMs' | 'dueInMs'
>;

/** Measures an order at a time. */
export function measuredAt(
  at: Date,
  { dueAt, unknownSince, acceptedAt, expiresAt }: OrderTimes,
): MeasuredOrder {
  const since = (time: Date | undefined): number => (time ? Math.max(0, at.getTime() - time.getTime()) : 0);
  return {
    mayHaveCharged: unknownSince !== undefined || acceptedAt !== undefined,
    unknownForMs: since(unknownSince),
    acceptedForMs: since(acceptedAt),
    expiresInMs: expiresAt && expiresAt.getTime() - at.getTime(),
    dueInMs: dueAt && dueAt.getTime() - at.getTime(),
  };
}

/** One line of an order's history. */
export interface OrderHistoryEntry {
  /** When, by the clock of the store. */
  readonly at: Date;
  /** What happened. */
  readonly event: OrderEvent | 'place' | 'check' | 'note' | 'contradict';
  /** The state before. */
  readonly from: OrderState | undefined;
  /** The state after. */
  readonly to: OrderState;
  /** The attempt it belongs to; 0 before the first. */
  readonly attempt: number;
  /** The error of an attempt or status check, the reference of an acceptance, the note of a person. */
  readonly detail: OrderHistoryDetail | undefined;
}

/** What a line of history says beyond the states. */
export interface OrderHistoryDetail {
  /** The error of an attempt. */
  readonly error?: OrderError;
  /** The reference that the service gave. */
  readonly reference?: string;
  /** NGN charged. */
  readonly amount?: number;
  /** What a person wrote with `resolve`. */
  readonly note?: string;
  /** Whether a webhook or a status check brought it. */
  readonly source?: 'webhook' | 'status';
}
