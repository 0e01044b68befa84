import type { NewOrder, Order, OrderError, OrderHistoryDetail, OrderHistoryEntry } from './order.js';
import type { Lane, OrderState } from './states.js';

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
  /** Whether the time in which the order may be bought must not be over. */
  readonly unexpired?: boolean;
}

/** The fields of an order that a change sets as they are. */
type SetField =
  | 'state'
  | 'attempt'
  | 'reference'
  | 'amount'
  | 'amountCharged'
  | 'commission'
  | 'refunded'
  | 'awaitingRefund'
  | 'token'
  | 'tries';

/** What changes. What is left out stays; `undefined` clears. Times are relative, because the clock of the store counts. */
export type OrderChange = { readonly [Field in SetField]?: NonNullable<Order[Field]> } & {
  /** An attempt may have charged. It is never taken away, and the time of the first counts. */
  readonly mayHaveCharged?: true;
  /** Sets the time of acceptance to now. */
  readonly accepted?: true;
  /** Sets the time of settlement to now. */
  readonly settled?: true;
  /** Marks an order whose end was contradicted. It is never taken away. */
  readonly contradicted?: true;
  /** The error of the last attempt. */
  readonly lastError?: OrderError | undefined;
  /** ms from now until the order is due; undefined for never. */
  readonly dueInMs?: number | undefined;
};

/** A line of history to be written with a change; the store adds the time and the states. */
export interface OrderNote {
  /** What happened. */
  readonly event: OrderHistoryEntry['event'];
  /** What is known about it. */
  readonly detail?: OrderHistoryDetail;
}

/** A time range. Both ends may be left out. */
export interface TimeRange {
  /** From this time on. */
  readonly since?: Date | undefined;
  /** Before this time. */
  readonly until?: Date | undefined;
}

/** Which orders `list` returns: newest first. */
export interface OrderQuery extends TimeRange {
  /** Only orders in this state. */
  readonly state?: OrderState | undefined;
  /** Only orders of this bulk run. */
  readonly run?: string | undefined;
  /** Only orders for this recipient: the phone, card or meter number of the purchase. */
  readonly recipient?: string | undefined;
  /** Only the order of this reference. */
  readonly reference?: string | undefined;
  /** Only orders whose transaction was settled in this range. */
  readonly settled?: TimeRange | undefined;
  /** At most so many. */
  readonly limit: number;
  /** Continue after this order: the last one of the page before. */
  readonly after?: Pick<Order, 'id' | 'createdAt'> | undefined;
}

/** What `insert` found or stored. */
export interface PlacedOrder {
  /** The order of the id; with `duplicate`, the other order with the same content. */
  readonly order: Order;
  /** Whether it was stored by this call. */
  readonly inserted: boolean;
  /** Nothing was stored, because another order with the same content was placed shortly before. */
  readonly duplicate?: true;
}

/** Options of `insert`. */
export interface InsertOptions<Client> {
  /** The transaction to insert in. Default: one of its own. */
  readonly client?: Client | undefined;
  /**
   * Do not insert where another order with the same product, parameters and customer was placed within so many ms and is neither `refused` nor
   * `failed`. Check and insert are atomic over all processes. Default: off.
   */
  readonly duplicateWithinMs?: number | undefined;
}

/** Which orders `stats` counts, and of which of them `spent` is the sum: those of a range, or else of the run, or else of today. */
export interface StatsQuery extends TimeRange {
  /** Counts only the orders of this bulk run. */
  readonly run?: string | undefined;
  /** The time zone in which today began, such as `Africa/Lagos`. Default `UTC`. */
  readonly timeZone?: string | undefined;
}

/** Counts of orders. */
export interface StoredOrderStats {
  /** How many orders are in each state. */
  readonly count: Readonly<Record<OrderState, number>>;
  /** When the oldest order of each open state was placed. */
  readonly oldest: Readonly<Partial<Record<OrderState, Date>>>;
  /** How many failed purchases wait for their refund. */
  readonly awaitingRefund: number;
  /** How many orders have an end that a webhook later contradicted. */
  readonly contradicted: number;
  /** NGN charged for the orders of the query, or for those that were placed today, without those that failed or were refused. */
  readonly spent: number;
}

