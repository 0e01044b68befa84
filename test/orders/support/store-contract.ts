import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DuplicateReferenceError,
  type NewOrder,
  type OrderInput,
  type OrderQuery,
  type OrderStore,
  type StatsQuery,
} from '../../../src/orders/index.js';

/** A store under test, with a clock that the test moves where it can. */
export interface StoreUnderTest {
  readonly store: OrderStore<unknown>;
  /** Lets time pass by the clock of the store. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export const airtimeOrder = (id: string = randomUUID(), amount = 500): OrderInput => ({
  id,
  product: 'airtime',
  params: { biller: 'MTN', recipient: '08031234567', amount },
});

const accept = (reference: string) =>
  ({ state: 'accepted', reference, amount: 500, dueInMs: 60_000 }) as const;

/** What every order store must hold to. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the contract of a store: ${name}`, () => {
    let under: StoreUnderTest;
    let store: OrderStore<unknown>;

    beforeAll(async () => {
      under = await open();
      store = under.store;
    });
    afterAll(() => under.close());

    /** An order in state `buying`, at attempt 1. */
    const buying = async (id: string = randomUUID(), dueInMs = 60_000) => {
      await store.insert(airtimeOrder(id));
      const guard = { id, state: 'placed', attempt: 0 } as const;
      await store.update(guard, { state: 'buying', attempt: 1, dueInMs }, { event: 'begin' });
      return { id, state: 'buying', attempt: 1 } as const;
    };

    it('stores an order once, and gives back what is stored', async () => {
      const order = airtimeOrder();
      const first = await store.insert(order);
      const second = await store.insert({ ...order, params: { ...order.params, amount: 1 } } as OrderInput);
      expect([first.inserted, second.inserted]).toEqual([true, false]);
      expect(second.order).toMatchObject(order);
      expect(await store.find(order.id)).toMatchObject({
        ...order,
        state: 'placed',
        attempt: 0,
        doubted: false,
        doubtedForMs: 0,
        reference: undefined,
        amount: undefined,
        token: undefined,
        lastError: undefined,
        awaitingRefund: false,
        tries: 0,
      });
    });

    it('has no order of an unknown id or reference', async () => {
      expect(await store.find(randomUUID())).toBeUndefined();
      expect(await store.findByReference(randomUUID())).toBeUndefined();
      expect(await store.history(randomUUID())).toEqual([]);
    });

    it('changes an order only where state and attempt are as they were read', async () => {
      const guard = await buying();
      expect(await store.update({ ...guard, state: 'placed' }, { amount: 1 }, undefined)).toBeUndefined();
      expect(await store.update({ ...guard, attempt: 0 }, { amount: 1 }, undefined)).toBeUndefined();
      expect(await store.update({ ...guard, id: randomUUID() }, { amount: 1 }, undefined)).toBeUndefined();
      expect(await store.find(guard.id)).toMatchObject({ amount: undefined });
    });

    it('of two that hold the same guard lets one through', async () => {
      const guard = await buying();
      const reference = randomUUID();
      const both = await Promise.all([
        store.update(guard, accept(reference), { event: 'accept' }),
        store.update(guard, accept(reference), { event: 'accept' }),
      ]);
      expect(both.filter(Boolean)).toHaveLength(1);
      expect((await store.history(guard.id)).map(({ event }) => event)).toEqual(['place', 'begin', 'accept']);
    });

    it('keeps what is left out, and clears what is undefined', async () => {
      const guard = await buying();
      const lastError = { name: 'ServerError', status: 500, message: 'x' };
      await store.update(guard, { lastError, amount: 12.34, tries: 3, token: '…6521' }, undefined);
      const cleared = await store.update(guard, { lastError: undefined, dueInMs: undefined }, undefined);
      expect(cleared).toMatchObject({
        lastError: undefined,
        dueAt: undefined,
        amount: 12.34,
        tries: 3,
        token: '…6521',
      });
    });

