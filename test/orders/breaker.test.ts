import { describe, expect, it, vi } from 'vitest';
import {
  AccountRestrictedError,
  AuthenticationError,
  BillPay,
  ConfigurationError,
  InsufficientBalanceError,
  ServerError,
  ValidationError,
} from '../../src/index.js';
import {
  createOrders,
  inProcessQueue,
  memoryOrderStore,
  type Order,
  type OrderInput,
  type OrderQueue,
} from '../../src/orders/index.js';
import { useFakeClock } from '../support/clock.js';
import { idleQueue, purchaseOf, transactionOf } from './support/shop.js';
import { airtimeOrder } from './support/store-contract.js';

useFakeClock();

const minute = 60_000;
const empty = () =>
  new InsufficientBalanceError('402', { status: 402, code: 'INSUFFICIENT_BALANCE', attempts: 1 });

interface ShopOptions {
  readonly count?: number;
  readonly doubt?: boolean;
  readonly expireAfter?: number;
}

/** Orders on the faked clock, with a service that answers as `fault` says. */
function openShop({ count = 0, doubt = false, expireAfter }: ShopOptions = {}) {
  const asked: { id: string; at: number }[] = [];
  const held: string[] = [];
  const service = {
    fault: undefined as (() => Error) | undefined,
    faultOf: (_: string): Error | undefined => undefined,
    ended: false,
  };
  const store = memoryOrderStore();
  const billpay = {
    purchase: async ({ idempotency_key: id }: { idempotency_key: string }) => {
      asked.push({ id, at: Date.now() });
      const fault = service.fault?.() ?? service.faultOf(id);
      if (fault) throw fault;
      return purchaseOf(`TXN-${id}`);
    },
    transactions: {
      status: async (reference: string) =>
        transactionOf(reference, service.ended ? { transaction_status: 'success' } : {}),
    },
  };
  const open = (queue: OrderQueue = inProcessQueue()) =>
    createOrders({
      billpay,
      store,
      queue,
      sweepInterval: 5000,
      concurrency: 4,
      expireAfter,
      on: { held: ({ id }: Order) => held.push(id) },
      onError: () => {},
    });
  const orders = open();
  const place = async () => {
    for (let n = 0; n < count; n++) await orders.place(airtimeOrder(`order-${n}`));
    if (!doubt) return;
    service.fault = () => new ServerError('500', { status: 500, mayHaveCharged: true, attempts: 1 });
    for (let n = 0; n < count; n++) await orders.buy(`order-${n}`);
    asked.length = 0;
  };
  const billed = (id: string, amount: number) => airtimeOrder(id, amount);
  return { orders, open, place, asked, held, service, store, billed };
}

