import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NotFoundError, UnexpectedResponseError } from '../../src/index.js';
import type { OrderInput } from '../../src/orders/index.js';
import { signWebhook } from '../../src/webhooks/index.js';
import { openShop, purchaseOf, transactionOf } from './support/shop.js';

const secret = 'whsec_0123456789abcdef0123456789abcdef';

const electricity: Extract<OrderInput, { product: 'electricity' }> = {
  id: 'order-7',
  product: 'electricity',
  params: { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid', amount: 5000 },
};
const token = '03600873271267716521';

/** A shop with one order, and what delivers its webhooks. */
function shopWith(options: Parameters<typeof openShop>[0] = {}) {
  const shop = openShop(options);
  const handler = shop.orders.webhookHandler({ secret, logger: { info() {}, warn() {}, error() {} } });
  const deliver = async (
    reference: string,
    event: string = 'transaction.completed',
    data: Record<string, unknown> = {},
  ) => {
    const body = JSON.stringify({
      event,
      timestamp: '2026-01-31T12:00:00Z',
      signature_version: 'v1',
      data: { reference, status: 'success', service_type: 'VTU_AIRTIME', amount: 500, token: null, ...data },
    });
    const headers = { ...signWebhook({ body, secret }) };
    const { status } = await handler(new Request('https://shop.test/', { method: 'POST', body, headers }));
    return status;
  };
  return { ...shop, deliver };
}

async function acceptedShop(options: Parameters<typeof openShop>[0] = {}, order?: OrderInput) {
  const shop = shopWith(options);
  await (order ? shop.orders.place(order) : shop.place());
  shop.purchases.push(purchaseOf('TXN-1'));
  await shop.orders.buy('order-7');
  return shop;
}

describe('a webhook', () => {
  it.each([
    ['transaction.completed', 'delivered'],
    ['transaction.failed', 'failed'],
  ])('%s ends its order as %s, once', async (event, state) => {
    const { orders, deliver, hooked } = await acceptedShop();
    expect(await deliver('TXN-1', event)).toBe(200);
    expect(await deliver('TXN-1', event)).toBe(200);
    expect(await orders.find('order-7')).toMatchObject({ state, dueAt: undefined });
    expect(hooked()).toEqual([`${state} order-7`]);
  });

  it.each([
    ['transaction.completed', 'review', { state: 'delivered' }],
    ['transaction.failed', 'delivered', { state: 'delivered', contradicted: true }],
  ] as const)(
    '%s is applied to an order that moved on to %s while it was read',
    async (event, state, expected) => {
      const { orders, store, deliver } = await acceptedShop();
      const { findByReference } = store;
      Object.assign(store, {
        async findByReference(reference: string) {
          const read = await findByReference(reference);
          // A lookup of another process is quicker.
          if (read) await store.update(read, { state, dueInMs: undefined }, undefined);
          return read;
        },
      });
      expect(await deliver('TXN-1', event)).toBe(200);
      expect(await orders.find('order-7')).toMatchObject(expected);
    },
  );

  it('comes again when a hook throws, and the order stays as it was', async () => {
    let broken = true;
    const { orders, deliver } = await acceptedShop({
      on: {
        delivered: () => {
          if (broken) throw new Error('the carts are locked');
        },
      },
    });
    expect(await deliver('TXN-1')).toBe(500);
    expect(await orders.find('order-7')).toMatchObject({ state: 'accepted' });
    broken = false;
    expect(await deliver('TXN-1')).toBe(200);
    expect(await orders.find('order-7')).toMatchObject({ state: 'delivered' });
  });

  it('that comes while its order is being bought is asked for again, and settles the order then', async () => {
    const { orders, place, purchases, deliver, hooked, unmatched } = shopWith();
    await place();
    const answers: number[] = [];
    purchases.push(async () => {
      answers.push(await deliver('TXN-1'));
      return purchaseOf('TXN-1');
    });
    expect(await orders.buy('order-7')).toMatchObject({ state: 'accepted' });
    answers.push(await deliver('TXN-1'));
    expect(answers).toEqual([503, 200]);
    expect(hooked()).toEqual(['delivered order-7']);
    expect(unmatched).toEqual([]);
  });

  it('is asked for again while an order is unknown, in review too, and handed over once none is', async () => {
    const { orders, place, purchases, deliver, unmatched, pass } = shopWith({ reviewAfter: 1 });
    await place();
    purchases.push(new TypeError('the line was cut'), new TypeError('the line was cut again'));
    await orders.buy('order-7');
    expect(await deliver('TXN-9')).toBe(503);
    pass(5000);
    expect(await orders.buy('order-7')).toMatchObject({ state: 'review' });
    expect(await deliver('TXN-9')).toBe(503);
    await orders.resolve('order-7', { as: 'refused', note: 'not in the history of the service' });
    expect(await deliver('TXN-9')).toBe(200);
    expect(unmatched).toMatchObject([{ event: 'transaction.completed', data: { reference: 'TXN-9' } }]);
  });

  it('that is older than every order being bought belongs to none of them', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 31, 12, 6) });
    onTestFinished(() => void vi.useRealTimers());
    const { orders, place, purchases, deliver, unmatched, pass } = shopWith();
    pass(360_000);
    await place();
    purchases.push(async () => {
      expect(await deliver('TXN-9')).toBe(200);
      return purchaseOf('TXN-1');
    });
    await orders.buy('order-7');
    expect(unmatched).toHaveLength(1);
  });

  it('finds an order that stored its reference while it was looked for', async () => {
    const { orders, store, deliver, unmatched } = await acceptedShop();
    vi.spyOn(store, 'findByReference').mockResolvedValueOnce(undefined);
    expect(await deliver('TXN-1')).toBe(200);
    expect(await orders.find('order-7')).toMatchObject({ state: 'delivered' });
    expect(unmatched).toEqual([]);
  });

  it('of no order here is handed over at once where no order can have it', async () => {
    const { deliver, unmatched } = shopWith();
    expect(await deliver('TXN-9')).toBe(200);
    expect(unmatched).toMatchObject([{ event: 'transaction.completed', data: { reference: 'TXN-9' } }]);
  });

  it('that is handed over carries no token', async () => {
    const { deliver, unmatched } = shopWith();
    await deliver('TXN-9', 'transaction.completed', { token });
    expect(JSON.stringify(unmatched)).not.toContain(token);
  });
});

