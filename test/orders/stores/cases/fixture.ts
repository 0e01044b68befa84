import type { NewOrder, Order } from '../../../../src/orders/order.js';
import type { OrderGuard, OrderStore } from '../../../../src/orders/store.js';
import { present } from './assertions.js';

/** A store under test, with a way to let time pass. */
export interface OrderStoreUnderTest {
  /** The store, on tables that no other test uses at the same time. */
  readonly store: OrderStore<unknown>;
  /**
   * Lets so many ms pass by the clock of the store. Either move a clock that you gave the store, or make every stored time older by so much,
   * or wait: the cases need less than 30 seconds together.
   */
  pass(ms: number): Promise<unknown>;
  /** Called when the case has ended, whether it passed or failed. */
  close?(): Promise<unknown>;
}

/** What a case needs to be run on a store. */
export interface Fixture {
  readonly store: OrderStore<unknown>;
  pass(ms: number): Promise<unknown>;
}

/** One case: its name, and what must hold. */
export type StoreCase = readonly [name: string, check: (fixture: Fixture) => Promise<void>];

/** An id that no other order has. */
export const newId = (): string => globalThis.crypto.randomUUID();

/** An order that no other order is equal to, unless it is given the same recipient. */
export const newOrder = (fields: Partial<NewOrder> = {}): NewOrder => ({
  id: newId(),
  product: 'airtime',
  params: { biller: 'MTN', recipient: newId(), amount: 500 },
  ...fields,
});

/** Airtime for a recipient. */
export const airtimeFor = (recipient: string, amount = 500): NewOrder =>
  newOrder({ params: { biller: 'MTN', recipient, amount } });

/** The guard of an order that was placed and not changed since. */
export const placed = (id: string): OrderGuard => ({ id, state: 'placed', attempt: 0 });

/** Stores an order and brings it to `buying`, attempt 1. Returns its guard. */
export async function buying(
  store: OrderStore<unknown>,
  { order = newOrder(), dueInMs = 60_000 }: { order?: NewOrder; dueInMs?: number } = {},
): Promise<{ readonly id: string; readonly state: 'buying'; readonly attempt: 1 }> {
  await store.insert(order);
  await store.update(placed(order.id), { state: 'buying', attempt: 1, dueInMs }, { event: 'begin' });
  return { id: order.id, state: 'buying', attempt: 1 };
}

/** What is written when the service accepts a purchase. */
export const accept = (reference: string) =>
  ({ state: 'accepted', reference, amount: 500, accepted: true, dueInMs: 60_000 }) as const;

/** Ends an order, so that it is never due and can claim no webhook. */
export const end = { state: 'refused', dueInMs: undefined } as const;

/** The stored order of an id. */
export const stored = async (store: OrderStore<unknown>, id: string): Promise<Order> =>
  present(await store.find(id), `the order ${id}`);

/** The events in the history of an order. */
export const eventsOf = async (store: OrderStore<unknown>, id: string): Promise<string[]> =>
  (await store.history(id)).map(({ event }) => event);
