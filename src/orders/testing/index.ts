/**
 * The conformance cases of an order store, for stores of your own.
 *
 * @module billpay/orders/testing
 */
import { changing } from './changing.js';
import { earlyWebhooks } from './early-webhooks.js';
import type { OrderStoreUnderTest } from './fixture.js';
import { placing } from './placing.js';
import { scanning } from './scanning.js';

export type { OrderStore } from '../store.js';
export type { OrderStoreUnderTest } from './fixture.js';

/** One case: its name, and a function that rejects with an `AssertionError` where the store does not conform. */
export type OrderStoreCase = readonly [name: string, run: () => Promise<void>];

/**
 * Everything that an `OrderStore` must hold to, as plain functions for any test runner. The stores of this package run the same cases.
 *
 * Run one case at a time on one set of tables. The cases need no empty tables, but those about early webhooks end orders that they find.
 *
 * @param createStore - called once for each case; `close` of its result is called when the case has ended. It may return the same store each time.
 *
 * @example
 * ```ts
 * import { test } from 'node:test';
 *
 * let now = Date.now();
 * const createStore = () => ({
 *   store: memoryOrderStore({ now: () => now }), // your own store
 *   pass: async (ms: number) => void (now += ms),
 * });
 * for (const [name, run] of orderStoreCases(createStore)) test(name, run);
 * ```
 */
export function orderStoreCases(
  createStore: () => OrderStoreUnderTest | Promise<OrderStoreUnderTest>,
): readonly OrderStoreCase[] {
  return [...placing, ...changing, ...scanning, ...earlyWebhooks].map(([name, check]) => [
    name,
    async () => {
      const under = await createStore();
      try {
        await check({ store: under.store, pass: (ms) => under.pass(ms) });
      } finally {
        await under.close?.();
      }
    },
  ]);
}
