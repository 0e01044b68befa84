import type { OrderError, OrderHistoryDetail, OrderHistoryEntry, OrderInput, StoredOrder } from './order.js';
import type { OrderState } from './states.js';

/** Which order a change applies to. Where the order has moved on, the change does not happen. */
export interface OrderGuard {
  /** The id of the order. */
  readonly id: string;
  /** The state that the order must be in. */
  readonly state: OrderState;
  /** The attempt that the order must be at. */
  readonly attempt: number;
  /** Whether the order must be due by the clock of the store. */
  readonly due?: boolean;
}

/** What changes. What is left out stays; `undefined` clears. Times are relative, because the clock of the store counts. */
export interface OrderChange {
  /** The new state. */
  readonly state?: OrderState;
  /** The number of the new attempt. */
  readonly attempt?: number;
  /** Sets the mark of doubt, from now on. It is never taken away. */
  readonly doubted?: true;
  /** The reference that the service gave. */
  readonly reference?: string;
  /** NGN charged. */
  readonly amount?: number;
  /** Whether a failed sale waits for its refund. */
  readonly awaitingRefund?: boolean;
  /** The token or PIN, as it is to be stored. */
  readonly token?: string;
  /** The error of the last attempt. */
  readonly lastError?: OrderError | undefined;
  /** How often the step was tried in this state. */
  readonly tries?: number;
  /** ms from now until the order is due; undefined for never. */
  readonly dueInMs?: number | undefined;
}

/** A line of history to be written with a change; the store adds the time and the states. */
export interface OrderNote {
  /** What happened. */
  readonly event: OrderHistoryEntry['event'];
  /** What is known about it. */
  readonly detail?: OrderHistoryDetail;
}

/** A webhook that came before its reference was stored. */
export interface KeptEvent {
  /** The reference that the webhook names. */
  readonly reference: string;
  /** The verified event as JSON text, without its token. */
  readonly event: string;
}

/** Which orders `list` gives: newest first. */
export interface OrderQuery {
  /** Only orders in this state. */
  readonly state?: OrderState | undefined;
  /** Only orders that were placed at this time or later. */
  readonly since?: Date | undefined;
  /** At most so many. */
  readonly limit: number;
  /** Continue after this order: the last one of the page before. */
  readonly after?: Pick<StoredOrder, 'id' | 'createdAt'> | undefined;
}

/** Counts of orders. */
export interface StoredOrderStats {
  /** How many orders are in each state. */
  readonly count: Readonly<Record<OrderState, number>>;
  /** When the oldest order of each open state was placed. */
  readonly oldest: Readonly<Partial<Record<OrderState, Date>>>;
  /** How many failed sales wait for their refund. */
  readonly awaitingRefund: number;
  /** NGN charged for orders that were placed since midnight UTC, failed and refunded sales taken off. */
  readonly spentToday: number;
  /** How many webhooks wait for an order to store their reference. */
  readonly keptEvents: number;
}

/**
 * Where orders are stored. `postgresOrderStore`, `sqliteOrderStore` and `memoryOrderStore` make one; another database can be added
 * outside of this package. What an implementation must hold to:
 *
 * - Every method is atomic and durable when its promise resolves, or has changed nothing when it rejects.
 * - `update` changes an order only where the guard still holds at the moment of the change, and writes the history in the same step.
 *   Of two processes that hold the same guard, one gets the order and the other `undefined`.
 * - Given a `client`, a method works inside that transaction; without one it is a transaction of its own.
 * - All times are those of the database: `due`, `dueInMs` and `doubtedForMs` are measured by its clock.
 * - `reference` is unique over all orders: see `DuplicateReferenceError`.
 *
 * @typeParam Client - what hooks get to write within the transaction: a `pg` client, a SQLite database.
 */
export interface OrderStore<Client> {
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. */
  transaction<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Stores an order in state `placed`, due at once, unless its id is there; gives what is stored. */
  insert(order: OrderInput, client?: Client): Promise<{ order: StoredOrder; inserted: boolean }>;
  /** The order of an id. */
  find(id: string, client?: Client): Promise<StoredOrder | undefined>;
  /** The order of a reference. */
  findByReference(reference: string, client?: Client): Promise<StoredOrder | undefined>;
  /** Changes an order where its guard holds, and writes the history. Undefined where the order has moved on. */
  update(
    guard: OrderGuard,
    change: OrderChange,
    note: OrderNote | undefined,
    client?: Client,
  ): Promise<StoredOrder | undefined>;
  /** The ids of orders that are due: first those that were begun, then those that are placed or held; the longest due first. */
  due(limit: number): Promise<string[]>;
  /** Orders by state and time, newest first. Its cost must not grow with the number of finished orders when a state is given. */
  list(query: OrderQuery): Promise<StoredOrder[]>;
  /** The history of an order, oldest first. */
  history(id: string): Promise<OrderHistoryEntry[]>;
  /** Counts. */
  stats(): Promise<StoredOrderStats>;
  /** Keeps a webhook whose reference no order has yet; the first one for each reference. */
  keepEvent(event: KeptEvent): Promise<void>;
  /** The kept webhook of a reference. */
  keptEvent(reference: string): Promise<KeptEvent | undefined>;
  /** Removes a kept webhook that has been dealt with. */
  dropEvent(reference: string): Promise<void>;
  /**
   * Kept webhooks that can be dealt with, oldest first: an order has their reference, or none can claim it any more. An order can claim a
   * webhook while it is `buying` or `unknown`, or in `review` without a reference, and was so when the webhook came.
   *
   * @param reference - only this one.
   */
  settleableEvents(limit: number, reference?: string): Promise<SettleableEvent[]>;
}

/** A kept webhook that can be dealt with. */
export interface SettleableEvent {
  /** The reference that the webhook names. */
  readonly reference: string;
  /** The order that has the reference; undefined where the webhook belongs to no order here. */
  readonly orderId: string | undefined;
}

/**
 * Thrown by `update` when another order already has the reference. The order then goes to review: a service that gives one reference to
 * two orders needs a person.
 *
 * @example
 * ```ts
 * // In a store of your own, where the unique index on the reference refused an update:
 * throw new DuplicateReferenceError(reference);
 * ```
 */
export class DuplicateReferenceError extends Error {
  /** The class's name. */
  override readonly name = 'DuplicateReferenceError';

  constructor(reference: string) {
    super(`Another order already has the reference ${reference}.`);
  }
}
