import { describe, expect, it } from 'vitest';
import {
  AuthenticationError,
  BillerNotConfiguredError,
  ConnectionError,
  IdempotencyKeyReusedError,
  QueueUnavailableError,
  ServerError,
} from '../../src/index.js';
import { OrderNotFoundError, OrderStateError } from '../../src/orders/index.js';
import { openShop, purchaseOf } from './support/shop.js';
import { airtimeOrder } from './support/store-contract.js';

const unknown = () => new ServerError('500', { status: 500, mayHaveCharged: true, attempts: 1 });
const refused = () =>
  new BillerNotConfiguredError('422', { status: 422, code: 'GATEWAY_ERROR', attempts: 1 });
const later = () => new QueueUnavailableError('503', { status: 503, code: 'QUEUE_UNAVAILABLE', attempts: 1 });
const locked = () => new AuthenticationError('401', { status: 401, code: 'UNAUTHORIZED', attempts: 1 });

describe('placing', () => {
  it('stores the order and queues it', async () => {
    const { orders, jobs, place } = openShop();
    expect(await place()).toMatchObject({ id: 'order-7', state: 'placed', attempt: 0 });
    expect(jobs).toEqual([{ lane: 'purchase', id: 'order-7', delayMs: 0 }]);
    expect(await orders.find('order-7')).toMatchObject({ product: 'airtime', params: { amount: 500 } });
  });

  it('takes the same id with the same content for the same order, whatever the order of its fields', async () => {
    const { orders, jobs, place } = openShop();
    await place();
    const params = { amount: 500, recipient: '08031234567', biller: 'MTN' };
    expect(await orders.place({ id: 'order-7', product: 'airtime', params })).toMatchObject({
      state: 'placed',
    });
    expect(jobs).toHaveLength(1);
  });
});

