import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  memoryOrderStore,
  type OrderChange,
  type OrderQuery,
  type OrderStore,
  type StoredOrder,
} from '../../src/orders/index.js';
import { orderStoreCases } from '../../src/orders/testing/index.js';

type Store = OrderStore<unknown>;

/** The names of the cases that a store fails. */
async function failedBy(broken: (store: Store, now: () => number) => Partial<Store>): Promise<string[]> {
  const failed: string[] = [];
  const cases = orderStoreCases(() => {
    let at = Date.UTC(2026, 0, 31, 12);
    const now = () => at;
    const store: Store = memoryOrderStore({ now });
    const pass = async (ms: number) => {
      at += ms;
    };
    return { store: { ...store, ...broken(store, now) }, pass };
  });
  for (const [name, run] of cases) await run().catch(() => failed.push(name));
  return failed;
}

const without = <Key extends keyof OrderChange>(change: OrderChange, key: Key): OrderChange => {
  const { [key]: _, ...rest } = change;
  return rest;
};

/** A store with one defect each, and a word of the case that must find it. */
const defects: readonly (readonly [string, RegExp, (store: Store, now: () => number) => Partial<Store>])[] = [
  [
    'changes an order whatever the guard says',
    /those of the guard/,
    (store) => ({
      update: async ({ id }, change, note, client) => {
        const order = await store.find(id, client);
        return order && store.update(order, change, note, client);
      },
    }),
  ],
  [
    'ignores whether the order is due',
    /measures what is due/,
    (store) => ({ update: (guard, ...rest) => store.update({ ...guard, due: false }, ...rest) }),
  ],
  [
    'writes no history',
    /one line for each update with a note/,
    (store) => ({ update: (guard, change, _, client) => store.update(guard, change, undefined, client) }),
  ],
  [
    'writes a line of history without a note',
    /one line for each update with a note/,
    (store) => ({
      update: (guard, change, note, client) => store.update(guard, change, note ?? { event: 'note' }, client),
    }),
  ],
  [
    'restarts the clock at a second doubt',
    /does not restart the clock/,
    (store) => ({
      update: async (...given) => {
        const order = await store.update(...given);
        return order && { ...order, doubtedForMs: 0 };
      },
    }),
  ],
  [
    'clears nothing',
    /clears what is undefined/,
    (store) => ({
      update: (guard, change, ...rest) =>
        store.update(guard, change.lastError === undefined ? without(change, 'lastError') : change, ...rest),
    }),
  ],
  [
    'accepts a reference twice',
    /one order only/,
    (store) => ({
      update: (guard, change, ...rest) =>
        store
          .update(guard, change, ...rest)
          .catch(() => store.update(guard, without(change, 'reference'), ...rest)),
    }),
  ],
  ['does not roll back', /rolls back as a whole/, () => ({ transaction: (work) => work(undefined) })],
  [
    'hides in a transaction what was written in it',
    /rolls back as a whole/,
    (store) => ({ find: async (id, client) => (client ? undefined : store.find(id)) }),
  ],
  [
    'stores the order of an id again',
    /returns what is stored/,
    (store) => ({
      insert: async (order, ...rest) => ({ ...(await store.insert(order, ...rest)), inserted: true }),
    }),
  ],
  [
    'folds the case of ids',
    /compares ids exactly/,
    (store) => ({
      insert: (order, ...rest) => store.insert({ ...order, id: order.id.toLowerCase() }, ...rest),
    }),
  ],
  [
    'knows no duplicates',
    /placed shortly before/,
    (store) => ({ insert: (order, { client } = {}) => store.insert(order, { client }) }),
  ],
  [
    'finds duplicates among all customers',
    /placed shortly before/,
    (store) => ({ insert: (order, ...rest) => store.insert({ ...order, customer: undefined }, ...rest) }),
  ],
  [
    'checks for duplicates and inserts in two steps',
    /placed together/,
    (store) => ({
      insert: async (order, { duplicateWithinMs, ...options } = {}) => {
        if (options.client) return store.insert(order, options);
        const { recipient } = order.params;
        const before = (await store.list({ recipient, limit: 100 })).find(({ state }) => state === 'placed');
        await Promise.resolve();
        return before && before.id !== order.id && duplicateWithinMs !== undefined
          ? { order: before, inserted: false, duplicate: true }
          : store.insert(order, options);
      },
    }),
  ],
  [
    'stores many in any order',
    /insertMany stores each id once/,
    (store) => ({ insertMany: async (orders) => (await store.insertMany(orders)).toReversed() }),
  ],
  [
    'has what is due in the order of time alone',
    /due has orders in doubt first/,
    (store) => ({ due: async (...given) => (await store.due(...given)).toReversed() }),
  ],
  [
    'has orders due that are not',
    /whose time has come/,
    (store) => ({ due: (_, { run } = {}) => store.list({ limit: 1000, run }) }),
  ],
  [
    'has due orders of every state',
    /of some states/,
    (store) => ({ due: (limit, query) => store.due(limit, { ...query, states: undefined }) }),
  ],
  [
    'counts all orders',
    /counts the orders of a state/,
    (store) => ({ count: async () => (await store.list({ limit: 1000 })).length * 2 }),
  ],
  [
    'lists the oldest first',
    /newest first/,
    (store) => ({ list: async (query) => (await store.list(query)).toReversed() }),
  ],
  [
    'continues a page by time alone',
    /page by page/,
    (store) => ({
      list: async ({ after, limit, ...query }: OrderQuery): Promise<StoredOrder[]> =>
        (await store.list({ ...query, limit: 1000 }))
          .filter(({ createdAt }) => after === undefined || createdAt < after.createdAt)
          .slice(0, limit),
    }),
  ],
  [
    'continues a page behind a row that must be there',
    /row is gone/,
    (store) => ({
      list: async (query) => (query.after && !(await store.find(query.after.id)) ? [] : store.list(query)),
    }),
  ],
  [
    'includes the end of a range',
    /time of settlement/,
    (store) => ({
      list: ({ until, ...query }) => store.list({ ...query, until: until && new Date(until.getTime() + 1) }),
    }),
  ],
  [
    'has the oldest of final states as well',
    /stats counts by state/,
    (store, now) => ({
      stats: async (query) => {
        const stats = await store.stats(query);
        return { ...stats, oldest: { ...stats.oldest, delivered: new Date(now()) } };
      },
    }),
  ],
  [
    'adds up what was refused',
    /what was spent/,
    (store) => ({
      stats: async (query) => {
        const all = await store.list({ limit: 1000, ...query });
        return { ...(await store.stats(query)), spent: all.reduce((sum, { amount = 0 }) => sum + amount, 0) };
      },
    }),
  ],
  [
    'keeps the last webhook of a reference',
    /keeps the first webhook/,
    (store) => ({
      keepEvent: async (event) => {
        await store.dropEvent(event.reference);
        await store.keepEvent(event);
      },
    }),
  ],
  [
    'settles a webhook that an order may claim',
    /leaves a webhook to an order/,
    (store) => ({
      settleableEvents: async (limit, reference) => {
        const found = await store.settleableEvents(limit, reference);
        return found.length > 0 || !reference ? found : [{ reference, orderId: undefined }];
      },
    }),
  ],
  [
    'never gives up a webhook that belongs to no order',
    /once no order can claim it/,
    (store) => ({
      settleableEvents: async (...given) =>
        (await store.settleableEvents(...given)).filter(({ orderId }) => orderId !== undefined),
    }),
  ],
  [
    'returns what is stored itself',
    /is a copy/,
    (store) => {
      const shown = new Map<string, StoredOrder>();
      return {
        find: async (id, client) => {
          const found = shown.get(id) ?? (await store.find(id, client));
          if (found) shown.set(id, found);
          return found;
        },
        insert: async (order, options) => {
          const result = await store.insert(order, options);
          shown.set(order.id, result.order);
          return result;
        },
      };
    },
  ],
];

describe('the cases of a store', () => {
  it('pass on a store that conforms, and have names of their own', async () => {
    expect(await failedBy(() => ({}))).toEqual([]);
    const names = orderStoreCases(() => expect.fail('a case opened a store before it was run')).map(
      ([name]) => name,
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(defects)('find a store that %s', async (_, where, broken) => {
    const failed = await failedBy(broken);
    expect(failed.filter((name) => where.test(name)).length).toBeGreaterThan(0);
  });

  it('close the store of a case that fails', async () => {
    let open = 0;
    const cases = orderStoreCases(() => {
      open++;
      const store: Store = {
        ...memoryOrderStore(),
        insert: () => Promise.reject(new Error('the disk is full')),
      };
      return { store, pass: setTimeout, close: async () => void open-- };
    });
    await expect(cases[0]?.[1]()).rejects.toThrow('the disk is full');
    expect(open).toBe(0);
  });
});
