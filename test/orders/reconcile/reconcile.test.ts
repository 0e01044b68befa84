import { afterEach, describe, expect, it, vi } from 'vitest';
import { AuthenticationError, NotFoundError, ServerError, type Transaction } from '../../../src/index.js';
import type { Order, ReconcileOptions, StatementRow } from '../../../src/orders/index.js';
import { reconcile } from '../../../src/orders/reconcile/reconcile.js';
import { openShop, purchaseOf, transactionOf } from '../support/shop.js';
import { type Books, booksOf } from './planted-books.js';

const day = { from: new Date('2026-01-31'), to: new Date('2026-02-01') };
const fast = { ...day, checksPerMinute: 1_000_000 };

/** A shop with orders that were bought one after the other, from the oldest to the newest, and a service that knows their transactions. */
async function soldShop(count: number, options: Parameters<typeof openShop>[0] = {}) {
  const known = new Map<string, Partial<Transaction> | Error>();
  const asked: string[] = [];
  const looksUp = { before: async (_reference: string): Promise<void> => {} };
  const shop = openShop();
  const orders = shop.open({
    billpay: {
      purchase: shop.client.purchase,
      transactions: {
        status: async (reference) => {
          asked.push(reference);
          await looksUp.before(reference);
          const fields = known.get(reference) ?? {};
          if (fields instanceof Error) throw fields;
          return transactionOf(reference, fields);
        },
      },
    },
    ...options,
  });
  for (let n = 1; n <= count; n++) {
    shop.pass(60_000);
    await shop.place(`order-${n}`);
    shop.purchases.push(purchaseOf(`TXN-${n}`));
    await orders.buy(`order-${n}`);
  }
  return { ...shop, orders, known, asked, looksUp };
}

const kindsOf = ({ findings }: Pick<Books, 'findings'>) => findings.map(({ kind, id }) => `${kind} ${id}`);
const success = { transaction_status: 'success' } as const;

afterEach(() => void vi.useRealTimers());

