import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { OrderInput } from '../../../src/orders/index.js';
import { type OrderStoreUnderTest, orderStoreCases } from '../stores/cases/index.js';

export const airtimeOrder = (id: string = randomUUID(), amount = 500): OrderInput => ({
  id,
  product: 'airtime',
  params: { biller: 'MTN', recipient: '08031234567', amount },
});

/** The columns of the table of orders that hold a time. */
const times = ['created_at', 'updated_at', 'due_at', 'doubted_at', 'accepted_at', 'expires_at', 'settled_at'];

/** Makes what is stored older by so much: the clock of a database cannot be moved. */
export const olderBy = (ms: number, table: string): string =>
  `UPDATE ${table} SET ${times.map((time) => `${time} = ${time} - ${Math.round(ms)}`).join(', ')}`;

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
