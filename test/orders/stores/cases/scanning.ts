import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Order } from '../../../../src/orders/order.js';
import type { Lane, OrderState } from '../../../../src/orders/states.js';
import type { OrderQuery, OrderStore, StatsQuery } from '../../../../src/orders/store.js';
import { matches } from './assertions.js';
import {
  accept,
  airtimeFor,
  buying,
  end,
  newId,
  newOrder,
  placed,
  type StoreCase,
  stored,
} from './fixture.js';

/** The ids of all pages of a query. */
async function pagesOf(store: OrderStore<unknown>, query: OrderQuery): Promise<string[]> {
  const ids: string[] = [];
  for (let after: Order | undefined; ; ) {
    const page: Order[] = await store.list({ ...query, after });
    ok(page.length <= query.limit, 'a page is longer than its limit');
    after = page.at(-1);
    if (!after) return ids;
    ids.push(...page.map(({ id }) => id));
  }
}

/** Ends every open order, such as those of cases that ran before on the same tables. */
async function settleAll(store: OrderStore<unknown>): Promise<void> {
  for (const state of ['placed', 'buying', 'unknown', 'held', 'accepted', 'review'] as const) {
    for (let page = await firstOf(store, state); page.length > 0; page = await firstOf(store, state)) {
      await Promise.all(page.map(({ id, attempt }) => store.update({ id, state, attempt }, end, undefined)));
    }
  }
}

const firstOf = (store: OrderStore<unknown>, state: OrderState) => store.list({ state, limit: 1000 });