    it('remembers since when an order has been in doubt', async () => {
      const guard = await buying();
      await store.update(guard, { doubted: true }, undefined);
      await under.pass(1500);
      await store.update(guard, { doubted: true }, undefined);
      const { doubted, doubtedForMs } = (await store.find(guard.id)) ?? {};
      expect(doubted).toBe(true);
      expect(doubtedForMs).toBeGreaterThanOrEqual(1500);
    });

    const dueIds = async () => (await store.due(10_000)).map(({ id }) => id);

    it('measures what is due by its own clock', async () => {
      const guard = await buying(randomUUID(), 1000);
      const again = { ...guard, due: true };
      expect(await dueIds()).not.toContain(guard.id);
      expect(await store.update(again, { tries: 1 }, undefined)).toBeUndefined();
      await under.pass(1100);
      expect(await dueIds()).toContain(guard.id);
      expect(await store.update(again, { tries: 1, dueInMs: 60_000 }, undefined)).toMatchObject({ tries: 1 });
      expect(await dueIds()).not.toContain(guard.id);
    });

    it('gives a reference to one order only', async () => {
      const [one, other] = [await buying(), await buying()];
      const reference = randomUUID();
      await store.update(one, accept(reference), { event: 'accept' });
      await expect(store.update(other, accept(reference), { event: 'accept' })).rejects.toBeInstanceOf(
        DuplicateReferenceError,
      );
      expect(await store.findByReference(reference)).toMatchObject({ id: one.id });
      expect(await store.find(other.id)).toMatchObject({ state: 'buying', reference: undefined });
    });

    it('commits a transaction as a whole, and rolls it back as a whole', async () => {
      const [kept, lost] = [await buying(), await buying()];
      const placed = airtimeOrder();
      const write = async (guard: Awaited<ReturnType<typeof buying>>, end: () => void) =>
        store.transaction(async (client) => {
          await store.update(guard, accept(randomUUID()), { event: 'accept' }, client);
          end();
          return 'done';
        });
      expect(await write(kept, () => {})).toBe('done');
      await expect(
        write(lost, () => {
          throw new Error('the hook failed');
        }),
      ).rejects.toThrow('the hook failed');
      await store
        .transaction(async (client) => {
          await store.insert(placed, { client });
          throw new Error('the cart was not stored');
        })
        .catch(() => {});
      expect(await store.find(kept.id)).toMatchObject({ state: 'accepted' });
      expect(await store.find(lost.id)).toMatchObject({ state: 'buying', reference: undefined });
      expect((await store.history(lost.id)).map(({ event }) => event)).toEqual(['place', 'begin']);
      expect(await store.find(placed.id)).toBeUndefined();
    });

    it('writes the history with states, attempt and detail', async () => {
      const guard = await buying();
      const detail = { error: { name: 'ServerError', message: 'x' } };
      await store.update(guard, { state: 'unknown', doubted: true }, { event: 'doubt', detail });
      expect(await store.history(guard.id)).toMatchObject([
        { event: 'place', from: undefined, to: 'placed', attempt: 0, detail: undefined },
        { event: 'begin', from: 'placed', to: 'buying', attempt: 1, detail: undefined },
        { event: 'doubt', from: 'buying', to: 'unknown', attempt: 1, detail },
      ]);
    });