describe('an end that contradicts the one that is stored', () => {
  it.each([
    ['transaction.failed', 'transaction.completed', 'failed', 'delivered'],
    ['transaction.completed', 'transaction.failed', 'delivered', 'failed'],
  ])('%s, then %s: changes nothing, and is reported once', async (first, second, state, reported) => {
    const { orders, deliver, hooked, errors } = await acceptedShop();
    await deliver('TXN-1', first);
    await deliver('TXN-1', first);
    expect(errors).toEqual([]);
    expect(await deliver('TXN-1', second)).toBe(200);
    expect(await deliver('TXN-1', second)).toBe(200);
    expect(await orders.find('order-7')).toMatchObject({ state, contradicted: true });
    expect(hooked()).toEqual([`${state} order-7`]);
    expect(errors).toMatchObject([{ name: 'ContradictoryEndError', orderId: 'order-7', state, reported }]);
    expect((await orders.history('order-7')).at(-1)).toMatchObject({
      event: 'contradict',
      from: state,
      to: state,
      detail: { source: 'webhook', error: { name: 'ContradictoryEndError' } },
    });
    expect(await orders.stats()).toMatchObject({ contradicted: 1 });
  });

  it('is reported for an order that a person resolved as never charged', async () => {
    const { orders, deliver, errors, looks, pass } = await acceptedShop();
    pass(300_001);
    looks.push(transactionOf('TXN-2', { transaction_status: 'success' }));
    await orders.run('order-7');
    await orders.resolve('order-7', { as: 'refused', note: 'not in the history of the service' });
    expect(await orders.stats()).toMatchObject({ spent: 0 });
    await deliver('TXN-1');
    expect(errors).toMatchObject([{ state: 'refused', reported: 'delivered' }]);
  });
});

