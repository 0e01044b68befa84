import { errorClass } from '../errors/base.js';
import { defineHidden } from '../utils/print.js';
import type { Order } from './order.js';

/**
 * An id was placed again with another content. Nothing was stored or sent: one id is one order.
 *
 * @example
 * ```ts
 * if (error instanceof OrderConflictError) console.error(`${error.orderId} is taken: give the new order an id of its own`);
 * ```
 */
export class OrderConflictError extends errorClass('OrderConflictError', 'ORDER_CONFLICT') {
  /** The id of the order. */
  readonly orderId: string;

  constructor(orderId: string) {
    super(
      `Order '${orderId}' exists with another product or other parameters, and nothing was changed. Give a new order an id of its own.`,
    );
    this.orderId = orderId;
  }
}

/**
 * There is no order of this id.
 *
 * @example
 * ```ts
 * if (error instanceof OrderNotFoundError) console.error(`place ${error.orderId} first`);
 * ```
 */
export class OrderNotFoundError extends errorClass('OrderNotFoundError', 'ORDER_NOT_FOUND') {
  /** The id that was asked for. */
  readonly orderId: string;

  constructor(orderId: string) {
    super(`There is no order '${orderId}'. Place it first.`);
    this.orderId = orderId;
  }
}

/**
 * The order's state does not allow this.
 *
 * @example
 * ```ts
 * if (error instanceof OrderStateError) console.error(`${error.orderId} is ${error.state} already`);
 * ```
 */
export class OrderStateError extends errorClass('OrderStateError', 'ORDER_STATE') {
  /** The id of the order. */
  readonly orderId: string;
  /** The state that it is in. */
  readonly state: string;

  constructor(orderId: string, state: string, action: string, why?: string) {
    const text = `Order '${orderId}' is ${state}, and an order in this state cannot be ${action}.`;
    super(why === undefined ? text : `${text} ${why}`);
    this.orderId = orderId;
    this.state = state;
  }
}

/**
 * The same product with the same parameters was placed shortly before under another id, for the same customer where one was given: probably
 * the customer tapped twice. Nothing was stored or sent.
 *
 * @example
 * ```ts
 * if (error instanceof DuplicateOrderError) {
 *   console.error(`show the customer the order ${error.order.id}, or place again with allowDuplicate: true`);
 * }
 * ```
 */
export class DuplicateOrderError extends errorClass('DuplicateOrderError', 'DUPLICATE_ORDER') {
  /** The id that was to be placed. */
  readonly orderId: string;
  /** The order that was placed before. */
  declare readonly order: Order;

  constructor(orderId: string, order: Order) {
    super(
      `Order '${orderId}' was not placed, because order '${order.id}' has the same content and was placed shortly before. Show the customer that order, or place this one with allowDuplicate: true.`,
    );
    this.orderId = orderId;
    // Its parameters belong to a customer: they are not printed with the error.
    defineHidden(this, 'order', order);
  }
}

/**
 * A webhook or status check reported another end of a transaction than its order has. Nothing was changed. A person must compare the order with the
 * history of the service: the customer may have got both the value and a refund, or neither.
 *
 * @example
 * ```ts
 * createOrders({ billpay, store, onError: (error) => {
 *   if (error instanceof ContradictoryEndError) console.error(`compare ${error.orderId} with the history of the service`);
 * } });
 * ```
 */
export class ContradictoryEndError extends errorClass('ContradictoryEndError', 'CONTRADICTORY_END') {
  /** The id of the order. */
  readonly orderId: string;
  /** How the order had ended. */
  readonly state: string;
  /** The end that was reported later. */
  readonly reported: string;

  constructor(orderId: string, state: string, reported: string) {
    super(
      `Order '${orderId}' has ended as ${state}, and was later reported as ${reported}. Nothing was changed. Compare the order with the history of the service.`,
    );
    this.orderId = orderId;
    this.state = state;
    this.reported = reported;
  }
}
