import { describe, expect, it } from 'vitest';
import { InsufficientBalanceError, QueueUnavailableError, ServerError } from '../../src/index.js';
import { checkOrder, DuplicateOrderError, type OrderInput } from '../../src/orders/index.js';
import { openShop, purchaseOf, transactionOf } from './support/shop.js';
import { airtimeOrder } from './support/store-contract.js';

describe('checkOrder', () => {
  it.each<[unknown, string]>([
    [{ ...airtimeOrder('a'), id: '' }, 'id'],
    [{ id: 'a', product: 'airtime', params: { biller: 'MTN', recipient: '0803', amount: 5.001 } }, 'amount'],
    // What no database can store.
    [airtimeOrder('x'.repeat(256)), 'id'],
    [airtimeOrder('a\0b'), 'id'],
    [airtimeOrder('a\ud83d'), 'id'],
    [{ id: 'a', product: 'airtime', params: { biller: 'MTN', recipient: '0803\0', amount: 5 } }, 'recipient'],
    [{ ...airtimeOrder('a'), product: 'water' }, 'product'],
    [{ id: 'a', product: 'airtime', params: { biller: 'MTN', recipient: '', amount: 5 } }, 'recipient'],
    [undefined, 'order'],
  ])('says what place would refuse, and stores nothing: %#', async (input, field) => {
    const { orders } = openShop();
    const errors = checkOrder(input);
    expect(Object.keys(errors ?? {})).toEqual([field]);
    await expect(orders.place(input as OrderInput)).rejects.toMatchObject({
      name: 'ValidationError',
      errors,
      mayHaveCharged: false,
    });
    expect(await orders.list()).toEqual([]);
  });

  it('has nothing to say about an order that can be placed', () => {
    expect(checkOrder(airtimeOrder('a'))).toBeUndefined();
    expect(checkOrder(airtimeOrder('€'.repeat(255)))).toBeUndefined();
  });
});

