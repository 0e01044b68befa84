import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { NewOrder } from '../../../../src/orders/order.js';
import type { OrderState } from '../../../../src/orders/states.js';
import { matches } from './assertions.js';
import { airtimeFor, end, eventsOf, newId, newOrder, placed, type StoreCase, stored } from './fixture.js';

/** What `insert` and `insertMany` must hold to. */
export const placing: readonly StoreCase[] = [
  [
    'insert stores an order once, and returns what is stored',
    async ({ store }) => {
      const order = newOrder();
      const first = await store.insert(order);
      const second = await store.insert({ ...order, params: { ...order.params, recipient: newId() } });
      deepEqual([first.inserted, second.inserted], [true, false]);
      matches(second.order, order);
      deepEqual(await eventsOf(store, order.id), ['place'], 'the second insert wrote no line');
      const found = await stored(store, order.id);
      matches(found, {
        ...order,
        customer: undefined,
        run: undefined,
        state: 'placed',
        attempt: 0,
        mayHaveCharged: false,
        unknownForMs: 0,
        acceptedForMs: 0,
        expiresInMs: undefined,
        reference: undefined,
        amount: undefined,
        amountCharged: undefined,
        commission: undefined,
        settledAt: undefined,
        refunded: false,
        awaitingRefund: false,
        contradicted: false,
        token: undefined,
        lastError: undefined,
        tries: 0,
      });
      ok(found.createdAt instanceof Date && found.updatedAt instanceof Date && found.dueAt instanceof Date);
    },
  ],
  [
    'insert compares ids exactly, and takes any of 255 characters',
    async ({ store }) => {
      const id = newId();
      const ids = [`order ${id}`, `Order ${id}`, `order ${id} `, `órder ${id}`, `${'😀'.repeat(100)}${id}`];
      for (const id of ids) equal((await store.insert(newOrder({ id }))).inserted, true, JSON.stringify(id));
      for (const id of ids) equal((await stored(store, id)).id, id);
    },
  ],
  [
    'insert keeps the customer, the run and the time at which an order expires',
    async ({ store, pass }) => {
      const [customer, run] = [newId(), newId()];
      const { order } = await store.insert(newOrder({ customer, run, expireAfterMs: 3000 }));
      matches(order, { customer, run });
      ok(order.expiresInMs !== undefined && order.expiresInMs > 0 && order.expiresInMs <= 3000);
      await pass(3500);
      ok(Number((await stored(store, order.id)).expiresInMs) < 0);
      matches(await store.list({ run, limit: 5 }), [{ id: order.id }]);
    },
  ],
  [
    'insertMany stores each id once, in order, and says which were stored by this call',
    async ({ store }) => {
      const [before, first, second] = [newOrder(), newOrder(), newOrder()];
      await store.insert(before);
      const results = await store.insertMany([first, { ...before }, second, newOrder({ id: first.id })]);
      deepEqual(
        results.map(({ order, inserted }) => [order.id, inserted]),
        [
          [first.id, true],
          [before.id, false],
          [second.id, true],
          [first.id, false],
        ],
      );
      deepEqual(results.at(-1)?.order.params, first.params);
      deepEqual(await store.insertMany([]), []);
      deepEqual(await eventsOf(store, second.id), ['place']);
    },
  ],
  [
    'insert finds an order with the same content that was placed shortly before',
    async ({ store, pass }) => {
      const recipient = newId();
      const tap = (fields: Partial<NewOrder> = {}): NewOrder => ({ ...airtimeFor(recipient), ...fields });
      const within = { duplicateWithinMs: 5000 };
      const first = tap({ customer: 'a' });
      matches(await store.insert(first, within), { inserted: true, duplicate: undefined });
      // The same id is the same order, and no duplicate.
      matches(await store.insert(first, within), {
        inserted: false,
        duplicate: undefined,
        order: { id: first.id },
      });
      const duplicate = { inserted: false, duplicate: true, order: { id: first.id } };
      matches(await store.insert(tap(), within), duplicate, 'without a customer');
      matches(await store.insert(tap({ customer: 'a' }), within), duplicate, 'for the same customer');
      const params = { biller: 'MTN', recipient, amount: 500 };
      const others: readonly NewOrder[] = [
        tap({ params: { ...params, amount: 501 } }),
        tap({ params: { ...params, biller: 'GLO' } }),
        tap({ customer: 'b' }),
      ];
      for (const other of others) {
        matches(await store.insert(other, within), { inserted: true, duplicate: undefined });
        await store.update(placed(other.id), end, { event: 'cancel' });
      }
      await store.update(placed(first.id), end, { event: 'cancel' });
      matches(await store.insert(tap(), within), { inserted: true }, 'after the first was refused');
      await pass(5500);
      matches(await store.insert(tap(), within), { inserted: true }, 'after the time is over');
    },
  ],
  [
    'insert stores one of many equal orders that are placed together',
    async ({ store }) => {
      const recipient = newId();
      const taps = Array.from({ length: 8 }, () => airtimeFor(recipient));
      const results = await Promise.all(taps.map((tap) => store.insert(tap, { duplicateWithinMs: 60_000 })));
      equal(results.filter(({ inserted }) => inserted).length, 1);
      equal(new Set(results.map(({ order }) => order.id)).size, 1);
    },
  ],
  [
    'insert stores an id once that is placed many times at once',
    async ({ store }) => {
      const order = newOrder();
      const each = await Promise.all(Array.from({ length: 8 }, () => store.insert({ ...order })));
      equal(each.filter(({ inserted }) => inserted).length, 1);
      deepEqual(await eventsOf(store, order.id), ['place']);
    },
  ],
  [
    'insert keeps every product with all of its parameters',
    async ({ store }) => {
      const recipient = newId();
      const each: readonly Pick<NewOrder, 'product' | 'params'>[] = [
        { product: 'airtime', params: { biller: 'MTN', recipient, amount: 99.95 } },
        { product: 'data', params: { biller: 'MTN', recipient, product_code: 'mtn-1gb', amount: 350 } },
        {
          product: 'electricity',
          params: {
            biller: 'IKEDC',
            recipient,
            meter_type: 'prepaid',
            amount: 5000,
            customer_phone: '08031234567',
          },
        },
      ];
      for (const item of each) {
        const order = newOrder(item);
        const placed = await store.insert(order);
        deepEqual([placed.order.product, placed.order.params], [item.product, item.params]);
        const found = await stored(store, order.id);
        deepEqual([found.product, found.params], [item.product, item.params]);
      }
    },
  ],
  [
    'insert finds an equal order in a transaction of the caller, and whatever has become of it but refused or failed',
    async ({ store }) => {
      const first = newOrder();
      await store.insert(first);
      let state: OrderState = 'placed';
      for (const next of ['buying', 'unknown', 'review', 'accepted', 'delivered'] as const) {
        await store.update({ id: first.id, state, attempt: 0 }, { state: next }, { event: 'note' });
        state = next;
        const again = { ...first, id: newId() };
        matches(await store.insert(again, { duplicateWithinMs: 60_000 }), { duplicate: true }, next);
        await store.transaction(async (client) => {
          const inside = await store.insert(again, { client, duplicateWithinMs: 60_000 });
          matches(inside, { inserted: false, duplicate: true, order: { id: first.id } }, next);
        });
      }
    },
  ],
  [
    'insertMany stores all orders of a list or none',
    async ({ store }) => {
      const unreadable = new Error('the list cannot be read');
      const bad = Object.defineProperty(newOrder({ id: `~ ${newId()}` }), 'params', {
        get: () => {
          throw unreadable;
        },
      });
      const list = [...Array.from({ length: 1200 }, () => newOrder()), bad];
      await rejects(store.insertMany(list), unreadable);
      const [first] = list;
      equal(await store.find(first?.id ?? ''), undefined);
      const rolledBack = store.transaction(async (client) => {
        await store.insertMany(list.slice(0, 5), client);
        throw unreadable;
      });
      await rejects(rolledBack, unreadable);
      deepEqual(await store.findMany(list.slice(0, 1200).map(({ id }) => id)), []);
    },
  ],
];