describe('orders.reconcile', () => {
  it('compares only the orders of the range, the newest first', async () => {
    const { orders, asked } = await soldShop(3);
    const [first] = await orders.list({ limit: 1 });
    const report = await booksOf(orders.reconcile({ ...fast, to: first?.createdAt ?? day.to }));
    expect(asked).toEqual(['TXN-2', 'TXN-1']);
    expect(report).toMatchObject({
      orders: 2,
      checked: 2,
      findings: [],
      complete: true,
    });
    expect(report.states).toMatchObject({ accepted: 2, delivered: 0 });
  });

  it('changes nothing', async () => {
    const { orders, known, hooked, store } = await soldShop(1);
    known.set('TXN-1', success);
    const before = [await store.find('order-1'), await store.history('order-1')];
    const report = await booksOf(orders.reconcile(fast));
    expect(report.findings).toEqual([
      {
        kind: 'unsettled',
        id: 'order-1',
        reference: 'TXN-1',
        stored: 'accepted',
        found: 'success',
        message: expect.any(String),
        whatToDo: expect.any(String),
      },
    ]);
    expect([await store.find('order-1'), await store.history('order-1')]).toEqual(before);
    expect(hooked()).toEqual([]);
  });

  it('checks an order again that a webhook settles during its status check', async () => {
    const shop = await soldShop(1);
    shop.known.set('TXN-1', success);
    shop.looksUp.before = async () => {
      const guard = { id: 'order-1', state: 'accepted', attempt: 1 } as const;
      await shop.store.update(guard, { state: 'delivered', settled: true }, undefined);
    };
    const report = await booksOf(shop.orders.reconcile(fast));
    expect(report.findings).toEqual([]);
    expect(report.states.delivered).toBe(1);
    expect(shop.asked).toEqual(['TXN-1', 'TXN-1']);
  });

  it('looks up only the orders that have not ended, where that is enough', async () => {
    const { orders, store, asked } = await soldShop(2);
    const guard = { id: 'order-1', state: 'accepted', attempt: 1 } as const;
    await store.update(guard, { state: 'delivered', settled: true }, undefined);
    await booksOf(orders.reconcile({ ...fast, check: 'open' }));
    expect(asked).toEqual(['TXN-2']);
  });

  it('finds a refused order that the service has charged', async () => {
    const { orders, store, known } = await soldShop(1);
    const guard = { id: 'order-1', state: 'accepted', attempt: 1 } as const;
    await store.update(guard, { state: 'refused' }, undefined);
    known.set('TXN-1', success);
    expect(kindsOf(await booksOf(orders.reconcile(fast)))).toEqual(['refused-but-charged order-1']);
  });

  it('does not take the 404 of something else for an unknown reference', async () => {
    const { orders, known } = await soldShop(2);
    known.set('TXN-1', new NotFoundError('not found', { status: 404, code: 'NOT_FOUND' }));
    known.set('TXN-2', new NotFoundError('a page', { status: 404 }));
    expect(kindsOf(await booksOf(orders.reconcile(fast)))).toEqual([
      'check-failed order-2',
      'unknown-reference order-1',
    ]);
  });

  it('finds orders of which nobody knows whether they were charged', async () => {
    const { orders, place, purchases, open } = await soldShop(0, { maxAttempts: 1 });
    await place('unknown');
    await place('review');
    purchases.push(new Error('the connection broke'), new Error('the connection broke'));
    await orders.buy('review');
    await open({ maxAttempts: 9 }).buy('unknown');
    const books = await booksOf(orders.reconcile(fast));
    expect(kindsOf(books).sort()).toEqual(['undecided review', 'undecided unknown']);
    expect(books.findings.map(({ stored }) => stored).sort()).toEqual(['review', 'unknown']);
  });

  it('leaves no charged order out of the sums without a finding', async () => {
    const { store } = await soldShop(2);
    const guard = { state: 'accepted', attempt: 1 } as const;
    await store.update({ id: 'order-1', ...guard }, { state: 'delivered', settled: true }, undefined);
    const resolved = { ...(await store.find('order-1')), reference: undefined, amount: undefined };
    const unpriced = { ...(await store.find('order-2')), amount: undefined };
    const list = async () => [resolved, unpriced] as Order[];
    const books = await booksOf(
      reconcile(
        { billpay: {} as never, store: { ...store, list, find: async () => undefined } },
        { ...fast, check: 'none' },
      ),
    );
    expect(kindsOf(books)).toEqual(['no-reference order-1', 'amount-unknown order-2']);
    expect(books.total).toMatchObject({ orders: 2, charged: 0 });
  });

  it('sums by day, product and biller in the time zone, in kobo', async () => {
    const { orders, known, place, purchases, pass } = await soldShop(0);
    const buy = async (id: string, amount: number, fields: Partial<Transaction>) => {
      await place(id, amount);
      purchases.push(purchaseOf(`TXN-${id}`, amount));
      known.set(`TXN-${id}`, { amount_charged: amount, ...fields });
      await orders.buy(id);
    };
    await buy('a', 0.1, { ...success, commission: 0.1 });
    await buy('b', 0.2, { ...success, commission: 0.2 });
    await buy('c', 100, { transaction_status: 'failed', refunded: true });
    pass(11 * 3_600_000 + 30 * 60_000); // 23:30 UTC, the next day in Lagos
    await buy('d', 50, {});
    const row = { product: 'airtime', biller: 'MTN' };
    const first = { ...row, day: '2026-01-31', orders: 3, delivered: 2, failed: 1, open: 0 };
    const report = await booksOf(orders.reconcile({ ...fast, timeZone: 'Africa/Lagos' }));
    expect(report.sums).toEqual([
      { ...first, charged: 100.3, refunded: 100, commission: 0.3 },
      {
        ...row,
        day: '2026-02-01',
        orders: 1,
        delivered: 0,
        failed: 0,
        open: 1,
        charged: 50,
        refunded: 0,
        commission: 0,
      },
    ]);
    expect(report.total).toMatchObject({ orders: 4, charged: 150.3, refunded: 100, commission: 0.3 });
    expect((await booksOf(orders.reconcile(fast))).sums).toHaveLength(1);
  });
});

