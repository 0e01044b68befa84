import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { OrderInput } from '../../../src/orders/index.js';
import { type OrderStoreUnderTest, orderStoreCases } from '../../../src/orders/testing/index.js';

export const airtimeOrder = (id: string = randomUUID(), amount = 500): OrderInput => ({
  id,
  product: 'airtime',
  params: { biller: 'MTN', recipient: '08031234567', amount },
});

/** Runs the cases that every order store must pass, on one store. */
export function describeStore(name: string, open: () => Promise<OrderStoreUnderTest>): void {
  describe(`the contract of a store: ${name}`, () => {
    let under: OrderStoreUnderTest;
    beforeAll(async () => {
      under = await open();
    });
    afterAll(() => under.close?.());

    const cases = orderStoreCases(() => ({ store: under.store, pass: (ms) => under.pass(ms) }));
    for (const [what, run] of cases) it(what, run);
  });
}
