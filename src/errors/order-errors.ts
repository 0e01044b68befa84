import { BillPayError, brand } from './base.js';

/**
 * An id was placed again with another content. Nothing was stored or sent: one id is one order.
 *
 * @example
 * ```ts
 * if (error instanceof OrderConflictError) console.error(`${error.orderId} is taken: give the new order an id of its own`);
 * ```
 */
export class OrderConflictError extends BillPayError {
  static override readonly [brand]: string = 'OrderConflictError';
  declare readonly name: 'OrderConflictError';
  declare readonly code: 'ORDER_CONFLICT';
  /** The id of the order. */
  readonly orderId: string;

  constructor(orderId: string) {
    super(
      `Order '${orderId}' exists with another product or other parameters, and nothing was changed. Give a new order an id of its own.`,
      { code: 'ORDER_CONFLICT' },
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
export class OrderNotFoundError extends BillPayError {
  static override readonly [brand]: string = 'OrderNotFoundError';
  declare readonly name: 'OrderNotFoundError';
  declare readonly code: 'ORDER_NOT_FOUND';
  /** The id that was asked for. */
  readonly orderId: string;

  constructor(orderId: string) {
    super(`There is no order '${orderId}'. Place it first.`, { code: 'ORDER_NOT_FOUND' });
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
export class OrderStateError extends BillPayError {
  static override readonly [brand]: string = 'OrderStateError';
  declare readonly name: 'OrderStateError';
  declare readonly code: 'ORDER_STATE';
  /** The id of the order. */
  readonly orderId: string;
  /** The state that it is in. */
  readonly state: string;

  constructor(orderId: string, state: string, action: string) {
    super(`Order '${orderId}' is ${state}, and an order in this state cannot be ${action}.`, {
      code: 'ORDER_STATE',
    });
    this.orderId = orderId;
    this.state = state;
  }
}