describe('an account at fault', () => {
  it.each<[string, () => Error]>([
    ['402', empty],
    ['401', () => new AuthenticationError('401', { status: 401, code: 'UNAUTHORIZED', attempts: 1 })],
    [
      '403',
      () => new AccountRestrictedError('403', { status: 403, code: 'ACCOUNT_RESTRICTED', attempts: 1 }),
    ],
    ['a wrong option', () => new ConfigurationError('apiKey', 'is missing')],
  ])(
    '(%s) stops the buying: one order tries, after 1, 2, 4, 8 and then every 15 minutes',
    async (_, fault) => {
      const { orders, place, asked, held, service } = openShop({ count: 300 });
      await place();
      service.fault = fault;
      const worker = orders.start();
      await vi.advanceTimersByTimeAsync(62 * minute);
      // Those that were under way together, and then one at a time.
      const began = asked[0]?.at ?? 0;
      const later = asked.filter(({ at }) => at > began + 1000).map(({ at }) => at);
      expect(asked.length - later.length).toBeLessThanOrEqual(4);
      const waits = later.map((at, n) => Math.round((at - (later[n - 1] ?? began)) / minute));
      expect(waits).toEqual([1, 2, 4, 8, 15, 15, 15]);
      expect(held).toHaveLength(asked.length);
      const { breaker, count } = await orders.stats();
      expect(breaker).toMatchObject({ since: new Date(began), error: { name: fault().name } });
      expect(breaker?.nextTryAt.getTime()).toBeGreaterThan(Date.now());
      expect(count.placed + count.held).toBe(300);

      service.fault = undefined;
      await orders.resumeHeld();
      await vi.advanceTimersByTimeAsync(2 * minute);
      expect(await orders.stats()).toMatchObject({ breaker: undefined, count: { accepted: 300 } });
      await worker.stop();
    },
  );

  it('uses up no attempt of an unknown order, and its doubt stays', async () => {
    const { orders, place, service } = openShop({ count: 1, doubt: true });
    await place();
    service.fault = () => Object.assign(empty(), { mayHaveCharged: true });
    await orders.buy('order-0');
    expect(await orders.find('order-0')).toMatchObject({ state: 'unknown', mayHaveCharged: true, tries: 1 });
    expect((await orders.stats()).breaker).toBeDefined();
  });

  it('is learned by a customer who buys: the order is held, and nothing is sent', async () => {
    const { orders, place, asked, held, service } = openShop({ count: 2 });
    await place();
    service.fault = empty;
    expect(await orders.buy('order-0')).toMatchObject({ state: 'held' });
    expect(await orders.buy('order-1')).toMatchObject({
      state: 'held',
      lastError: { name: 'InsufficientBalanceError' },
    });
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(0);
    // The hook is for whoever funds the wallet: once is enough.
    expect(held).toEqual(['order-0']);
  });

  it('lets one order try as soon as it is resumed, and all others as soon as that one passes', async () => {
    const { orders, place, asked, service } = openShop({ count: 20 });
    await place();
    service.fault = empty;
    for (let n = 0; n < 20; n++) await orders.buy(`order-${n}`);
    expect(await orders.stats()).toMatchObject({ count: { held: 20 } });
    const worker = orders.start();
    await vi.advanceTimersByTimeAsync(100);
    asked.length = 0;
    await orders.resumeHeld();
    await vi.advanceTimersByTimeAsync(100);
    expect(asked).toHaveLength(1);
    service.fault = undefined;
    await orders.resumeHeld();
    await vi.advanceTimersByTimeAsync(100);
    expect(await orders.stats()).toMatchObject({ breaker: undefined, count: { accepted: 20 } });
    await worker.stop();
  });

  it('is tried by a worker of another process when a process without workers resumes it', async () => {
    const { open, place, service } = openShop({ count: 20 });
    await place();
    const worker = open();
    const shop = open(idleQueue().queue);
    service.fault = empty;
    const { stop } = worker.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await worker.stats()).toMatchObject({ breaker: {}, count: { accepted: 0, held: 20 } });
    service.fault = undefined;
    await shop.resumeHeld();
    await vi.advanceTimersByTimeAsync(5000);
    expect(await worker.stats()).toMatchObject({ breaker: undefined, count: { accepted: 20 } });
    await stop();
  });

  it('is in order again when the service refuses one order for what it is', async () => {
    const { orders, place, service } = openShop({ count: 2 });
    await place();
    service.fault = empty;
    await orders.buy('order-0');
    service.fault = () =>
      new ValidationError('422', { status: 422, code: 'VALIDATION_FAILED', errors: {}, attempts: 1 });
    await orders.resumeHeld();
    expect(await orders.buy('order-0')).toMatchObject({ state: 'refused' });
    expect((await orders.stats()).breaker).toBeUndefined();
  });

  it('is not shown by a page of a firewall, nor in order again because the service does not respond', async () => {
    const { orders, place, service } = openShop({ count: 2 });
    await place();
    service.fault = () => new AuthenticationError('401', { status: 401, attempts: 1, mayHaveCharged: true });
    await orders.buy('order-0');
    expect((await orders.stats()).breaker).toBeUndefined();
    service.fault = empty;
    await orders.buy('order-1');
    service.fault = () => new ServerError('500', { status: 500, mayHaveCharged: true, attempts: 1 });
    await orders.resumeHeld();
    await orders.buy('order-1');
    expect((await orders.stats()).breaker).toBeDefined();
  });

  it('is asked by each process once a minute at most', async () => {
    const { orders, open, place, asked, service } = openShop({ count: 50 });
    await place();
    service.fault = empty;
    const workers = [orders.start(), open().start(), open().start()];
    await vi.advanceTimersByTimeAsync(30_000);
    asked.length = 0;
    await vi.advanceTimersByTimeAsync(45_000);
    expect(asked.length).toBeLessThanOrEqual(3);
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  it('delays no lookup, however many orders wait to be bought', async () => {
    const { orders, open, place, service, store } = openShop({ count: 1100 });
    await place();
    await orders.buy('order-1099');
    expect(await orders.find('order-1099')).toMatchObject({ state: 'accepted' });
    service.fault = empty;
    service.ended = true;
    // Another process, which holds no timer for that lookup.
    const worker = open().start();
    await vi.advanceTimersByTimeAsync(2 * minute);
    await worker.stop();
    expect(await store.find('order-1099')).toMatchObject({ state: 'delivered' });
  });

  it('ends every order whose time to be bought is over', async () => {
    const { orders, place, asked, service } = openShop({ count: 20, expireAfter: 10 * minute });
    await place();
    service.fault = empty;
    const worker = orders.start();
    await vi.advanceTimersByTimeAsync(10 * minute + 10_000);
    await worker.stop();
    expect((await orders.stats()).count).toMatchObject({ refused: 20 });
    expect(asked.length).toBeLessThanOrEqual(4 + 3);
  });

  it('with a 402 holds back orders of at least that amount, and no smaller ones', async () => {
    const { orders, asked, service, billed } = openShop();
    service.fault = empty;
    await orders.place(billed('large', 1000));
    expect(await orders.buy('large')).toMatchObject({ state: 'held' });
    expect((await orders.stats()).breaker).toMatchObject({ from: 1000 });
    service.fault = undefined;
    for (const [id, amount, state] of [
      ['smaller', 999, 'accepted'],
      ['equal', 1000, 'held'],
      ['larger', 5000, 'held'],
    ] as const) {
      await orders.place(billed(id, amount));
      expect(await orders.buy(id)).toMatchObject({ state });
    }
    expect(asked.map(({ id }) => id)).toEqual(['large', 'smaller']);
    service.fault = empty;
    await orders.place(billed('small', 500));
    await orders.buy('small');
    expect((await orders.stats()).breaker).toMatchObject({ from: 500 });
  });

  it('with a 402 for a product of the catalogue holds back that product alone', async () => {
    const { orders, service } = openShop();
    const data = (id: string, product_code: string): OrderInput => ({
      id,
      product: 'data',
      params: { biller: 'MTN', recipient: '08031234567', product_code },
    });
    service.fault = empty;
    await orders.place(data('large', 'MTN-100GB'));
    await orders.buy('large');
    service.fault = undefined;
    await orders.place(data('small', 'MTN-1GB'));
    expect(await orders.buy('small')).toMatchObject({ state: 'accepted' });
    await orders.place(data('same', 'MTN-100GB'));
    expect(await orders.buy('same')).toMatchObject({ state: 'held' });
  });

  it('passes the turn on where the outcome of a try is unclear', async () => {
    const { orders, place, asked, service } = openShop({ count: 21 });
    await place();
    service.fault = empty;
    for (let n = 0; n < 21; n++) await orders.buy(`order-${n}`);
    const worker = orders.start();
    // One order meets a 500 each time; the wallet is funded for the others.
    service.faultOf = (id) =>
      id === asked[1]?.id
        ? new ServerError('500', { status: 500, mayHaveCharged: true, attempts: 1 })
        : undefined;
    service.fault = undefined;
    await vi.advanceTimersByTimeAsync(2 * minute);
    expect((await orders.stats()).count).toMatchObject({ accepted: 20, unknown: 1 });
    await worker.stop();
  });

  it('lets another order try next than the one that was refused', async () => {
    const { orders, place, asked, service } = openShop({ count: 3 });
    await place();
    service.fault = empty;
    const worker = orders.start();
    await vi.advanceTimersByTimeAsync(8 * minute);
    await worker.stop();
    const tries = asked.filter(({ at }) => at > (asked[0]?.at ?? 0) + 1000).map(({ id }) => id);
    expect(new Set(tries).size).toBeGreaterThan(1);
  });

  it("is one line in the client's log when it stops, and one when it continues", async () => {
    const lines: string[] = [];
    const logger = { debug() {}, info() {}, error() {}, warn: (message: string) => void lines.push(message) };
    let funded = false;
    const envelope = { status: 'error', code: 'INSUFFICIENT_BALANCE', message: 'no money' };
    const accepted = { status: 'pending', code: 'PROCESSING', message: 'ok', data: purchaseOf('TXN-1') };
    const fetch = async () =>
      funded ? Response.json(accepted, { status: 202 }) : Response.json(envelope, { status: 402 });
    const options = {
      apiKey: 'sk_test_0123456789abcdef',
      clientId: 'c',
      baseUrl: 'https://service.test/api/v1',
    };
    const orders = createOrders({
      billpay: new BillPay({ ...options, fetch, logger }),
      store: memoryOrderStore(),
    });
    for (const id of ['a', 'b', 'c']) {
      await orders.place(airtimeOrder(id));
      await orders.buy(id);
    }
    const own = () => lines.filter((line) => line.startsWith('billpay orders'));
    expect(own()).toEqual([expect.stringContaining('the account is at fault')]);
    funded = true;
    await orders.resumeHeld();
    expect(await orders.buy('a')).toMatchObject({ state: 'accepted' });
    expect(own()).toEqual([expect.any(String), expect.stringContaining('the account is in order again')]);
  });
});
