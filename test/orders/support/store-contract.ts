import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuplicateReferenceError, type OrderInput, type OrderStore } from '../../../src/orders/index.js';

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

    it('measures what is due by its own clock', async () => {
      const guard = await buying(randomUUID(), 1000);
      const again = { ...guard, due: true };
      expect(await store.due(10_000)).not.toContain(guard.id);
      expect(await store.update(again, { tries: 1 }, undefined)).toBeUndefined();
      await under.pass(1100);
      expect(await store.due(10_000)).toContain(guard.id);
      expect(await store.update(again, { tries: 1, dueInMs: 60_000 }, undefined)).toMatchObject({ tries: 1 });
      expect(await store.due(10_000)).not.toContain(guard.id);
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
          await store.insert(placed, client);
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
      expect(after.spentToday - before.spentToday).toBeCloseTo(500, 2);
      expect(after.oldest.accepted).toBeInstanceOf(Date);
      await store.update({ ...guard, state: 'accepted' }, { state: 'delivered' }, { event: 'deliver' });
      expect(Object.keys((await store.stats()).oldest)).not.toContain('delivered');
    });

    it('lists what is due with the orders that were begun first', async () => {
      const guard = await buying();
      const later = airtimeOrder(randomUUID());
      await store.insert(later);
      await store.update(guard, { state: 'unknown', dueInMs: 0 }, { event: 'doubt' });
      await under.pass(1);
      const due = await store.due(10_000);
      expect(due.indexOf(guard.id)).toBeGreaterThanOrEqual(0);
      expect(due.indexOf(guard.id)).toBeLessThan(due.indexOf(later.id));
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
