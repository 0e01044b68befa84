import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { OrderInput } from '../../../src/orders/index.js';
import { changing } from '../stores/cases/changing.js';
import type { OrderStoreUnderTest } from '../stores/cases/fixture.js';
import { placing } from '../stores/cases/placing.js';
import { scanning } from '../stores/cases/scanning.js';

export const airtimeOrder = (id: string = randomUUID(), amount = 500): OrderInput => ({
  id,
  product: 'airtime',
  params: { biller: 'MTN', recipient: '08031234567', amount },
});

/** The columns of the table of orders that hold a time. */
const times = [
  'created_at',
  'updated_at',
  'due_at',
  'unknown_since',
  'accepted_at',
  'expires_at',
  'settled_at',
];

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

    for (const [what, check] of [...placing, ...changing, ...scanning]) it(what, () => check(under));
  });
}