describe('a double tap', () => {
  it('is refused with the order that was placed first, and not where it is allowed', async () => {
    const { orders, jobs, pass } = openShop({ duplicateWithin: 60_000 });
    await orders.place(airtimeOrder('first'), { customer: 'ada' });
    const error = await orders.place(airtimeOrder('second'), { customer: 'ada' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(DuplicateOrderError);
    expect(error).toMatchObject({
      orderId: 'second',
      order: { id: 'first', state: 'placed' },
      mayHaveCharged: false,
    });
    expect(JSON.stringify(error)).not.toContain('08031234567');
    expect(await orders.find('second')).toBeUndefined();
    expect(jobs).toHaveLength(1);
    await orders.place(airtimeOrder('other customer'), { customer: 'bola' });
    await orders.place(airtimeOrder('wanted twice'), { customer: 'ada', allowDuplicate: true });
    pass(60_001);
    await orders.place(airtimeOrder('later'), { customer: 'ada' });
    // The same id is the same order, however soon.
    expect(await orders.place(airtimeOrder('later'))).toMatchObject({ id: 'later' });
  });

  it('is not looked for unless it is asked for', async () => {
    const { orders } = openShop();
    await orders.place(airtimeOrder('first'));
    await orders.place(airtimeOrder('second'));
    await expect(orders.place(airtimeOrder('third'), { duplicateWithin: 1000 })).rejects.toBeInstanceOf(
      DuplicateOrderError,
    );
  });
});

describe('cancel', () => {
  it('ends an order that was certainly never charged, once, with its hook and its note', async () => {
    const { orders, place, hooked, asked } = openShop();
    await place();
    expect(await orders.cancel('order-7', { note: 'the customer changed his mind' })).toMatchObject({
      state: 'refused',
    });
    await expect(orders.cancel('order-7')).rejects.toMatchObject({ code: 'ORDER_STATE', state: 'refused' });
    await orders.buy('order-7');
    await orders.run('order-7');
    expect(hooked()).toEqual(['refused order-7']);
    expect(asked).toEqual([]);
    expect((await orders.history('order-7')).at(-1)).toMatchObject({
      event: 'cancel',
      detail: { note: 'the customer changed his mind' },
    });
  });

  it('refuses an order that may have been charged, and says why', async () => {
    const { orders, place, purchases, hooked } = openShop();
    await place();
    purchases.push(new ServerError('500', { status: 500, mayHaveCharged: true }));
    await orders.buy('order-7');
    await expect(orders.cancel('order-7')).rejects.toThrow('It may have been charged');
    expect(await orders.find('order-7')).toMatchObject({ state: 'unknown' });
    expect(hooked()).toEqual([]);
  });

  it('and buy do not both happen, whoever is first', async () => {
    const { orders, place, purchases, asked, hooked } = openShop();
    await place();
    purchases.push(purchaseOf('TXN-1'));
    const [cancelled] = await Promise.allSettled([orders.cancel('order-7'), orders.buy('order-7')]);
    expect([cancelled.status === 'fulfilled', asked.length]).toEqual(
      cancelled.status === 'fulfilled' ? [true, 0] : [false, 1],
    );
    expect(hooked()).toEqual(cancelled.status === 'fulfilled' ? ['refused order-7'] : []);
  });
});

describe('expireAfter', () => {
  it('ends an order that was certainly never charged, and is no limit for an unknown one', async () => {
    const { orders, purchases, pass, hooked, asked } = openShop({ expireAfter: 60_000 });
    await orders.place(airtimeOrder('deferred'));
    await orders.place(airtimeOrder('doubtful'));
    await orders.place(airtimeOrder('patient'), { expireAfter: 3_600_000 });
    purchases.push(
      new QueueUnavailableError('503', { status: 503, code: 'QUEUE_UNAVAILABLE', attempts: 1 }),
      new ServerError('500', { status: 500, mayHaveCharged: true }),
    );
    await orders.buy('deferred');
    await orders.buy('doubtful');
    pass(120_000);
    purchases.push(purchaseOf('TXN-1'), purchaseOf('TXN-2'));
    await orders.runUntilIdle();
    expect(await orders.find('deferred')).toMatchObject({ state: 'refused' });
    expect(await orders.find('doubtful')).toMatchObject({ state: 'accepted' });
    expect(await orders.find('patient')).toMatchObject({ state: 'accepted' });
    expect(hooked()).toEqual(['refused deferred']);
    expect(asked).toHaveLength(4);
    expect((await orders.history('deferred')).at(-1)).toMatchObject({ event: 'expire' });
  });

  it('is not exceeded by the wait before the next attempt', async () => {
    const { orders, place, purchases, pass } = openShop({ expireAfter: 60_000, retryDelay: () => 900_000 });
    await place();
    purchases.push(new QueueUnavailableError('503', { status: 503, code: 'QUEUE_UNAVAILABLE', attempts: 1 }));
    await orders.buy('order-7');
    pass(60_001);
    await orders.runUntilIdle();
    expect(await orders.find('order-7')).toMatchObject({ state: 'refused' });
  });

  it('bounds an attempt, with the waits of the client in it; an unknown one has all the time', async () => {
    const { orders, purchases, asked, pass } = openShop({ expireAfter: 60_000 });
    await orders.place(airtimeOrder('late'));
    pass(50_000);
    purchases.push(new ServerError('500', { status: 500, mayHaveCharged: true }), purchaseOf('TXN-1'));
    await orders.buy('late');
    await orders.buy('late');
    expect(asked.map(({ options }) => options?.totalTimeout)).toEqual([10_000, 120_000]);
  });

  it('ends an order whose first job was taken too late, because no worker ran', async () => {
    const { orders, jobs, pass, hooked, asked } = openShop({ expireAfter: 60_000 });
    await orders.place(airtimeOrder('late'));
    pass(60_001);
    for (const { id } of [...jobs]) await orders.run(id);
    expect(hooked()).toEqual(['refused late']);
    expect(asked).toEqual([]);
  });
});

describe('runUntilIdle', () => {
  it('works on everything that is due, and only that', async () => {
    const { orders, place, purchases, looks, pass, hooked } = openShop();
    for (let n = 0; n < 5; n++) {
      await place(`order-${n}`);
      purchases.push(purchaseOf(`TXN-${n}`));
      looks.push(transactionOf(`TXN-${n}`, { transaction_status: 'success' }));
    }
    await orders.runUntilIdle();
    expect((await orders.stats()).count).toMatchObject({ accepted: 5, delivered: 0 });
    await orders.runUntilIdle();
    expect(looks).toHaveLength(5);
    pass(30_001);
    await orders.runUntilIdle();
    expect((await orders.stats()).count).toMatchObject({ delivered: 5 });
    expect(hooked()).toHaveLength(5);
  });

  it('ends although a step fails again and again', async () => {
    const { orders, store, place, purchases, errors } = openShop();
    await place('broken');
    await place('sound');
    purchases.push(purchaseOf('TXN-1'));
    const { update } = store;
    Object.assign(store, {
      update: (...given: Parameters<typeof update>) =>
        given[0].id === 'broken' ? Promise.reject(new Error('the disk is full')) : update(...given),
    });
    await orders.runUntilIdle();
    expect(errors).toMatchObject([{ message: 'the disk is full' }]);
    expect(await orders.find('sound')).toMatchObject({ state: 'accepted' });
  });

  it('ends although the account is at fault and every wait is over at once', async () => {
    const { orders, place, client, purchases } = openShop({ retryDelay: () => 0 });
    for (let n = 0; n < 3; n++) await place(`order-${n}`);
    let asked = 0;
    client.purchase = async () => {
      if (++asked > 50) throw new Error('the test asked for too long');
      throw new InsufficientBalanceError('402', { status: 402, code: 'INSUFFICIENT_BALANCE', attempts: 1 });
    };
    await orders.runUntilIdle();
    expect(purchases).toEqual([]);
    expect(asked).toBe(3);
    expect((await orders.stats()).count).toMatchObject({ held: 3 });
  });
});
