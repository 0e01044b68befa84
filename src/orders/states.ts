/**
 * The states of an order.
 *
 * - `placed`: stored, not yet bought; nothing was sent, or the last attempt was certainly not charged and is repeated.
 * - `buying`: a process is sending the purchase at this moment.
 * - `accepted`: the wallet was debited and the service gave a reference; delivery is pending.
 * - `delivered`: final. The customer has the value.
 * - `failed`: final. The purchase failed and the wallet was refunded.
 * - `unknown`: money may have moved. The purchase is repeated under the same key until a response settles it.
 * - `refused`: final. The order was certainly never charged and would be refused again.
 * - `held`: the circuit breaker is open: the account is at fault (401, 402, 403), not the order. It continues once the account is right.
 * - `review`: a person must look.
 *
 * @example
 * ```ts
 * const { count } = await orders.stats();
 * for (const state of orderStates) console.log(state, count[state]);
 * ```
 */
export const orderStates = [
  'placed',
  'buying',
  'accepted',
  'delivered',
  'failed',
  'unknown',
  'refused',
  'held',
  'review',
] as const;

/** The state of an order; see `orderStates` for what each means. */
export type OrderState = (typeof orderStates)[number];

/**
 * The states in which an order has ended. The hook of the same name has run once, with the change of state. An order leaves such a state
 * only when its hook broke its own transaction; then a person must look.
 *
 * @example
 * ```ts
 * const { state } = await orders.buy('order-7');
 * const isOver = finalStates.some((final) => final === state);
 * ```
 */
export const finalStates = ['delivered', 'failed', 'refused'] as const satisfies readonly OrderState[];

/** A state in which an order has ended. */
export type FinalOrderState = (typeof finalStates)[number];

/** Whether a state is final. */
export const isFinal = (state: OrderState): state is FinalOrderState =>
  finalStates.some((final) => final === state);

/** The states of orders that are still to be bought. */
export const statesToBuy = ['placed', 'buying', 'unknown', 'held'] as const satisfies readonly OrderState[];

/** What is done with orders, at the same time and each by its own concurrency: purchases and status checks. */
export type Lane = 'purchase' | 'check';

/** The states of the orders of each lane. */
export const lanes: Readonly<Record<Lane, readonly OrderState[]>> = {
  purchase: statesToBuy,
  check: ['accepted'],
};

/** The lane of an order in this state; undefined where nothing is to be done with it. */
export const laneOf = (state: OrderState): Lane | undefined =>
  laneNames.find((lane) => lanes[lane].includes(state));

export const laneNames = ['purchase', 'check'] as const satisfies readonly Lane[];

/** Counts of no orders at all. */
export const noOrders = (): Record<OrderState, number> => ({
  placed: 0,
  buying: 0,
  unknown: 0,
  held: 0,
  review: 0,
  accepted: 0,
  delivered: 0,
  failed: 0,
  refused: 0,
});

/** What can happen to an order. */
export const orderEvents = [
  /** A process starts an attempt to buy. */
  'begin',
  /** The service accepted the purchase (2xx) and gave a reference. */
  'accept',
  /** The attempt ended, and it is unknown whether it charged. */
  'unknown',
  /** The attempt was certainly not charged and may succeed later. */
  'defer',
  /** The account was refused (401, 402, 403), and nothing was charged. */
  'hold',
  /** The service refused the order itself, and nothing was charged. */
  'refuse',
  /** A person must look. */
  'review',
  /** A person sends the order on its way again. */
  'retry',
  /** The transaction succeeded. */
  'deliver',
  /** The transaction failed and was refunded. */
  'fail',
  /** A person sends an order that has a reference back to its status check. */
  'checkAgain',
  /** A person ends an order that was certainly never charged. */
  'cancel',
  /** The time in which an order could be bought is over, and it was certainly never charged. */
  'expire',
  /** The hook of the end ended its transaction by itself and did not finish: what it was to do may be done in part. */
  'reopen',
] as const;

/** What can happen to an order. */
export type OrderEvent = (typeof orderEvents)[number];

/** Where an event leads: for an order that was certainly never charged, and for one that may have been. */
interface Target {
  readonly uncharged: OrderState;
  readonly mayHaveCharged: OrderState | undefined;
}

const to = (uncharged: OrderState, mayHaveCharged: OrderState = uncharged): Target => ({
  uncharged,
  mayHaveCharged,
});
const onlyUncharged = (uncharged: OrderState): Target => ({ uncharged, mayHaveCharged: undefined });

/**
 * The transition table. An event that is missing from a state's row does not happen to an order in that state.
 *
 * An order that may have been charged is never refused, held or placed again by a later refusal, which says nothing about the earlier
 * attempt. Only a response with its reference, or a person, settles that.
 */
const table: Readonly<Record<OrderState, Partial<Record<OrderEvent, Target>>>> = {
  placed: {
    begin: to('buying'),
    // The account is known to be at fault.
    hold: to('held'),
    cancel: onlyUncharged('refused'),
    expire: onlyUncharged('refused'),
  },
  buying: {
    // The lease of the process that was buying has ended.
    begin: to('buying'),
    accept: to('accepted'),
    unknown: to('unknown'),
    defer: to('placed', 'unknown'),
    hold: to('held', 'unknown'),
    refuse: to('refused', 'unknown'),
    review: to('review'),
  },
  accepted: { deliver: to('delivered'), fail: to('failed'), review: to('review') },
  unknown: { begin: to('buying'), review: to('review') },
  held: { begin: to('buying'), cancel: onlyUncharged('refused'), expire: onlyUncharged('refused') },
  review: {
    retry: to('placed', 'unknown'),
    checkAgain: to('accepted'),
    deliver: to('delivered'),
    fail: to('failed'),
    // A person has found that it was never charged.
    refuse: to('refused'),
  },
  delivered: { reopen: to('review') },
  failed: { reopen: to('review') },
  refused: { reopen: to('review') },
};

/**
 * The state that an event leads to; undefined where it does not happen in this state.
 *
 * @param mayHaveCharged - whether any attempt may have charged.
 */
export function transition(
  state: OrderState,
  event: OrderEvent,
  mayHaveCharged: boolean,
): OrderState | undefined {
  return table[state][event]?.[mayHaveCharged ? 'mayHaveCharged' : 'uncharged'];
}