describe('buying', () => {
  it('buys under the id of the order, and stores the reference', async () => {
    const { orders, place, purchases, asked } = openShop({ buyTimeout: 60_000 });
    await place();
    purchases.push(purchaseOf('TXN-1', 490));
    expect(await orders.buy('order-7')).toMatchObject({
      state: 'accepted',
      reference: 'TXN-1',
      amount: 490,
      attempt: 1,
      lastError: undefined,
    });
    expect(asked).toEqual([
      {
        item: { product: 'airtime', params: airtimeOrder().params, idempotency_key: 'order-7' },
        options: { totalTimeout: 60_000, resume: false },
      },
    ]);
    const { createdAt, dueAt } = (await orders.find('order-7')) ?? {};
    expect(Number(dueAt) - Number(createdAt)).toBe(30_000);
    expect((await orders.history('order-7')).map(({ event }) => event)).toEqual(['place', 'begin', 'accept']);
  });

  it('buys an order once, however often it is asked to', async () => {
    const { orders, place, purchases, asked } = openShop();
    await place();
    purchases.push(purchaseOf('TXN-1'));
    await orders.buy('order-7');
    expect(await orders.buy('order-7')).toMatchObject({ state: 'accepted' });
    expect(asked).toHaveLength(1);
  });

  it('rejects for an id that is not there', async () => {
    await expect(openShop().orders.buy('order-8')).rejects.toBeInstanceOf(OrderNotFoundError);
  });

  it('keeps an order of unknown outcome open, and resumes it under its key', async () => {
    const { orders, place, purchases, asked, hooked } = openShop();
    await place();
    purchases.push(unknown(), purchaseOf('TXN-1'));
    expect(await orders.buy('order-7')).toMatchObject({
      state: 'unknown',
      mayHaveCharged: true,
      lastError: { name: 'ServerError', status: 500 },
    });
    expect(await orders.buy('order-7')).toMatchObject({ state: 'accepted', reference: 'TXN-1' });
    expect(asked.map(({ options }) => options?.resume)).toEqual([false, true]);
    expect(hooked()).toEqual([]);
  });

  it('never takes a later refusal for the end of an order that was ever unknown', async () => {
    const { orders, place, purchases, hooked } = openShop();
    await place();
    purchases.push(unknown(), refused(), locked(), later(), purchaseOf('TXN-1'));
    for (const state of ['unknown', 'unknown', 'unknown', 'unknown', 'accepted']) {
      // While the account is at fault, the order would wait.
      await orders.resumeHeld();
      expect(await orders.buy('order-7')).toMatchObject({ state });
    }
    expect(hooked()).toEqual([]);
  });

  it('ends a refused order once, in the transaction of its state', async () => {
    const { orders, place, purchases, hooked, hooks } = openShop();
    await place();
    purchases.push(refused());
    expect(await orders.buy('order-7')).toMatchObject({ state: 'refused', dueAt: undefined });
    await orders.buy('order-7');
    await orders.run('order-7');
    expect(hooked()).toEqual(['refused order-7']);
    expect(hooks[0]?.context).toEqual({ client: {}, token: undefined });
  });

  it('places a refused order again when its hook throws, and ends it later', async () => {
    let broken = true;
    const ends: string[] = [];
    const { orders, place, purchases, errors } = openShop({
      on: {
        refused: (order) => {
          if (broken) throw new Error('the carts are locked');
          ends.push(order.id);
        },
      },
    });
    await place();
    purchases.push(refused(), refused());
    expect(await orders.buy('order-7')).toMatchObject({
      state: 'placed',
      lastError: { message: 'the carts are locked' },
    });
    expect(errors).toHaveLength(1);
    broken = false;
    expect(await orders.buy('order-7')).toMatchObject({ state: 'refused' });
    expect(ends).toEqual(['order-7']);
  });

  it('defers what may succeed later, and holds what is the fault of the account', async () => {
    const { orders, place, purchases, jobs } = openShop();
    await place();
    purchases.push(later(), locked(), purchaseOf('TXN-1'));
    expect(await orders.buy('order-7')).toMatchObject({ state: 'placed', tries: 1, mayHaveCharged: false });
    expect(jobs.at(-1)?.delayMs).toBeGreaterThanOrEqual(30_000);
    expect(await orders.buy('order-7')).toMatchObject({ state: 'held', tries: 1, mayHaveCharged: false });
    await orders.resumeHeld();
    expect(await orders.buy('order-7')).toMatchObject({ state: 'accepted' });
  });

  it('sends an order to review that has used up its attempts; it is unknown only if it was before', async () => {
    const { orders, place, purchases } = openShop({ maxAttempts: 2 });
    await place();
    purchases.push(later(), later());
    await orders.buy('order-7');
    expect(await orders.buy('order-7')).toMatchObject({ state: 'review', mayHaveCharged: false });
  });

  it('sends an order to review whose reference another order has', async () => {
    const { orders, place, purchases } = openShop();
    await place('order-7');
    await place('order-8');
    purchases.push(purchaseOf('TXN-1'), purchaseOf('TXN-1'));
    await orders.buy('order-7');
    expect(await orders.buy('order-8')).toMatchObject({
      state: 'review',
      mayHaveCharged: true,
      reference: undefined,
    });
  });

  it('takes anything that is no error of this package for doubt', async () => {
    const { orders, place, purchases } = openShop();
    await place();
    purchases.push(new TypeError('x is not a function'));
    expect(await orders.buy('order-7')).toMatchObject({ state: 'unknown', lastError: { name: 'TypeError' } });
  });

  it('keeps an order open whose error cannot be read', async () => {
    const { orders, place, purchases } = openShop();
    await place();
    const fail = () => {
      throw new Error('a getter');
    };
    purchases.push(Object.defineProperties(new Error('x'), { name: { get: fail }, message: { get: fail } }));
    expect(await orders.buy('order-7')).toMatchObject({
      state: 'unknown',
      lastError: { name: 'Error', message: '' },
    });
  });
});

it('a step of an order that is not there, or is not due, does nothing and tells when it is due', async () => {
  const { orders, place, purchases, asked, pass } = openShop();
  expect(await orders.run('order-7')).toBeUndefined();
  await place();
  purchases.push(purchaseOf('TXN-1'));
  expect(await orders.run('order-7')).toBe(30_000);
  pass(10_000);
  expect(await orders.run('order-7')).toBe(20_000);
  expect(asked).toHaveLength(1);
});

