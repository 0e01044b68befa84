import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { matches, rejectsWith } from './assertions.js';
import { accept, buying, eventsOf, newId, newOrder, placed, type StoreCase, stored } from './fixture.js';

/** What `update`, `transaction` and `history` must hold to. */
export const changing: readonly StoreCase[] = [
  [
    'find and history have nothing of an unknown id or reference',
    async ({ store }) => {
      equal(await store.find(newId()), undefined);
      equal(await store.findByReference(newId()), undefined);
      deepEqual(await store.history(newId()), []);
    },
  ],
  [
    'update changes an order only where id, state and attempt are those of the guard',
    async ({ store }) => {
      const guard = await buying(store);
      for (const other of [{ state: 'placed' }, { attempt: 0 }, { id: newId() }] as const) {
        equal(await store.update({ ...guard, ...other }, { amount: 1 }, { event: 'note' }), undefined);
      }
      matches(await stored(store, guard.id), { amount: undefined });
      deepEqual(await eventsOf(store, guard.id), ['place', 'begin']);
    },
  ],
  [
    'update lets one of two through that hold the same guard',
    async ({ store }) => {
      const guard = await buying(store);
      const reference = newId();
      const both = await Promise.all([
        store.update(guard, accept(reference), { event: 'accept' }),
        store.update(guard, accept(reference), { event: 'accept' }),
      ]);
      equal(both.filter(Boolean).length, 1);
      deepEqual(await eventsOf(store, guard.id), ['place', 'begin', 'accept']);
    },
  ],
  [
    'update keeps what is left out, and clears what is undefined',
    async ({ store }) => {
      const guard = await buying(store);
      const lastError = { name: 'ServerError', code: 'GATEWAY_ERROR', status: 500, message: 'x' };
      await store.update(guard, { lastError, amount: 12.34, tries: 3, token: '…6521' }, undefined);
      matches(await stored(store, guard.id), { lastError });
      const cleared = await store.update(guard, { lastError: undefined, dueInMs: undefined }, undefined);
      matches(cleared, { lastError: undefined, dueAt: undefined, amount: 12.34, tries: 3, token: '…6521' });
    },
  ],
  [
    'update measures what is due by the clock of the store',
    async ({ store, pass }) => {
      const guard = await buying(store, { dueInMs: 2000 });
      const whenDue = { ...guard, due: true };
      equal(await store.update(whenDue, { tries: 1 }, undefined), undefined);
      await pass(2500);
      matches(await store.update(whenDue, { tries: 1, dueInMs: 60_000 }, undefined), { tries: 1 });
      equal(await store.update(whenDue, { tries: 2 }, undefined), undefined);
    },
  ],
  [
    'update measures by the clock of the store whether an order has expired',
    async ({ store, pass }) => {
      const change = (id: string, tries: number) =>
        store.update({ ...placed(id), unexpired: true }, { tries }, undefined);
      const [patient, expiring] = [newOrder(), newOrder({ expireAfterMs: 2000 })];
      for (const order of [patient, expiring]) {
        await store.insert(order);
        matches(await change(order.id, 1), { tries: 1 });
      }
      await pass(2500);
      matches(await change(patient.id, 2), { tries: 2 });
      equal(await change(expiring.id, 2), undefined);
    },
  ],
  [
    'update keeps the time at which an order was first unknown: a second time does not restart the clock',
    async ({ store, pass }) => {
      const guard = await buying(store);
      await store.update(guard, { mayHaveCharged: true }, undefined);
      await pass(1500);
      const again = await store.update(guard, { mayHaveCharged: true }, undefined);
      equal(again?.mayHaveCharged, true);
      const later = await store.update(guard, { lastError: undefined, tries: 0 }, { event: 'retry' });
      equal(later?.mayHaveCharged, true, 'a later change took the mark away');
      ok(Number(again?.unknownForMs) >= 1500, `unknownForMs is ${again?.unknownForMs}`);
    },
  ],
  [
    'update stores what the books need, and keeps the time of the first acceptance and settlement',
    async ({ store, pass }) => {
      const guard = await buying(store);
      await store.update(guard, accept(newId()), { event: 'accept' });
      await pass(1500);
      const accepted = { ...guard, state: 'accepted' } as const;
      const books = { amountCharged: 490.5, commission: 9.81, refunded: true } as const;
      const change = { ...books, settled: true, contradicted: true, accepted: true } as const;
      const settled = await store.update(accepted, change, undefined);
      matches(settled, { ...books, contradicted: true, mayHaveCharged: true });
      matches(await store.update(accepted, { tries: 1 }, undefined), {
        ...books,
        contradicted: true,
        tries: 1,
      });
      ok(Number(settled?.acceptedForMs) >= 1500, `acceptedForMs is ${settled?.acceptedForMs}`);
      ok(settled?.settledAt instanceof Date && settled.acceptedAt instanceof Date);
      ok(settled.acceptedAt < settled.settledAt);
      await pass(1500);
      await store.update(accepted, { settled: true }, undefined);
      const { settledAt, updatedAt, amountCharged } = await stored(store, guard.id);
      ok(Number(settledAt) < Number(updatedAt) - 1000, 'a second settlement moved settledAt');
      equal(amountCharged, 490.5);
    },
  ],
  [
    'update stores that a refund is awaited, and that it is no longer',
    async ({ store }) => {
      const guard = await buying(store);
      for (const awaitingRefund of [true, false]) {
        await store.update(guard, { awaitingRefund }, undefined);
        matches(await stored(store, guard.id), { awaitingRefund });
      }
      matches(await store.update(guard, { refunded: true }, undefined), { refunded: true });
      matches(await store.update(guard, { refunded: false, tries: 7 }, undefined), {
        refunded: false,
        tries: 7,
      });
      matches(await stored(store, guard.id), { refunded: false, tries: 7, attempt: 1 });
    },
  ],
  [
    'update checks its guard in a transaction of the caller as well',
    async ({ store }) => {
      const guard = await buying(store);
      await store.transaction(async (client) => {
        for (const other of [{ state: 'placed' }, { attempt: 0 }] as const) {
          const moved = await store.update({ ...guard, ...other }, { tries: 5 }, { event: 'note' }, client);
          equal(moved, undefined);
        }
        equal(await store.update({ ...guard, due: true }, { tries: 5 }, undefined, client), undefined);
      });
      matches(await stored(store, guard.id), { tries: 0 });
      deepEqual(await eventsOf(store, guard.id), ['place', 'begin']);
    },
  ],
  [
    'update stores a reference once that two orders get at once',
    async ({ store }) => {
      const reference = newId();
      const guards = await Promise.all([buying(store), buying(store)]);
      const both = await Promise.allSettled(
        guards.map((guard) => store.update(guard, accept(reference), { event: 'accept' })),
      );
      deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      matches(
        both.find(({ status }) => status === 'rejected'),
        { reason: { name: 'DuplicateReferenceError' } },
      );
      equal((await store.list({ reference, limit: 5 })).length, 1);
    },
  ],
  [
    'update accepts a reference for one order only',
    async ({ store }) => {
      const [one, other] = [await buying(store), await buying(store)];
      const reference = newId();
      await store.update(one, accept(reference), { event: 'accept' });
      const second = store.update(other, accept(reference), { event: 'accept' });
      await rejectsWith(second, 'DuplicateReferenceError');
      matches(await store.findByReference(reference), { id: one.id });
      matches(await stored(store, other.id), { state: 'buying', reference: undefined });
      deepEqual(await eventsOf(store, other.id), ['place', 'begin']);
    },
  ],
  [
    'update stores texts that no database takes as they are',
    async ({ store }) => {
      const odd = 'half an emoji \ud83d, and \0';
      const guard = await buying(store);
      const lastError = { name: 'ServerError', message: odd };
      const change = { state: 'unknown', lastError, token: odd } as const;
      const moved = await store.update(guard, change, { event: 'unknown', detail: { error: lastError } });
      ok(moved?.lastError?.message.startsWith('half an emoji '));
      const line = (await store.history(guard.id)).at(-1);
      ok(line?.detail?.error?.message.startsWith('half an emoji '));
    },
  ],
  [
    'transaction commits as a whole, and rolls back as a whole',
    async ({ store }) => {
      const [kept, lost] = [await buying(store), await buying(store)];
      const order = newOrder();
      const accepted = await store.transaction(async (client) => {
        await store.update(kept, accept(newId()), { event: 'accept' }, client);
        return (await store.find(kept.id, client))?.state;
      });
      equal(accepted, 'accepted', 'a method with the client of the transaction sees what was written in it');
      const failing = store.transaction(async (client) => {
        await store.update(lost, accept(newId()), { event: 'accept' }, client);
        await store.insert(order, { client });
        throw new Error('the hook failed');
      });
      await rejects(failing, /the hook failed/);
      matches(await stored(store, kept.id), { state: 'accepted' });
      matches(await stored(store, lost.id), { state: 'buying', reference: undefined });
      deepEqual(await eventsOf(store, lost.id), ['place', 'begin']);
      equal(await store.find(order.id), undefined);
    },
  ],
  [
    'transaction that is rolled back leaves what others have committed meanwhile',
    async ({ store }) => {
      const [other, own] = [newOrder(), newOrder()];
      let placing: Promise<unknown> | undefined;
      const failing = store.transaction(async (client) => {
        await store.insert(own, { client });
        // Not awaited: a store that has one transaction at a time runs it after this one.
        placing = store.insert(other);
        await setTimeout(20);
        throw new Error('the hook failed');
      });
      await rejects(failing, /the hook failed/);
      await placing;
      matches(await stored(store, other.id), { state: 'placed' });
      equal(await store.find(own.id), undefined);
    },
  ],
  [
    'history has the line of insert and one line for each update with a note, with states, attempt and detail',
    async ({ store }) => {
      const guard = await buying(store);
      const detail = { error: { name: 'ServerError', message: 'x' } };
      await store.update(guard, { state: 'unknown', mayHaveCharged: true }, { event: 'unknown', detail });
      await store.update({ ...guard, state: 'unknown' }, { tries: 2 }, undefined);
      const lines = await store.history(guard.id);
      matches(lines, [
        { event: 'place', from: undefined, to: 'placed', attempt: 0, detail: undefined },
        { event: 'begin', from: 'placed', to: 'buying', attempt: 1, detail: undefined },
        { event: 'unknown', from: 'buying', to: 'unknown', attempt: 1, detail },
      ]);
      ok(lines.every(({ at }) => at instanceof Date));
    },
  ],
  [
    'what is handed in and out is a copy',
    async ({ store }) => {
      const order = newOrder();
      const params = { ...order.params };
      const { order: first } = await store.insert(order);
      Object.assign(order.params, { recipient: 'changed by the caller' });
      Object.assign(first.params, { recipient: 'changed by the caller' });
      first.createdAt.setTime(0);
      const detail = { note: 'as it was' };
      await store.update(placed(order.id), { tries: 1 }, { event: 'note', detail });
      detail.note = 'changed by the caller';
      const found = await stored(store, order.id);
      deepEqual(found.params, params);
      ok(found.createdAt.getTime() > 0);
      matches((await store.history(order.id)).at(-1), { detail: { note: 'as it was' } });
    },
  ],
];