describe('what the books need', () => {
  it.each([
    ['a lookup', { amountCharged: 490, commission: 10 }],
    // What the amount of a webhook means is not documented.
    ['a webhook', { amountCharged: undefined, commission: undefined }],
  ])('is stored from %s', async (source, expected) => {
    const { orders, deliver, looks, pass } = await acceptedShop();
    pass(30_001);
    looks.push(transactionOf('TXN-1', { transaction_status: 'success', amount_charged: 490 }));
    if (source === 'a webhook') await deliver('TXN-1', 'transaction.completed', { amount: 495 });
    else await orders.run('order-7');
    expect(await orders.find('order-7')).toMatchObject({
      ...expected,
      state: 'delivered',
      refunded: false,
      settledAt: expect.any(Date),
    });
  });

  it('says that a failed purchase was refunded', async () => {
    const { orders, deliver } = await acceptedShop();
    await deliver('TXN-1', 'transaction.failed');
    expect(await orders.find('order-7')).toMatchObject({ refunded: true, settledAt: expect.any(Date) });
  });
});

describe('tokens', () => {
  it.each([
    ['a number with an exponent', 1.5e23],
    ['a number with a fraction', 0.5],
    ['one of a list', ['1234', 1.5e23]],
    ['one in an object', { pin: 1e22 }],
  ])('that came as %s, and so without their digits, send the order to review', async (_, sent) => {
    const { orders, deliver, looks, hooked } = await acceptedShop({}, electricity);
    expect(await deliver('TXN-1', 'transaction.completed', { token: sent })).toBe(200);
    expect(await orders.find('order-7')).toMatchObject({ state: 'accepted' });
    looks.push(transactionOf('TXN-1', Object({ transaction_status: 'success', token: sent })));
    await orders.run('order-7');
    expect(await orders.find('order-7')).toMatchObject({
      state: 'review',
      lastError: { message: expect.stringContaining('cannot be read exactly') },
    });
    expect(hooked()).toEqual([]);
  });

  it('go to the hook as they come; the order keeps the last four digits', async () => {
    const { orders, deliver, hooks } = await acceptedShop({}, electricity);
    await deliver('TXN-1', 'transaction.completed', { token });
    expect(hooks[0]?.context.token).toBe(token);
    expect(await orders.find('order-7')).toMatchObject({ state: 'delivered', token: '…6521' });
    expect(JSON.stringify(await orders.history('order-7'))).not.toContain(token);
  });

  it.each([
    [{ storeTokens: true }, token],
    [{ encryptToken: async (clear: string) => `sealed ${clear.length}` }, 'sealed 20'],
  ])('are stored as asked: %#', async (options, stored) => {
    const { orders, deliver } = await acceptedShop(options, electricity);
    await deliver('TXN-1', 'transaction.completed', { token });
    expect(await orders.find('order-7')).toMatchObject({ token: stored });
  });

  const education: OrderInput = {
    id: 'order-7',
    product: 'edu',
    params: { biller: 'WAEC', recipient: '08031234567', product_code: 'WAEC-PIN' },
  };
  const withoutToken = () => transactionOf('TXN-1', { transaction_status: 'success', token: null });

  it.each([
    ['prepaid electricity', electricity],
    ['education', education],
  ])('of %s that are missing at a success are checked for before it is delivered', async (_, order) => {
    const { orders, looks, hooks, pass } = await acceptedShop({}, order);
    for (const answer of [withoutToken(), withoutToken(), { ...withoutToken(), token }]) {
      looks.push(answer);
      pass(60_000);
      await orders.runUntilIdle();
    }
    expect(hooks.map(({ context }) => context.token)).toEqual([token]);
    expect(await orders.find('order-7')).toMatchObject({ state: 'delivered' });
  });

  it('that do not come within ten minutes send the order to review, which says what is missing', async () => {
    const { orders, looks, deliver, hooked, pass } = await acceptedShop({}, electricity);
    let minutes = 0;
    for (; (await orders.find('order-7'))?.state === 'accepted' && minutes < 60; minutes++) {
      looks.push(withoutToken());
      pass(60_000);
      await orders.runUntilIdle();
    }
    expect(minutes).toBe(11);
    expect(hooked()).toEqual([]);
    expect(await orders.find('order-7')).toMatchObject({
      state: 'review',
      lastError: { message: expect.stringContaining('its token did not come') },
    });
    // It comes later all the same.
    expect(await deliver('TXN-1', 'transaction.completed', { token })).toBe(200);
    expect(hooked()).toEqual(['delivered order-7']);
  });

  it('are not waited for where none was bought', async () => {
    const postpaid: OrderInput = {
      ...electricity,
      params: { ...electricity.params, meter_type: 'postpaid' },
    };
    const { orders, looks, hooked, pass } = await acceptedShop({}, postpaid);
    looks.push(withoutToken());
    pass(60_000);
    await orders.runUntilIdle();
    expect(hooked()).toEqual(['delivered order-7']);
  });

  it('are not lost sight of where the webhook of an order in review brings none', async () => {
    const shop = await acceptedShop({}, electricity);
    const { orders, deliver, looks, store, pass } = shop;
    pass(300_001);
    looks.push(transactionOf('TXN-2', { transaction_status: 'success' }));
    await orders.run('order-7');
    expect(await deliver('TXN-1')).toBe(200);
    expect(await orders.find('order-7')).toMatchObject({ state: 'review', dueAt: undefined });
    expect(await store.due('check', 10)).toEqual([]);
    expect((await orders.history('order-7')).at(-1)?.detail?.note).toContain('retry checks it');
    expect(await deliver('TXN-1', 'transaction.completed', { token })).toBe(200);
    expect(await orders.find('order-7')).toMatchObject({ state: 'delivered' });
  });

  it('are looked up where the webhook brings none', async () => {
    const { orders, deliver, looks, hooks, jobs } = await acceptedShop({}, electricity);
    expect(await deliver('TXN-1')).toBe(200);
    expect(await orders.find('order-7')).toMatchObject({ state: 'accepted' });
    expect(jobs.at(-1)).toEqual({ lane: 'check', id: 'order-7', delayMs: 0 });
    looks.push(transactionOf('TXN-1', { transaction_status: 'success', token }));
    await orders.run('order-7');
    expect(hooks[0]?.context.token).toBe(token);
  });
});