describe('a customer who asks while a worker of the same process has the order', () => {
  /** Buys beside a worker's step, which began 0 to 6 microtasks before. Returns the states that the customer saw. */
  async function buyBesideWorker(prepare: (shop: ReturnType<typeof openShop>) => Promise<void>) {
    const seen = new Set<string>();
    for (let lag = 0; lag <= 6; lag++) {
      const shop = openShop();
      await prepare(shop);
      const working = shop.orders.run('order-7');
      for (let n = 0; n < lag; n++) await Promise.resolve();
      seen.add((await shop.orders.buy('order-7')).state);
      await working;
    }
    return [...seen];
  }

  it('learns that the account is at fault, though the worker leaves the order as it is', async () => {
    const seen = await buyBesideWorker(async ({ orders, place, purchases }) => {
      purchases.push(locked());
      await place('order-6');
      await orders.buy('order-6');
      await place('order-7');
    });
    expect(seen).toEqual(['held']);
  });

  it('buys at once, though the worker finds that the order is not due', async () => {
    const seen = await buyBesideWorker(async ({ orders, place, purchases }) => {
      await place('order-7');
      purchases.push(later(), purchaseOf('TXN-1'));
      await orders.buy('order-7');
    });
    expect(seen).toEqual(['accepted']);
  });
});

describe('an order that was bought has a job for its next step', () => {
  it.each([
    { checkAfter: 29_999, checks: [{ lane: 'check', id: 'order-7', delayMs: 29_999 }] },
    { checkAfter: 30_000, checks: [] },
  ])('but for a check that the sweep finds: after $checkAfter ms', async ({ checkAfter, checks }) => {
    const { orders, place, purchases, jobs } = openShop({ retryDelay: () => 5000, checkAfter });
    await place();
    purchases.push(later(), purchaseOf('TXN-1'));
    const { dueInMs } = await orders.buy('order-7');
    await orders.buy('order-7');
    expect(jobs.slice(1)).toEqual([{ lane: 'purchase', id: 'order-7', delayMs: dueInMs }, ...checks]);
  });
});

describe('a retryDelay of the caller', () => {
  it.each<[string, () => number]>([
    ['gives no number', () => Number.NaN],
    ['gives a time in the past', () => -1],
    ['gives no end', () => Number.POSITIVE_INFINITY],
    [
      'throws',
      () => {
        throw new Error('no delay');
      },
    ],
  ])('that %s is told, and the backoff is used', async (_, retryDelay) => {
    const { orders, place, purchases, errors } = openShop({ retryDelay });
    await place();
    purchases.push(later());
    const { state, dueAt, updatedAt } = await orders.buy('order-7');
    expect(state).toBe('placed');
    expect(Number(dueAt) - Number(updatedAt)).toBeGreaterThan(0);
    expect(errors).toHaveLength(1);
  });
});

describe('several processes', () => {
  it('does not buy what another process is buying', async () => {
    const { orders, open, place, purchases, asked } = openShop();
    await place();
    let answer = (_: ReturnType<typeof purchaseOf>) => {};
    purchases.push(() => new Promise((resolve) => (answer = resolve)));
    const first = orders.buy('order-7');
    await Promise.resolve();
    while (asked.length === 0) await Promise.resolve();
    expect(await open().buy('order-7')).toMatchObject({ state: 'buying', attempt: 1 });
    answer(purchaseOf('TXN-1'));
    expect(await first).toMatchObject({ state: 'accepted' });
    expect(asked).toHaveLength(1);
  });

  it('takes over from a process that froze, which then changes nothing', async () => {
    const { orders, open, place, purchases, asked, pass } = openShop({ buyTimeout: 10_000 });
    await place();
    let wake = (_: Error) => {};
    purchases.push(() => new Promise((_, reject) => (wake = reject)), purchaseOf('TXN-1'));
    const frozen = orders.buy('order-7');
    while (asked.length === 0) await Promise.resolve();
    pass(40_001);
    const other = open();
    await other.run('order-7');
    expect(asked[1]?.options?.resume).toBe(true);
    expect(await other.find('order-7')).toMatchObject({
      state: 'accepted',
      attempt: 2,
      mayHaveCharged: true,
    });
    wake(refused());
    expect(await frozen).toMatchObject({ state: 'accepted', reference: 'TXN-1' });
  });
});

it.each([
  ['a key that was used for another purchase', 'review'],
  ['an accepted purchase whose response could not be used otherwise', 'accepted'],
] as const)('an order keeps the reference that came with %s', async (what, state) => {
  const { orders, place, purchases } = openShop();
  await place();
  const context = { mayHaveCharged: true, purchase: purchaseOf('TXN-1') };
  purchases.push(
    state === 'review' ? new IdempotencyKeyReusedError(what, context) : Object.assign(unknown(), context),
  );
  const order = await orders.buy('order-7');
  expect(order.state).toBe(state);
  expect(state === 'review' ? order.lastError?.reference : order.reference).toBe('TXN-1');
  expect((await orders.history('order-7')).at(-1)?.detail?.reference).toBe('TXN-1');
});

