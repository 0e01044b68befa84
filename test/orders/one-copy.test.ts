import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PurchaseItem } from '../../src/index.js';
import {
  createOrders,
  OrderConflictError,
  type OrderInput,
  type OrdersOptions,
} from '../../src/orders/index.js';
import { idleQueue, purchaseOf, transactionOf } from './support/shop.js';
import { airtimeOrder } from './support/store-contract.js';
import { type OpenStore, storesHere } from './support/stores.js';

/** Parameters that give another value at each reading of a field. */
function changing(fields: Readonly<Record<string, readonly unknown[]>>): object {
  const params = {};
  for (const [name, values] of Object.entries(fields)) {
    let reading = 0;
    const get = () => values[Math.min(reading++, values.length - 1)];
    Object.defineProperty(params, name, { enumerable: true, get });
  }
  return params;
}

/** Parameters of a class whose `toJSON` gives something else. */
class Masked {
  constructor(
    fields: object,
    readonly shown: object,
  ) {
    Object.assign(this, fields);
    Object.defineProperty(this, 'shown', { enumerable: false });
  }
  toJSON() {
    return this.shown;
  }
}

const recipient = fc.oneof(fc.constantFrom('', '   ', '08031234567', '08030000001'), fc.string());
const amount = fc.oneof(fc.constantFrom(0, -1, 100, 500, Number.NaN), fc.double());
const fields = fc.record({ biller: fc.constantFrom('MTN', 'GLO'), recipient, amount });
const params = fc.oneof(
  fields.map((plain): object => plain),
  fc
    .record({
      biller: fc.array(fc.constantFrom('MTN', 'GLO'), { minLength: 1, maxLength: 4 }),
      recipient: fc.array(recipient, { minLength: 1, maxLength: 4 }),
      amount: fc.array(amount, { minLength: 1, maxLength: 4 }),
    })
    .map(changing),
  fc.tuple(fields, fields).map(([real, shown]) => new Masked(real, shown)),
);

describe.each(storesHere())('one copy of what is placed: %s', (_, open) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  function ordersWith(options: Partial<OrdersOptions<unknown>> = {}) {
    const sent: PurchaseItem[] = [];
    const orders = createOrders<unknown>({
      billpay: {
        purchase: async (item) => {
          sent.push(structuredClone(item));
          return purchaseOf(`TXN-${item.idempotency_key}`);
        },
        transactions: { status: async (reference) => transactionOf(reference) },
      },
      store: opened.store,
      queue: idleQueue().queue,
      onError: () => {},
      ...options,
    });
    return { orders, sent };
  }

  it('is checked, stored and sent, whatever a getter or toJSON gives', async () => {
    const { orders, sent } = ordersWith();
    await fc.assert(
      fc.asyncProperty(params, async (given) => {
        const id = randomUUID();
        const placed = await orders
          .place({ id, product: 'airtime', params: given } as unknown as OrderInput)
          .catch((error: unknown) => error);
        const stored = await orders.find(id);
        if (!stored) {
          // A new id is never in conflict with itself.
          expect(placed).toMatchObject({ name: 'ValidationError' });
          return;
        }
        expect(placed).toMatchObject({ params: stored.params });
        await orders.buy(id);
        expect(sent.at(-1)).toEqual({ product: 'airtime', params: stored.params, idempotency_key: id });
      }),
      { numRuns: 60 },
    );
  });

  it('is taken when `place` is called: later changes of the input change nothing', async () => {
    const { orders } = ordersWith();
    const order = airtimeOrder(randomUUID());
    const placing = orders.place(order);
    Object.assign(order.params, { amount: 9, recipient: '08039999999' });
    Object.assign(order, { id: 'another' });
    const placed = await placing;
    expect(placed.params).toEqual(airtimeOrder().params);
    expect(await orders.find(placed.id)).toMatchObject({ params: airtimeOrder().params });
  });

  it('is out of the reach of hooks, of onTransition and of what `find`, `list` and `history` return', async () => {
    const mask = (order: { params: object; id: string }) => {
      Object.assign(order.params, { recipient: '0803****567' });
      Object.assign(order, { id: 'masked' });
    };
    const { orders, sent } = ordersWith({ onTransition: mask, on: { delivered: mask } });
    const { id } = await orders.place(airtimeOrder(randomUUID()));
    mask((await orders.find(id)) ?? expect.fail());
    for (const order of await orders.list()) mask(order);
    for (const entry of await orders.history(id)) Object.assign(entry, { to: 'delivered' });
    await orders.buy(id);
    expect(sent).toEqual([{ product: 'airtime', params: airtimeOrder().params, idempotency_key: id }]);
    expect(await orders.find(id)).toMatchObject({ id, params: airtimeOrder().params, state: 'accepted' });
    expect((await orders.history(id)).map(({ to }) => to)).toEqual(['placed', 'buying', 'accepted']);
  });

  it('of an order that was there before is a conflict where the content differs', async () => {
    const { orders } = ordersWith();
    const { id } = await orders.place(airtimeOrder(randomUUID()));
    const error = await orders.place(airtimeOrder(id, 900)).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(OrderConflictError);
    expect(error).toMatchObject({ code: 'ORDER_CONFLICT', orderId: id, mayHaveCharged: false });
    expect(await orders.place(airtimeOrder(id))).toMatchObject({ id, state: 'placed' });
  });
});