describe('looking up what stayed silent', () => {
  const look = async (...fields: Parameters<typeof transactionOf>) => {
    const shop = await acceptedShop();
    shop.pass(300_001);
    shop.looks.push(transactionOf(...fields));
    await shop.orders.run('order-7');
    return shop;
  };

  it.each([
    ['success', { transaction_status: 'success' }, 'delivered'],
    ['a refunded failure', { transaction_status: 'failed', refunded: true }, 'failed'],
  ] as const)('%s ends the order as %s', async (_, fields, state) => {
    const { orders, hooked } = await look('TXN-1', fields);
    expect(await orders.find('order-7')).toMatchObject({ state });
    expect(hooked()).toEqual([`${state} order-7`]);
  });

  it('does not look before it is due', async () => {
    const { orders } = await acceptedShop();
    await orders.run('order-7');
    expect(await orders.find('order-7')).toMatchObject({ state: 'accepted', tries: 0 });
  });

  it('keeps a pending order open and looks again, ever more slowly', async () => {
    const { orders, looks, pass } = await look('TXN-1');
    const wait = async () => {
      const { updatedAt, dueAt } = (await orders.find('order-7')) ?? {};
      return Number(dueAt) - Number(updatedAt);
    };
    const first = await wait();
    expect(first).toBeGreaterThanOrEqual(60_000);
    pass(first + 1);
    looks.push(transactionOf('TXN-1'));
    await orders.run('order-7');
    expect(await orders.find('order-7')).toMatchObject({ state: 'accepted', tries: 2 });
    expect(await wait()).toBeGreaterThanOrEqual(first);
  });

  it('keeps a failure open until its refund is seen, and counts it', async () => {
    const { orders, looks, pass, hooked } = await look('TXN-1', { transaction_status: 'failed' });
    expect(await orders.find('order-7')).toMatchObject({ state: 'accepted', awaitingRefund: true });
    expect(await orders.stats()).toMatchObject({ awaitingRefund: 1 });
    pass(900_000);
    looks.push(transactionOf('TXN-1', { transaction_status: 'failed', refunded: true }));
    await orders.run('order-7');
    expect(await orders.find('order-7')).toMatchObject({ state: 'failed', awaitingRefund: false });
    expect(hooked()).toEqual(['failed order-7']);
  });

  it('sends an order to review whose lookup is about another transaction', async () => {
    const { orders } = await look('TXN-2', { transaction_status: 'success' });
    expect(await orders.find('order-7')).toMatchObject({
      state: 'review',
      lastError: { name: 'UnexpectedResponseError' },
    });
  });

  it('sends an order to review whose client refuses the lookup as about another transaction', async () => {
    const shop = await acceptedShop();
    shop.pass(300_001);
    shop.looks.push(new UnexpectedResponseError('', { status: 200, otherReference: 'TXN-2' }));
    await shop.orders.run('order-7');
    expect(await shop.orders.find('order-7')).toMatchObject({
      state: 'review',
      lastError: { message: 'The status check of TXN-1 returned the transaction TXN-2.' },
    });
  });

  it('no longer awaits the refund of an order that a person has ended', async () => {
    const { orders, looks, pass } = await look('TXN-1', { transaction_status: 'failed' });
    expect(await orders.stats()).toMatchObject({ awaitingRefund: 1 });
    pass(900_000);
    looks.push(transactionOf('TXN-2', { transaction_status: 'success' }));
    await orders.run('order-7');
    await orders.resolve('order-7', { as: 'failed', note: 'the operator confirms the refund' });
    expect(await orders.stats()).toMatchObject({ awaitingRefund: 0 });
  });

  it('never buys such an order again: retry looks it up again', async () => {
    const { orders, looks, asked, hooked } = await look('TXN-2', { transaction_status: 'success' });
    expect(await orders.find('order-7')).toMatchObject({ mayHaveCharged: true });
    expect(await orders.retry('order-7')).toMatchObject({ state: 'accepted' });
    looks.push(transactionOf('TXN-1', { transaction_status: 'success' }));
    await orders.run('order-7');
    expect(hooked()).toEqual(['delivered order-7']);
    expect(asked).toHaveLength(1);
  });

  it('takes only true for a refund', async () => {
    const { orders, hooked } = await look(
      'TXN-1',
      Object({ transaction_status: 'failed', refunded: 'false' }),
    );
    expect(await orders.find('order-7')).toMatchObject({ state: 'accepted', awaitingRefund: true });
    expect(hooked()).toEqual([]);
  });

  it.each([
    [['111122223333', '444455556666'], '["111122223333","444455556666"]'],
    [{ pin: '111122223333' }, '{"pin":"111122223333"}'],
  ])('gives the hook a token that is no text as JSON: %j', async (token, text) => {
    const { orders, hooks } = await look('TXN-1', Object({ transaction_status: 'success', token }));
    expect(hooks[0]?.context.token).toBe(text);
    expect((await orders.find('order-7'))?.token).toMatch(/^…(6666|3333)$/);
  });

  it('keeps the token out of what is stored and thrown when a hook fails with it', async () => {
    const pin = 'WAEC7K2Q9M';
    const shop = await acceptedShop({
      on: {
        delivered: (_, context) => {
          const cause = Object.assign(new Error(`Failing row contains (${context.token})`), { detail: pin });
          throw new Error(`invalid input syntax for type timestamp: "${context.token}"`, { cause });
        },
      },
    });
    shop.pass(300_001);
    shop.looks.push(transactionOf('TXN-1', { transaction_status: 'success', token: pin }));
    const error = await shop.orders.run('order-7').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining('invalid input syntax') });
    expect(inspect(error, { depth: 9 })).not.toContain(pin);
    expect(JSON.stringify(await shop.orders.find('order-7'))).not.toContain(pin);
  });

  it('remembers why a look failed, and looks again', async () => {
    const shop = await acceptedShop({ sweepInterval: 3_600_000 });
    shop.pass(300_001);
    shop.looks.push(new NotFoundError('404', { status: 404 }));
    await expect(shop.orders.run('order-7')).rejects.toBeInstanceOf(NotFoundError);
    expect(await shop.orders.find('order-7')).toMatchObject({
      state: 'accepted',
      lastError: { status: 404 },
    });
    const { dueAt, updatedAt } = (await shop.orders.find('order-7')) ?? {};
    expect(Number(dueAt)).toBeGreaterThan(Number(updatedAt));
  });
});

describe('stats', () => {
  it('show the pacer where it is given', async () => {
    const stats = { waiting: 3, sent: 5, nextPurchaseAt: new Date(0), nextRequestAt: new Date(0) };
    const { orders } = openShop({ pacer: { stats: () => stats } });
    expect((await orders.stats()).pacer).toEqual(stats);
    expect((await openShop().orders.stats()).pacer).toBeUndefined();
  });
});