describe('placing an order again', () => {
  it('tells that it was there already', async () => {
    const { place } = openShop();
    expect(await place()).toMatchObject({ isNew: true });
    expect(await place()).toMatchObject({ isNew: false });
  });
});

describe('what a person does', () => {
  const inReview = async (mayHaveCharged: boolean) => {
    const shop = openShop({ maxAttempts: 1 });
    await shop.place();
    shop.purchases.push(mayHaveCharged ? unknown() : later());
    expect(await shop.orders.buy('order-7')).toMatchObject({ state: 'review' });
    return shop;
  };

  it.each([
    [true, 'unknown'],
    [false, 'placed'],
  ])('sends an order on its way again: unknown %s, %s', async (mayHaveCharged, state) => {
    const { orders, jobs } = await inReview(mayHaveCharged);
    expect(await orders.retry('order-7')).toMatchObject({ state, tries: 0 });
    expect(jobs.at(-1)).toEqual({ lane: 'purchase', id: 'order-7', delayMs: 0 });
  });

  it.each(['delivered', 'failed', 'refused'] as const)('ends a review as %s, with its hook', async (as) => {
    const { orders, hooked } = await inReview(true);
    expect(await orders.resolve('order-7', { as, note: 'asked the operator' })).toMatchObject({ state: as });
    expect(hooked()).toEqual([`${as} order-7`]);
    expect((await orders.history('order-7')).at(-1)).toMatchObject({
      to: as,
      detail: { note: 'asked the operator' },
    });
  });

  it('resolves an order with what the console of the service shows', async () => {
    const { orders, hooks } = await inReview(true);
    const decision = { as: 'delivered', note: 'seen in the console', reference: 'TXN-9' } as const;
    await expect(orders.resolve('order-7', { ...decision, amountCharged: 490.001 })).rejects.toMatchObject({
      option: 'amountCharged',
    });
    expect(
      await orders.resolve('order-7', { ...decision, amountCharged: 490, token: '1234-5678' }),
    ).toMatchObject({
      state: 'delivered',
      reference: 'TXN-9',
      amountCharged: 490,
      token: '…5678',
    });
    expect(hooks[0]?.context.token).toBe('1234-5678');
    expect((await orders.history('order-7')).at(-1)?.detail).toMatchObject({ reference: 'TXN-9' });
  });

  it('resolves only what is in review, and retries only what is open', async () => {
    const { orders, place, purchases } = openShop();
    await place();
    await expect(orders.resolve('order-7', { as: 'failed', note: '' })).rejects.toBeInstanceOf(
      OrderStateError,
    );
    expect(await orders.retry('order-7')).toMatchObject({ state: 'placed' });
    purchases.push(refused());
    await orders.buy('order-7');
    await expect(orders.retry('order-7')).rejects.toMatchObject({ code: 'ORDER_STATE', state: 'refused' });
    await expect(orders.retry('order-9')).rejects.toBeInstanceOf(OrderNotFoundError);
  });
});

describe('observing', () => {
  it('survives callbacks that reject: none is an unhandled rejection', async () => {
    const fail = async () => {
      throw new Error('the table is down');
    };
    const { orders, place, purchases } = openShop({ onTransition: fail, onError: fail, on: { held: fail } });
    await place();
    purchases.push(locked());
    expect(await orders.buy('order-7')).toMatchObject({ state: 'held' });
    // An unhandled rejection would end this file.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('tells each change of state, and survives an observer that throws', async () => {
    const seen: string[] = [];
    const { orders, place, purchases } = openShop({
      onTransition: (order, from, to) => {
        seen.push(`${order.id} ${from} ${to}`);
        throw new Error('the metrics are down');
      },
    });
    await place();
    purchases.push(new ConnectionError('x', { mayHaveCharged: true }), purchaseOf('TXN-1'));
    await orders.buy('order-7');
    await orders.buy('order-7');
    expect(seen).toEqual([
      'order-7 placed buying',
      'order-7 buying unknown',
      'order-7 unknown buying',
      'order-7 buying accepted',
    ]);
  });
});
