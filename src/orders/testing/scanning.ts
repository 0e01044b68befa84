import { deepEqual, equal, ok } from 'node:assert/strict';
import type { StoredOrder } from '../order.js';
import type { DueQuery, OrderQuery, OrderStore, StatsQuery } from '../store.js';
import { matches } from './assertions.js';
import { accept, airtimeFor, buying, newId, newOrder, placed, type StoreCase, stored } from './fixture.js';

/** The ids of all pages of a query. */
async function pagesOf(store: OrderStore<unknown>, query: OrderQuery): Promise<string[]> {
  const ids: string[] = [];
  for (let after: StoredOrder | undefined; ; ) {
    const page: StoredOrder[] = await store.list({ ...query, after });
    ok(page.length <= query.limit, 'a page is longer than its limit');
    after = page.at(-1);
    if (!after) return ids;
    ids.push(...page.map(({ id }) => id));
  }
}

/** What `due`, `count`, `list` and `stats` must hold to. */
export const scanning: readonly StoreCase[] = [
  [
    'due has the orders whose time has come, by the clock of the store',
    async ({ store, pass }) => {
      const isDue = async (id: string) => (await store.due(10_000)).some((order) => order.id === id);
      const guard = await buying(store, { dueInMs: 2000 });
      equal(await isDue(guard.id), false);
      await pass(2500);
      equal(await isDue(guard.id), true);
      equal((await store.due(1)).length, 1);
      await store.update(guard, { dueInMs: undefined }, undefined);
      equal(await isDue(guard.id), false);
    },
  ],
  [
    'due has orders in doubt first, then placed and held ones, then accepted ones; of each the longest due first',
    async ({ store, pass }) => {
      const run = newId();
      const inRun = () => newOrder({ run });
      const accepted = await buying(store, { order: inRun() });
      await store.update(accepted, { ...accept(newId()), dueInMs: 0 }, { event: 'accept' });
      const held = await buying(store, { order: inRun() });
      await store.update(held, { state: 'held', dueInMs: 0 }, { event: 'hold' });
      await pass(5);
      const waiting = inRun();
      await store.insert(waiting);
      await pass(5);
      const doubtful = await buying(store, { order: inRun() });
      await store.update(doubtful, { state: 'unknown', dueInMs: 0 }, { event: 'doubt' });
      await pass(5);
      const dead = await buying(store, { order: inRun(), dueInMs: 0 });
      await pass(5);
      deepEqual(await store.due(10, { run }), [
        { id: doubtful.id, state: 'unknown' },
        { id: dead.id, state: 'buying' },
        { id: held.id, state: 'held' },
        { id: waiting.id, state: 'placed' },
        { id: accepted.id, state: 'accepted' },
      ]);
    },
  ],
  [
    'due has only the orders of some states, or those whose time to be bought is over, where that is asked for',
    async ({ store, pass }) => {
      const run = newId();
      const ids = async (query: DueQuery) => (await store.due(10, { run, ...query })).map(({ id }) => id);
      const accepted = await buying(store, { order: newOrder({ run }) });
      await store.update(accepted, { ...accept(newId()), dueInMs: 0 }, { event: 'accept' });
      const [brief, patient] = [
        newOrder({ run, expireAfterMs: 2000 }),
        newOrder({ run, expireAfterMs: 600_000 }),
      ];
      await store.insert(brief);
      await store.insert(newOrder({ run }));
      await store.insert(patient);
      deepEqual(await ids({ states: ['accepted', 'unknown'] }), [accepted.id]);
      equal((await ids({ states: ['placed', 'held'] })).length, 3);
      deepEqual(await ids({ expired: true }), []);
      await pass(2500);
      deepEqual(await ids({ expired: true }), [brief.id]);
      deepEqual(await ids({ expired: true, states: ['held'] }), []);
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
];
