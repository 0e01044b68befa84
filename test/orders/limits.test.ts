import { describe, expect, it } from 'vitest';
import { NotFoundError, ServerError } from '../../src/index.js';
import { createOrders, memoryOrderStore } from '../../src/orders/index.js';
import type { OrderStore } from '../../src/orders/store.js';
import { idleQueue, openShop, purchaseOf, transactionOf } from './support/shop.js';
import { airtimeOrder } from './support/store-contract.js';

const lease = 150_000;
const hour = 3_600_000;

/** A process of its own for each step; each ends, or cannot store its result, while it buys. */
function dying(limits: object, wrap: (store: OrderStore<unknown>) => OrderStore<unknown>, isStuck: boolean) {
  let at = Date.UTC(2026, 0, 31, 12);
  let bought = 0;
  const store = memoryOrderStore({ now: () => at });
  const purchase = () => {
    bought++;
    return isStuck ? new Promise<never>(() => {}) : Promise.resolve(purchaseOf('TXN-1'));
  };
  const open = () =>
    createOrders<unknown>({
      billpay: { purchase, transactions: { status: async (reference) => transactionOf(reference) } },
      store: wrap(store),
      queue: idleQueue().queue,
      buyTimeout: lease,
      lease,
      onError: () => {},
      ...limits,
    });
  return {
    orders: open(),
    bought: () => bought,
    step: async () => {
      const running = open().run('order-7');
      await Promise.race([running.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 2))]);
      at += lease + 1;
    },
  };
}

const refusing = (store: OrderStore<unknown>): OrderStore<unknown> => ({
  ...store,
  update: async (guard, change, ...rest) => {
    if (change.reference !== undefined) throw new Error('index row size 2712 exceeds maximum');
    return store.update(guard, change, ...rest);
  },
});

describe.each([
  ['whose process ends in every attempt', (store: OrderStore<unknown>) => store, true],
  ['whose acceptance cannot be stored', refusing, false],
] as const)('an order %s', (_, wrap, isStuck) => {
  it.each([
    ['maxAttempts', { maxAttempts: 3, reviewAfter: 20 * 24 * hour }, 3],
    ['reviewAfter', { maxAttempts: 1000, reviewAfter: hour }, Math.floor(hour / lease) + 3],
  ])('goes to review by %s, and a person can end it', async (_, limits, most) => {
    const { orders, bought, step } = dying(limits, wrap, isStuck);
    await orders.place(airtimeOrder('order-7'));
    for (let n = 0; n < 3 * most && (await orders.find('order-7'))?.state !== 'review'; n++) await step();
    expect(await orders.find('order-7')).toMatchObject({
      state: 'review',
      mayHaveCharged: true,
      dueAt: undefined,
    });
    expect(bought()).toBeLessThanOrEqual(most);
    expect(await orders.resolve('order-7', { as: 'delivered', note: 'seen in the console' })).toMatchObject({
      state: 'delivered',
    });
  });
});

describe('the limits of an unknown order', () => {
  it('are checked when an attempt begins: nothing more is sent', async () => {
    const { orders, place, purchases, asked, pass } = openShop({ reviewAfter: 60_000 });
    await place();
    purchases.push(new ServerError('500', { status: 500, mayHaveCharged: true }));
    await orders.buy('order-7');
    pass(60_001);
    await orders.run('order-7');
    expect(await orders.find('order-7')).toMatchObject({ state: 'review' });
    expect(asked).toHaveLength(1);
  });

  it('leave one attempt to a person who retries', async () => {
    const { orders, place, purchases, asked, pass } = openShop({ reviewAfter: 60_000 });
    await place();
    purchases.push(new ServerError('500', { status: 500, mayHaveCharged: true }), purchaseOf('TXN-1'));
    await orders.buy('order-7');
    pass(60_001);
    await orders.run('order-7');
    expect(await orders.retry('order-7')).toMatchObject({ state: 'unknown' });
    expect(await orders.buy('order-7')).toMatchObject({ state: 'accepted' });
    expect(asked).toHaveLength(2);
  });
});

describe('an accepted order', () => {
  const accepted = async () => {
    const shop = openShop({ settleWithin: 24 * hour });
    await shop.place();
    shop.purchases.push(purchaseOf('TXN-1'));
    await shop.orders.buy('order-7');
    /** Looks whenever a look is due, for so long. */
    const follow = async (ms: number, look: () => void) => {
      const waits: number[] = [];
      for (let passed = 0; passed < ms; ) {
        const { dueAt, updatedAt } = (await shop.orders.find('order-7')) ?? {};
        if (!dueAt) break;
        const wait = Number(dueAt) - Number(updatedAt);
        waits.push(wait);
        passed += wait;
        shop.pass(wait);
        look();
        await shop.orders.run('order-7').catch(() => {});
      }
      return waits;
    };
    return { ...shop, follow };
  };

  it.each<[string, () => ReturnType<typeof transactionOf> | Error]>([
    ['stays pending', () => transactionOf('TXN-1')],
    ['is not known by its reference', () => new NotFoundError('404', { status: 404 })],
    ['failed and is not refunded', () => transactionOf('TXN-1', { transaction_status: 'failed' })],
  ])(
    'that %s beyond settleWithin goes to review after a last status check, and can be resolved',
    async (_, answer) => {
      const { orders, looks, follow, hooked } = await accepted();
      const waits = await follow(25 * hour, () => looks.push(answer()));
      const order = await orders.find('order-7');
      expect(order).toMatchObject({ state: 'review', mayHaveCharged: true, dueAt: undefined });
      expect(order?.lastError?.message).toBeTruthy();
      const total = waits.reduce((sum, wait) => sum + wait, 0);
      expect(total).toBeGreaterThanOrEqual(24 * hour);
      expect(total).toBeLessThan(25.5 * hour);
      expect(waits[0]).toBe(30_000);
      // Ever more slowly; the last wait ends at the limit.
      for (let n = 1; n < 6; n++) expect(waits[n]).toBeGreaterThanOrEqual(Number(waits[n - 1]));
      expect(waits.length).toBeLessThan(40);
      expect(await orders.resolve('order-7', { as: 'failed', note: 'refunded by hand' })).toMatchObject({
        state: 'failed',
        refunded: true,
      });
      expect(hooked()).toEqual(['failed order-7']);
    },
  );

  it('is checked more rarely while many others wait, so that purchases have room', async () => {
    const { orders, open, place, purchases, looks, pass } = openShop();
    for (let n = 0; n < 90; n++) {
      await place(`order-${n}`);
      purchases.push(purchaseOf(`TXN-${n}`));
      await orders.buy(`order-${n}`);
      looks.push(transactionOf(`TXN-${n}`));
    }
    pass(31_000);
    await open().run('order-0');
    const { dueAt, updatedAt } = (await orders.find('order-0')) ?? {};
    expect(Number(dueAt) - Number(updatedAt)).toBeGreaterThanOrEqual(3 * 60_000);
  });
});
