import { changing } from './changing.js';
import type { OrderStoreUnderTest } from './fixture.js';
import { placing } from './placing.js';
import { scanning } from './scanning.js';

export type { OrderStoreUnderTest } from './fixture.js';

/** One case: its name, and a function that rejects with an `AssertionError` where the store does not conform. */
export type OrderStoreCase = readonly [name: string, run: () => Promise<void>];

/**
 * Everything that an order store must hold to. Run one case at a time on one set of tables; they need not be empty.
 *
 * @param createStore - called once for each case; `close` of its result is called when the case has ended. It may return the same store each time.
 */
export function orderStoreCases(
  createStore: () => OrderStoreUnderTest | Promise<OrderStoreUnderTest>,
): readonly OrderStoreCase[] {
  return [...placing, ...changing, ...scanning].map(([name, check]) => [
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