/**
 * Where orders are stored: in PostgreSQL, MySQL, SQLite or memory. What all four hold to:
 *
 * - Every method is atomic and durable when its promise resolves, or has changed nothing when it rejects.
 * - `update` changes an order only where the guard still holds at the moment of the change, and writes the history in the same step.
 *   Of two processes that hold the same guard, one gets the order and the other `undefined`.
 * - The store decides nothing: it knows no table of states. A change that its guard allows is made.
 * - History: the line `place` for each order that is inserted, one line for each `update` with a note, and no others. The event and the detail are
 *   those of the note; the store adds the time, the state before and after, and the attempt after the change.
 * - Given a `client`, a method works inside that transaction; without one it is a transaction of its own.
 * - All times are those of the database: what is due, and every field that ends in `Ms`.
 * - `createdAt` has no more than ms, so that a page continues after an order by its time and id, even if its row is gone.
 * - What a method returns belongs to the caller: a change of it changes nothing that is stored, and the reverse.
 * - A second `mayHaveCharged`, `accepted` or `settled` does not restart its clock. Neither `mayHaveCharged` nor `contradicted` is ever taken
 *   away.
 * - `reference` is unique over all orders: an `update` that would store it a second time rejects with `DuplicateReferenceError`.
 * - Ids and references are compared exactly: case, accents and blanks at the end count. An id has at most 255 characters.
 * - Texts may contain characters that a database refuses (`\0`, half of a surrogate pair). They are replaced, and the write succeeds.
 *
 * @typeParam Client - what hooks get to write within the transaction: a `pg` client, a SQLite database.
 */
export interface OrderStore<Client> {
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. */
  transaction<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Stores an order in state `placed`, due at once, unless its id is there; returns what is stored. */
  insert(order: NewOrder, options?: InsertOptions<Client>): Promise<PlacedOrder>;
  /** The same for many orders in one transaction. The results are in the order of the list. */
  insertMany(orders: readonly NewOrder[], client?: Client): Promise<readonly PlacedOrder[]>;
  /** The order of an id. */
  find(id: string, client?: Client): Promise<Order | undefined>;
  /** The orders of these ids, in any order, without those that are not there. */
  findMany(ids: readonly string[]): Promise<readonly Order[]>;
  /** The order of a reference. */
  findByReference(reference: string, client?: Client): Promise<Order | undefined>;
  /** Changes an order where its guard holds, and writes the history. Undefined where the order has moved on. */
  update(
    guard: OrderGuard,
    change: OrderChange,
    note: OrderNote | undefined,
    client?: Client,
  ): Promise<Order | undefined>;
  /** The ids of orders of a lane that are due, the longest due first. The cost must not grow with the number of finished orders. */
  due(lane: Lane, limit: number): Promise<readonly string[]>;
  /** ms until the first order of a lane is due, 0 or less where one is due now; undefined where there is none. */
  nextDue(lane: Lane): Promise<number | undefined>;
  /** Makes orders of a state due now that would be due later. */
  wake(state: OrderState): Promise<void>;
  /** How many orders are in a state. */
  count(state: OrderState): Promise<number>;
  /** Orders by state and time, newest first. The cost of a page must not grow with the number of orders. */
  list(query: OrderQuery): Promise<Order[]>;
  /** The history of an order, oldest first. */
  history(id: string): Promise<OrderHistoryEntry[]>;
  /** Counts. */
  stats(query?: StatsQuery): Promise<StoredOrderStats>;
  /**
   * Whether an order may still turn out to have a reference that no order has: it has none itself, and is `buying`, `unknown`, or in `review`
   * and may have been charged. An order that is `placed`, `held` or `refused`, or that came to review uncharged, has no reference to wait for.
   *
   * @param placedBefore - only orders that were placed before this time.
   */
  awaitsReference(placedBefore?: Date): Promise<boolean>;
}

/** Every order of a query, newest first, page by page. */
export async function* eachOrder<Client>(
  store: Pick<OrderStore<Client>, 'list'>,
  query: Omit<OrderQuery, 'limit' | 'after'>,
  limit = 500,
): AsyncGenerator<Order, void, undefined> {
  let after: Order | undefined;
  do {
    const page = await store.list({ ...query, limit, after });
    yield* page;
    after = page.length === limit ? page.at(-1) : undefined;
  } while (after);
}

/**
 * Thrown by `update` when another order already has the reference. The order then goes to review: a service that assigns one reference to
 * two orders needs a person. It is recognised by its `name`, so that a store may come from the other module format.
 */
export class DuplicateReferenceError extends Error {
  /** The class's name. */
  override readonly name = 'DuplicateReferenceError';

  constructor(reference: string) {
    super(`Another order already has the reference ${reference}.`);
  }
}
