import { deepEqual, equal, ok } from 'node:assert/strict';
import type { OrderStore } from '../store.js';
import { accept, buying, end, newId, newOrder, type StoreCase } from './fixture.js';

/** Ends every order that could claim a webhook, such as those of cases that ran before on the same tables. */
async function endClaimants(store: OrderStore<unknown>): Promise<void> {
  for (const state of ['buying', 'unknown', 'review'] as const) {
    for (const { id, attempt } of await store.list({ state, limit: 1000 })) {
      await store.update({ id, state, attempt }, end, { event: 'note' });
    }
  }
}

/** What must hold for webhooks that come before their reference is stored. */
export const earlyWebhooks: readonly StoreCase[] = [
  [
    'keepEvent keeps the first webhook of a reference, until it is dropped',
    async ({ store }) => {
      const reference = newId();
      const before = (await store.stats()).keptEvents;
      await store.keepEvent({ reference, event: '{"event":"transaction.completed"}' });
      await store.keepEvent({ reference, event: '{"event":"transaction.failed"}' });
      const kept = await store.keptEvent(reference);
      equal(kept?.reference, reference);
      deepEqual(JSON.parse(kept?.event ?? ''), { event: 'transaction.completed' });
      equal((await store.stats()).keptEvents, before + 1);
      await store.dropEvent(reference);
      await store.dropEvent(reference);
      equal(await store.keptEvent(reference), undefined);
    },
  ],
  [
    'keepEvent stores texts that no database takes as they are',
    async ({ store }) => {
      const odd = 'half an emoji \ud83d, and \0';
      const reference = `odd \0 ${newId()}`;
      await store.keepEvent({ reference, event: JSON.stringify({ [odd]: [odd] }) });
      ok((await store.keptEvent(reference))?.event.includes('half an emoji '));
      await store.dropEvent(reference);
    },
  ],
  [
    'settleableEvents has a webhook once an order has its reference, or once no order can claim it any more',
    async ({ store, pass }) => {
      await endClaimants(store);
      const [older, foreign, newer] = [newId(), newId(), newId()];
      const [first, second] = [await buying(store), await buying(store)];
      for (const reference of [older, foreign, newer]) {
        await pass(5);
        await store.keepEvent({ reference, event: '{}' });
      }
      deepEqual(await store.settleableEvents(10), [], 'an order that is being bought may claim each');
      await store.update(first, accept(newer), { event: 'accept' });
      await store.update(second, accept(older), { event: 'accept' });
      const all = [
        { reference: older, orderId: second.id },
        { reference: newer, orderId: first.id },
        { reference: foreign, orderId: undefined },
      ];
      deepEqual(await store.settleableEvents(10), all, 'those of orders first, then the oldest first');
      deepEqual(await store.settleableEvents(2), all.slice(0, 2));
      deepEqual(await store.settleableEvents(10, foreign), all.slice(2));
      for (const { reference } of all) await store.dropEvent(reference);
      deepEqual(await store.settleableEvents(10), []);
    },
  ],
  [
    'settleableEvents leaves a webhook to an order in buying, unknown, or review after doubt that was placed before the webhook came',
    async ({ store, pass }) => {
      await endClaimants(store);
      const reference = newId();
      const settleable = async () => (await store.settleableEvents(10, reference)).length === 1;
      const guard = await buying(store);
      await pass(5);
      await store.keepEvent({ reference, event: '{}' });
      equal(await settleable(), false, 'buying');
      await store.update(guard, { state: 'review', dueInMs: undefined }, { event: 'review' });
      equal(await settleable(), true, 'in review without doubt: such an order was not charged');
      await store.update(
        { ...guard, state: 'review' },
        { state: 'unknown', doubted: true },
        { event: 'retry' },
      );
      equal(await settleable(), false, 'unknown');
      await store.update({ ...guard, state: 'unknown' }, { state: 'review' }, { event: 'review' });
      equal(await settleable(), false, 'in review after doubt');
      await store.update({ ...guard, state: 'review' }, end, { event: 'refuse' });
      equal(await settleable(), true, 'refused');
      await pass(5);
      await store.insert(newOrder());
      const later = await buying(store);
      equal(await settleable(), true, 'an order that was placed after the webhook came cannot claim it');
      await store.update(later, end, { event: 'note' });
      await store.dropEvent(reference);
    },
  ],
];