describe('a reconciliation that ends early', () => {
  it('ends with its signal, and says that it is not complete', async () => {
    const shop = await soldShop(10);
    const controller = new AbortController();
    shop.looksUp.before = async () => {
      if (shop.asked.length === 6) controller.abort();
    };
    const books = await booksOf(shop.orders.reconcile({ ...fast, signal: controller.signal }));
    expect(books.complete).toBe(false);
    expect(books.orders).toBeLessThan(6);
    const none = await booksOf(shop.orders.reconcile({ ...fast, signal: AbortSignal.abort() }));
    expect(none).toMatchObject({ orders: 0, checked: 0, complete: false });
  });

  it('ends with its signal while the statement is read, and while its rows are compared', async () => {
    const { orders, store } = await soldShop(1);
    const rows = async function* (): AsyncGenerator<StatementRow> {
      yield { reference: 'TXN-1', kind: 'debit', amount: 500 };
      await new Promise(() => {});
    };
    const controller = new AbortController();
    const stalled = booksOf(
      orders.reconcile({ ...fast, statement: { rows: rows() }, signal: controller.signal }),
    );
    setImmediate(() => controller.abort());
    expect(await stalled).toMatchObject({ orders: 0, complete: false });

    const others = Array.from({ length: 100 }, (_, n) => ({
      reference: `OTHER-${n}`,
      kind: 'debit' as const,
      amount: 500,
    }));
    const ending = new AbortController();
    let searched = 0;
    const slow: typeof store = {
      ...store,
      findByReference: async () => {
        if (++searched === 10) ending.abort();
        return undefined;
      },
    };
    const options = { ...fast, check: 'none', statement: { rows: others }, signal: ending.signal } as const;
    const books = await booksOf(reconcile({ billpay: {} as never, store: slow }, options));
    expect(books.complete).toBe(false);
    expect(searched).toBeLessThan(20);
  });

  it('sends nothing more once nobody reads on', async () => {
    const shop = await soldShop(40);
    for (let n = 1; n <= 40; n++) shop.known.set(`TXN-${n}`, success);
    for await (const { kind } of shop.orders.reconcile({ ...day, checksPerMinute: 6 })) {
      expect(kind).toBe('unsettled');
      break;
    }
    expect(shop.asked.length).toBeLessThanOrEqual(6);
  });

  it('gives what was found before the account was at fault, and then its error', async () => {
    const shop = await soldShop(10);
    shop.known.set('TXN-8', success);
    shop.known.set('TXN-3', new AuthenticationError('no', { status: 401, code: 'UNAUTHORIZED' }));
    const found: string[] = [];
    const books = shop.orders.reconcile(fast);
    const reading = (async () => {
      for await (const { kind, id } of books) found.push(`${kind} ${id}`);
    })();
    await expect(reading).rejects.toThrow(AuthenticationError);
    expect(found).toEqual(['unsettled order-8']);
    expect(books.summary()).toMatchObject({ orders: 7, found: 1, complete: false });
  });

  it('ends after ten failed status checks in a row, not after ten in all', async () => {
    const shop = await soldShop(30);
    const down = new ServerError('down', { status: 503 });
    for (let n = 1; n <= 30; n++) if (n % 10 !== 0) shop.known.set(`TXN-${n}`, down);
    const report = await booksOf(shop.orders.reconcile(fast));
    expect(report.findings).toHaveLength(27);
    shop.known.set('TXN-20', down);
    await expect(booksOf(shop.orders.reconcile(fast))).rejects.toThrow('down');
  });
});

describe('the pace of a reconciliation', () => {
  it('checks 30 orders a minute, and tells how far it is', async () => {
    const shop = await soldShop(70);
    vi.useFakeTimers();
    const books = shop.orders.reconcile(day);
    const work = booksOf(books);
    await vi.advanceTimersByTimeAsync(1000);
    expect(shop.asked).toHaveLength(30);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(books.summary()).toMatchObject({ checked: 60, complete: false });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await work).toMatchObject({ checked: 70, complete: true });
  });

  it('is ended by the signal while it waits', async () => {
    const shop = await soldShop(70);
    vi.useFakeTimers();
    const controller = new AbortController();
    const work = booksOf(shop.orders.reconcile({ ...day, signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(1000);
    controller.abort();
    expect(await work).toMatchObject({ orders: 30, complete: false });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the options of orders.reconcile', () => {
  it.each<[object, RegExp]>([
    [{ from: day.from }, /^to: is missing: it must be a valid Date/],
    [{ ...day, to: day.from }, /^to: must be later than from/],
    [{ ...day, check: 'some' }, /^check: must be one of all, open, none/],
    [{ ...day, timeZone: 'Lagos' }, /^timeZone: must be a time zone, such as Africa\/Lagos/],
    [{ ...day, checksPerMinute: 0 }, /^checksPerMinute: must be a whole number of at least 1/],
    [{ ...day, statement: [] }, /^statement/],
    [{ ...day, statement: { rows: 'reference,kind' } }, /^statement.rows: must be a list of rows/],
    [{ ...day, statement: { rows: [], closingBalance: 5 } }, /^statement.openingBalance: is missing/],
  ])('%j', (options, message) => {
    const { orders } = openShop();
    expect(() => orders.reconcile(options as ReconcileOptions)).toThrow(message);
  });
});