/** What reads many orders at once must hold to. */
export const scanning: readonly StoreCase[] = [
  [
    'due has the orders of a lane whose time has come, by the clock of the store, the longest due first',
    async ({ store, pass }) => {
      await settleAll(store);
      const due = (lane: Lane, limit = 10) => store.due(lane, limit);
      const accepted = await buying(store);
      await store.update(accepted, { ...accept(newId()), dueInMs: 10 }, { event: 'accept' });
      const held = await buying(store);
      await store.update(held, { state: 'held', dueInMs: 1000 }, { event: 'hold' });
      const unknown = await buying(store, { dueInMs: 2000 });
      await store.update(unknown, { state: 'unknown', dueInMs: 2000 }, { event: 'unknown' });
      const dead = await buying(store, { dueInMs: 3000 });
      deepEqual(await due('purchase'), []);
      const waiting = newOrder();
      await store.insert(waiting);
      deepEqual(await due('purchase'), [waiting.id]);
      await pass(3500);
      const inTheirOrder = [waiting, held, unknown, dead].map(({ id }) => id);
      deepEqual(await due('purchase'), inTheirOrder);
      deepEqual(await due('purchase', 2), inTheirOrder.slice(0, 2));
      deepEqual(await due('check'), [accepted.id]);
      await store.update(dead, { dueInMs: undefined }, undefined);
      await store.update({ ...held, state: 'held' }, { dueInMs: 60_000 }, undefined);
      deepEqual(
        await due('purchase'),
        [waiting, unknown].map(({ id }) => id),
      );
    },
  ],
  [
    'nextDue says when the first order of a lane is due, and wake makes those of a state due now',
    async ({ store, pass }) => {
      await settleAll(store);
      deepEqual([await store.nextDue('purchase'), await store.nextDue('check')], [undefined, undefined]);
      const held = await buying(store);
      await store.update(held, { state: 'held', dueInMs: 9_000_000 }, { event: 'hold' });
      const near = (ms: number | undefined, from: number, to: number) =>
        ok(ms !== undefined && ms > from && ms <= to, `${ms} ms`);
      near(await store.nextDue('purchase'), 8_900_000, 9_000_000);
      near((await stored(store, held.id)).dueInMs, 8_900_000, 9_000_000);
      await buying(store, { dueInMs: 1_000_000 });
      near(await store.nextDue('purchase'), 900_000, 1_000_000);
      await store.wake('held');
      deepEqual(await store.due('purchase', 10), [held.id]);
      await pass(100);
      near(await store.nextDue('purchase'), -60_000, 0);
      equal(await store.nextDue('check'), undefined);
    },
  ],
  [
    'findMany has the orders of these ids, and leaves out what is not there',
    async ({ store }) => {
      const all = await store.insertMany([newOrder(), newOrder()]);
      const ids = all.map(({ order }) => order.id);
      const missing = Array.from({ length: 1100 }, newId);
      const found = await store.findMany([...ids.slice(0, 1), ...missing, ...ids.slice(1)]);
      deepEqual(found.map(({ id }) => id).sort(), ids.toSorted());
      deepEqual(await store.findMany([]), []);
    },
  ],
  [
    'count counts the orders of a state',
    async ({ store }) => {
      const before = await store.count('review');
      const guard = await buying(store);
      await store.update(guard, { state: 'review', dueInMs: undefined }, { event: 'review' });
      equal(await store.count('review'), before + 1);
    },
  ],
  [
    'list has the newest first, page by page, also those of one moment',
    async ({ store, pass }) => {
      const run = newId();
      const together = ['b', 'A', 'a', 'B', '_', 'á', 'Z'].map((first) =>
        newOrder({ run, id: `${first} ${newId()}` }),
      );
      await store.insertMany(together);
      await pass(5);
      const last = newOrder({ run });
      await store.insert(last);
      const ids = await pagesOf(store, { run, limit: 2 });
      equal(ids[0], last.id);
      deepEqual(ids.toSorted(), [...together, last].map(({ id }) => id).toSorted());
      const guard = placed(last.id);
      await store.update(guard, { state: 'review', dueInMs: undefined }, { event: 'review' });
      matches(await store.list({ run, state: 'review', limit: 5 }), [{ id: last.id, state: 'review' }]);
    },
  ],
  [
    'list continues after an order whose row is gone',
    async ({ store, pass }) => {
      const run = newId();
      const older = newOrder({ run });
      await store.insert(older);
      await pass(5);
      const gone = {
        id: newId(),
        createdAt: new Date((await stored(store, older.id)).createdAt.getTime() + 1),
      };
      await store.insert(newOrder({ run }));
      matches(await store.list({ run, limit: 5, after: gone }), [{ id: older.id }]);
    },
  ],
  [
    'list finds by recipient, reference, time of placing and time of settlement',
    async ({ store, pass }) => {
      const [recipient, reference] = [newId(), newId()];
      const ids: string[] = [];
      for (let n = 0; n < 3; n++) {
        const { order } = await store.insert(airtimeFor(recipient, 500 + n));
        ids.unshift(order.id);
        await pass(5);
      }
      const [newest = '', , oldest = ''] = ids;
      const listed = async (query: Omit<OrderQuery, 'limit'>) =>
        (await store.list({ ...query, limit: 10 })).map(({ id }) => id);
      deepEqual(await listed({ recipient }), ids);
      const at = (await stored(store, newest)).createdAt;
      deepEqual(await listed({ recipient, until: at }), ids.slice(1));
      deepEqual(await listed({ recipient, since: at }), [newest]);
      const change = { state: 'delivered', reference, settled: true } as const;
      const ended = await store.update(placed(oldest), change, { event: 'deliver' });
      deepEqual(await listed({ reference }), [oldest]);
      const settledAt = Number(ended?.settledAt);
      deepEqual(await listed({ recipient, settled: {} }), [oldest]);
      deepEqual(await listed({ recipient, settled: { since: new Date(settledAt) } }), [oldest]);
      deepEqual(await listed({ recipient, settled: { until: new Date(settledAt) } }), []);
    },
  ],
  [
    'stats counts by state, with the oldest of each open state, refunds awaited and contradicted ends',
    async ({ store }) => {
      const before = await store.stats();
      const guard = await buying(store);
      await store.update(guard, { ...accept(newId()), awaitingRefund: true }, { event: 'accept' });
      const accepted = { ...guard, state: 'accepted' } as const;
      await store.update(accepted, { contradicted: true }, { event: 'contradict' });
      const after = await store.stats();
      equal(after.count.accepted - before.count.accepted, 1);
      equal(after.awaitingRefund - before.awaitingRefund, 1);
      equal(after.contradicted - before.contradicted, 1);
      const { createdAt } = await stored(store, guard.id);
      deepEqual(after.oldest.accepted, before.oldest.accepted ?? createdAt);
      await store.update(accepted, { state: 'delivered' }, { event: 'deliver' });
      equal('delivered' in (await store.stats()).oldest, false);
    },
  ],
  [
    'stats of a run counts its orders alone, and adds up what was spent for them on any day',
    async ({ store, pass }) => {
      const run = newId();
      const order = newOrder({ run });
      const guard = await buying(store, { order });
      await store.insert(newOrder({ run }));
      const other = await buying(store, { order: newOrder({ run: newId() }) });
      await store.update(other, { ...accept(newId()), amount: 7 }, { event: 'accept' });
      const change = { ...accept(newId()), amount: 100.5, awaitingRefund: true } as const;
      await store.update(guard, change, { event: 'accept' });
      await pass(26 * 3_600_000);
      const { count, spent, awaitingRefund } = await store.stats({ run });
      matches(count, { placed: 1, accepted: 1, buying: 0 });
      deepEqual([spent, awaitingRefund], [100.5, 1]);
      equal((await store.stats({ run, since: new Date(0), until: new Date(1) })).spent, 0);
    },
  ],
  [
    'stats adds up what was spent today or in a range, without what failed or was refused',
    async ({ store }) => {
      const spent = async (query?: StatsQuery) => (await store.stats(query)).spent;
      const near = (actual: number, expected: number) =>
        ok(Math.abs(actual - expected) < 0.01, `spent ${actual}`);
      const before = await spent();
      const first = newOrder();
      for (const state of ['delivered', 'failed', 'refused', 'accepted'] as const) {
        const guard = await buying(store, state === 'delivered' ? { order: first } : {});
        await store.update(guard, { state, amount: 100.5, dueInMs: undefined }, { event: 'note' });
      }
      near((await spent()) - before, 201);
      const from = (await stored(store, first.id)).createdAt;
      ok((await spent({ since: new Date(from.getTime() - 1) })) >= 201);
      near(await spent({ until: new Date(0) }), 0);
      ok((await spent({ timeZone: 'Africa/Lagos' })) >= 0);
    },
  ],
  [
    'awaitsReference tells whether an order in buying, unknown, or review after it may have been charged may still have a reference',
    async ({ store, pass }) => {
      await settleAll(store);
      equal(await store.awaitsReference(), false);
      const guard = await buying(store);
      equal(await store.awaitsReference(), true, 'buying');
      await store.update(guard, { state: 'review', dueInMs: undefined }, { event: 'review' });
      equal(await store.awaitsReference(), false, 'in review uncharged');
      const review = { ...guard, state: 'review' } as const;
      await store.update(review, { state: 'unknown', mayHaveCharged: true }, { event: 'retry' });
      equal(await store.awaitsReference(), true, 'unknown');
      await store.update({ ...guard, state: 'unknown' }, { state: 'review' }, { event: 'review' });
      equal(await store.awaitsReference(), true, 'in review after a possible charge');
      const { createdAt } = await stored(store, guard.id);
      equal(await store.awaitsReference(createdAt), false, 'placed before this time');
      await pass(5);
      equal(await store.awaitsReference(new Date(createdAt.getTime() + 1)), true);
      await store.update(review, { reference: newId() }, undefined);
      equal(await store.awaitsReference(), false, 'it has a reference');
      await store.update(review, end, { event: 'refuse' });
    },
  ],
];