    it('lists by state, newest first, page by page', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) {
        const guard = await buying();
        await store.update(
          guard,
          { state: 'review', doubted: true, dueInMs: undefined },
          { event: 'review' },
        );
        ids.unshift(guard.id);
        await under.pass(5);
      }
      const seen: string[] = [];
      for (let after: Awaited<ReturnType<typeof store.list>>[number] | undefined; ; ) {
        const page = await store.list({ state: 'review', limit: 2, after });
        if (page.length === 0) break;
        seen.push(...page.map(({ id }) => id));
        after = page.at(-1);
      }
      expect(seen.slice(0, 5)).toEqual(ids);
      expect(new Set(seen).size).toBe(seen.length);
      expect(await store.list({ since: new Date(Date.now() + 86_400_000_000), limit: 10 })).toEqual([]);
    });

    it('counts by state, with the oldest of each open state, refunds awaited and what was spent', async () => {
      const before = await store.stats();
      const guard = await buying();
      await store.update(guard, { ...accept(randomUUID()), awaitingRefund: true }, { event: 'accept' });
      const after = await store.stats();
      expect(after.count.accepted - before.count.accepted).toBe(1);
      expect(after.awaitingRefund - before.awaitingRefund).toBe(1);
      expect(after.spent - before.spent).toBeCloseTo(500, 2);
      expect(after.oldest.accepted).toBeInstanceOf(Date);
      await store.update({ ...guard, state: 'accepted' }, { state: 'delivered' }, { event: 'deliver' });
      expect(Object.keys((await store.stats()).oldest)).not.toContain('delivered');
    });

    it('lists what is due: doubt before new orders, and those before lookups', async () => {
      const [accepted, doubtful, dead] = [await buying(), await buying(), await buying()];
      await store.update(accepted, { ...accept(randomUUID()), dueInMs: 0 }, { event: 'accept' });
      await under.pass(5);
      const placed = airtimeOrder(randomUUID());
      await store.insert(placed);
      await under.pass(5);
      await store.update(doubtful, { state: 'unknown', dueInMs: 0 }, { event: 'doubt' });
      await store.update(dead, { dueInMs: 0 }, undefined);
      await under.pass(1);
      const due = await store.due(10_000);
      const own = [accepted, doubtful, dead, placed].map(({ id }) => id);
      const states = due.filter(({ id }) => own.includes(id)).map(({ state }) => state);
      expect(states.slice(0, 2).toSorted()).toEqual(['buying', 'unknown']);
      expect(states.slice(2)).toEqual(['placed', 'accepted']);
    });

    it('stores what the books need, and since when an order is accepted and settled', async () => {
      const guard = await buying();
      await store.update(guard, { ...accept(randomUUID()), accepted: true }, { event: 'accept' });
      await under.pass(1500);
      const accepted = { ...guard, state: 'accepted' } as const;
      const end = { amountCharged: 490.5, commission: 9.81, settled: true, refunded: true } as const;
      const settled = await store.update(accepted, { ...end, contradicted: true, accepted: true }, undefined);
      expect(settled).toMatchObject({
        amountCharged: 490.5,
        commission: 9.81,
        refunded: true,
        contradicted: true,
      });
      expect(settled?.acceptedForMs).toBeGreaterThanOrEqual(1500);
      expect(settled?.settledAt).toBeInstanceOf(Date);
      await under.pass(1500);
      await store.update(accepted, { settled: true }, undefined);
      const found = await store.find(guard.id);
      expect(found?.settledAt?.getTime()).toBeLessThan(Number(found?.updatedAt) - 1000);
    });

    it('keeps for whom an order is, its run and when it expires', async () => {
      const { order } = await store.insert({
        ...airtimeOrder(),
        customer: 'customer-1',
        run: 'payday',
        expireAfterMs: 60_000,
      });
      expect(order).toMatchObject({ customer: 'customer-1', run: 'payday' });
      expect(order.expiresInMs).toBeGreaterThan(50_000);
      await under.pass(70_000);
      expect((await store.find(order.id))?.expiresInMs).toBeLessThan(0);
      expect((await store.due(10_000, 'payday')).map(({ id }) => id)).toEqual([order.id]);
      expect(await store.list({ run: 'payday', limit: 5 })).toMatchObject([{ id: order.id }]);
    });

    it('stores many orders at once, each id once, and tells which of them were there before', async () => {
      const [before, first, second] = [airtimeOrder(), airtimeOrder(), airtimeOrder()];
      await store.insert(before);
      const placed = await store.insertMany([first, { ...before }, second, airtimeOrder(first.id, 900)]);
      expect(placed.map(({ order, inserted }) => [order.id, inserted])).toEqual([
        [first.id, true],
        [before.id, false],
        [second.id, true],
        [first.id, false],
      ]);
      expect(placed.at(-1)?.order.params).toEqual(first.params);
      expect(await store.insertMany([])).toEqual([]);
      expect((await store.history(second.id)).map(({ event }) => event)).toEqual(['place']);
    });

    it('finds what was placed before with the same content, and not what may be placed again', async () => {
      const recipient = randomUUID();
      const tap = (fields: object = {}): NewOrder => {
        const params = { biller: 'MTN', recipient, amount: 500, ...fields };
        return { id: randomUUID(), product: 'airtime', params };
      };
      const within = { duplicateWithinMs: 60_000 };
      const first = { ...tap(), customer: 'a' };
      expect(await store.insert(first, within)).toMatchObject({ inserted: true });
      // Its own id is the same order, and no duplicate.
      expect(await store.insert(first, within)).toMatchObject({ inserted: false, order: { id: first.id } });
      const again = await store.insert(tap(), within);
      expect(again).toMatchObject({ inserted: false, duplicate: true, order: { id: first.id } });
      expect(await store.insert({ ...tap(), customer: 'a' }, within)).toMatchObject({ duplicate: true });
      for (const other of [tap({ amount: 501 }), tap({ biller: 'GLO' }), { ...tap(), customer: 'b' }]) {
        const placed = await store.insert(other, within);
        expect(placed.duplicate).toBeUndefined();
        const guard = { id: other.id, state: 'placed', attempt: 0 } as const;
        await store.update(guard, { state: 'refused', dueInMs: undefined }, { event: 'cancel' });
      }
      await store.update(
        { id: first.id, state: 'placed', attempt: 0 },
        { state: 'refused', dueInMs: undefined },
        { event: 'cancel' },
      );
      const next = tap();
      expect(await store.insert(next, within)).toMatchObject({ inserted: true });
      await under.pass(61_000);
      expect(await store.insert(tap(), within)).toMatchObject({ inserted: true });
    });

    it('of many equal orders that are placed together stores one', async () => {
      const recipient = randomUUID();
      const params = { biller: 'MTN', recipient, amount: 500 };
      const taps = Array.from(
        { length: 8 },
        () => ({ id: randomUUID(), product: 'airtime', params }) as const,
      );
      const placed = await Promise.all(taps.map((tap) => store.insert(tap, { duplicateWithinMs: 60_000 })));
      expect(placed.filter(({ inserted }) => inserted)).toHaveLength(1);
      expect(new Set(placed.map(({ order }) => order.id)).size).toBe(1);
    });

    it('lists by recipient, reference, time of placing and time of settlement', async () => {
      const recipient = randomUUID();
      const reference = randomUUID();
      const ids: string[] = [];
      for (let n = 0; n < 3; n++) {
        const params = { biller: 'MTN', recipient, amount: 500 + n };
        const { order } = await store.insert({ id: randomUUID(), product: 'airtime', params });
        ids.unshift(order.id);
        await under.pass(5);
      }
      const [last = '', , first = ''] = ids;
      const listed = async (query: Omit<OrderQuery, 'limit'>) =>
        (await store.list({ ...query, limit: 10 })).map(({ id }) => id);
      expect(await listed({ recipient })).toEqual(ids);
      const at = (await store.find(last))?.createdAt ?? expect.fail();
      expect(await listed({ recipient, until: at })).toEqual(ids.slice(1));
      expect(await listed({ recipient, since: at })).toEqual([last]);
      const guard = { id: first, state: 'placed', attempt: 0 } as const;
      const ended = await store.update(
        guard,
        { state: 'delivered', reference, settled: true },
        { event: 'deliver' },
      );
      expect(await listed({ reference })).toEqual([first]);
      const settledAt = ended?.settledAt?.getTime() ?? Number.NaN;
      expect(await listed({ recipient, settled: {} })).toEqual([first]);
      expect(await listed({ recipient, settled: { since: new Date(settledAt) } })).toEqual([first]);
      expect(await listed({ recipient, settled: { until: new Date(settledAt - 1) } })).toEqual([]);
    });

    it('adds up what was spent today or in a range, without what failed or was refused', async () => {
      const spent = async (query?: StatsQuery) => (await store.stats(query)).spent;
      const before = await spent();
      const ended: string[] = [];
      for (const state of ['delivered', 'failed', 'refused', 'accepted'] as const) {
        const guard = await buying();
        await store.update(guard, { state, amount: 100, dueInMs: undefined }, { event: 'note' });
        ended.push(guard.id);
      }
      expect((await spent()) - before).toBeCloseTo(200, 2);
      const from = (await store.find(ended[0] ?? ''))?.createdAt ?? expect.fail();
      expect(await spent({ since: new Date(from.getTime() - 1) })).toBeGreaterThanOrEqual(200);
      expect(await spent({ until: new Date(0) })).toBe(0);
      expect(await spent({ timeZone: 'Africa/Lagos' })).toBeGreaterThanOrEqual(0);
    });

    it('counts the orders of a state', async () => {
      const before = await store.count('review');
      const guard = await buying();
      await store.update(guard, { state: 'review', dueInMs: undefined }, { event: 'review' });
      expect(await store.count('review')).toBe(before + 1);
      const contradicted = (await store.stats()).contradicted;
      await store.update({ ...guard, state: 'review' }, { contradicted: true }, { event: 'contradict' });
      expect((await store.stats()).contradicted).toBe(contradicted + 1);
    });

    it('stores texts that no database takes as they are', async () => {
      const odd = 'half an emoji \ud83d, and \0';
      const guard = await buying();
      const lastError = { name: 'ServerError', message: odd };
      const change = { state: 'unknown', lastError, token: odd } as const;
      const moved = await store.update(guard, change, { event: 'doubt', detail: { error: lastError } });
      expect(moved?.lastError?.message).toMatch(/^half an emoji /);
      expect((await store.history(guard.id)).at(-1)?.detail?.error?.message).toMatch(/^half an emoji /);
      const reference = `odd \0 ${randomUUID()}`;
      await store.keepEvent({ reference, event: JSON.stringify({ [odd]: [odd] }) });
      expect((await store.keptEvent(reference))?.event).toContain('half an emoji ');
      await store.dropEvent(reference);
    });

    it('keeps the first webhook of a reference until it is dropped', async () => {
      const reference = randomUUID();
      await store.keepEvent({ reference, event: '{"event":"transaction.completed"}' });
      await store.keepEvent({ reference, event: '{"event":"transaction.failed"}' });
      expect(JSON.parse((await store.keptEvent(reference))?.event ?? '')).toEqual({
        event: 'transaction.completed',
      });
      await store.dropEvent(reference);
      expect(await store.keptEvent(reference)).toBeUndefined();
    });

    it('tells a webhook of an order from one that an open order may still claim, and from a foreign one', async () => {
      // Orders of the tests above that could claim a webhook.
      for (const state of ['buying', 'unknown', 'review'] as const) {
        for (const { id, attempt } of await store.list({ state, limit: 1000 })) {
          await store.update(
            { id, state, attempt },
            { state: 'refused', dueInMs: undefined },
            { event: 'note' },
          );
        }
      }
      const [own, foreign] = [randomUUID(), randomUUID()];
      const guard = await buying();
      await under.pass(5);
      await store.keepEvent({ reference: own, event: '{}' });
      await store.keepEvent({ reference: foreign, event: '{}' });
      expect(await store.settleableEvents(10)).toEqual([]);
      await store.update(guard, accept(own), { event: 'accept' });
      expect(await store.settleableEvents(10, own)).toEqual([{ reference: own, orderId: guard.id }]);
      expect(await store.settleableEvents(10, foreign)).toEqual([{ reference: foreign, orderId: undefined }]);
      await store.dropEvent(own);
      await store.dropEvent(foreign);
    });
  });
}
