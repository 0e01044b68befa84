import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  AuthenticationError,
  ConfigurationError,
  NotFoundError,
  ServerError,
  type Transaction,
} from '../../../src/index.js';
import type { ReconcileOptions, ReconcileReport, StatementRow } from '../../../src/orders/index.js';
import { openShop, purchaseOf, transactionOf } from '../support/shop.js';

const day = { from: new Date('2026-01-31'), to: new Date('2026-02-01') };
const fast = { ...day, lookUpsPerMinute: 1_000_000 };

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

const kindsOf = ({ findings }: ReconcileReport) => findings.map(({ kind, id }) => `${kind} ${id}`);
const success = { transaction_status: 'success' } as const;

afterEach(() => void vi.useRealTimers());

describe('orders.reconcile', () => {
  it('compares only the orders of the range, the newest first', async () => {
    const { orders, asked } = await soldShop(3);
    const [first] = await orders.list({ limit: 1 });
    const report = await orders.reconcile({ ...fast, to: first?.createdAt ?? day.to });
    expect(asked).toEqual(['TXN-2', 'TXN-1']);
    expect(report).toMatchObject({
      orders: 2,
      lookedUp: 2,
      findings: [],
      complete: true,
      checkpoint: undefined,
    });
    expect(report.states).toMatchObject({ accepted: 2, delivered: 0 });
  });

  it('changes nothing unless it is asked to', async () => {
    const { orders, known, hooked, store } = await soldShop(1);
    known.set('TXN-1', success);
    const before = [await store.find('order-1'), await store.history('order-1')];
    const report = await orders.reconcile(fast);
    expect(report.findings).toEqual([
      {
        kind: 'unsettled',
        id: 'order-1',
        reference: 'TXN-1',
        stored: 'accepted',
        found: 'success',
        message: expect.any(String),
        whatToDo: expect.any(String),
        applied: false,
      },
    ]);
    expect([await store.find('order-1'), await store.history('order-1')]).toEqual(before);
    expect(hooked()).toEqual([]);
  });

  it('settles with apply what a lookup has settled, with the hooks, once', async () => {
    const { orders, known, hooked } = await soldShop(3);
    known.set('TXN-1', success);
    known.set('TXN-2', { transaction_status: 'failed', refunded: true });
    known.set('TXN-3', { transaction_status: 'failed', refunded: false });
    const report = await orders.reconcile({ ...fast, apply: true });
    expect(kindsOf(report)).toEqual(['refund order-3', 'unsettled order-2', 'unsettled order-1']);
    expect(report.applied).toBe(2);
    expect(report.findings.map(({ applied }) => applied)).toEqual([false, true, true]);
    expect(hooked().sort()).toEqual(['delivered order-1', 'failed order-2']);
    expect(await orders.find('order-1')).toMatchObject({
      state: 'delivered',
      amountCharged: 500,
      commission: 10,
    });
    const again = await orders.reconcile({ ...fast, apply: true });
    expect(kindsOf(again)).toEqual(['refund order-3']);
    expect(hooked()).toHaveLength(2);
  });

  it('stores with apply what was never stored, and leaves what differs', async () => {
    const { orders, known, store } = await soldShop(2);
    for (const n of [1, 2]) {
      const guard = { id: `order-${n}`, state: 'accepted', attempt: 1 } as const;
      await store.update(
        guard,
        { state: 'delivered', settled: true, ...(n === 2 && { amountCharged: 490 }) },
        undefined,
      );
      known.set(`TXN-${n}`, success);
    }
    const report = await orders.reconcile({ ...fast, apply: true });
    expect(kindsOf(report)).toEqual(['amount order-2']);
    expect(await orders.find('order-1')).toMatchObject({ amountCharged: 500, commission: 10 });
    expect(await orders.find('order-2')).toMatchObject({ amountCharged: 490, commission: undefined });
    expect((await orders.history('order-1')).at(-1)).toMatchObject({
      event: 'note',
      detail: { source: 'status' },
    });
  });

  it('reports an error of a hook to onError, without the token, and continues', async () => {
    const token = '03600873271267716521';
    const errors: unknown[] = [];
    const { orders, known } = await soldShop(2, {
      on: {
        delivered: (order, context) => {
          if (order.id === 'order-2') throw new Error(`cannot write ${context.token}`);
        },
      },
      onError: (error) => void errors.push(error),
    });
    known.set('TXN-1', success);
    known.set('TXN-2', { ...success, token });
    const report = await orders.reconcile({ ...fast, apply: true });
    expect(report.findings.map(({ id, applied }) => [id, applied])).toEqual([
      ['order-2', false],
      ['order-1', true],
    ]);
    expect(await orders.find('order-2')).toMatchObject({ state: 'accepted' });
    expect(errors).toHaveLength(1);
    expect(String(errors[0])).toContain('cannot write');
    expect(String(errors[0])).not.toContain(token);
  });

  it('looks again at an order that a webhook settles during its lookup', async () => {
    const shop = await soldShop(1);
    shop.known.set('TXN-1', success);
    shop.looksUp.before = async () => {
      const guard = { id: 'order-1', state: 'accepted', attempt: 1 } as const;
      await shop.store.update(guard, { state: 'delivered', settled: true }, undefined);
    };
    const report = await shop.orders.reconcile(fast);
    expect(report.findings).toEqual([]);
    expect(report.states.delivered).toBe(1);
    expect(shop.asked).toEqual(['TXN-1', 'TXN-1']);
  });

  it('looks up only the orders that have not ended, where that is enough', async () => {
    const { orders, store, asked } = await soldShop(2);
    const guard = { id: 'order-1', state: 'accepted', attempt: 1 } as const;
    await store.update(guard, { state: 'delivered', settled: true }, undefined);
    await orders.reconcile({ ...fast, lookUp: 'open' });
    expect(asked).toEqual(['TXN-2']);
  });

  it('finds a refused order that the service has charged', async () => {
    const { orders, store, known } = await soldShop(1);
    const guard = { id: 'order-1', state: 'accepted', attempt: 1 } as const;
    await store.update(guard, { state: 'refused' }, undefined);
    known.set('TXN-1', success);
    expect(kindsOf(await orders.reconcile(fast))).toEqual(['refused-but-charged order-1']);
  });

  it('does not take the 404 of something else for an unknown reference', async () => {
    const { orders, known } = await soldShop(2);
    known.set('TXN-1', new NotFoundError('not found', { status: 404, code: 'NOT_FOUND' }));
    known.set('TXN-2', new NotFoundError('a page', { status: 404 }));
    expect(kindsOf(await orders.reconcile(fast))).toEqual([
      'lookup-failed order-2',
      'unknown-reference order-1',
    ]);
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
    const report = await orders.reconcile({ ...fast, timeZone: 'Africa/Lagos' });
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
    expect((await orders.reconcile(fast)).sums).toHaveLength(1);
  });
});

describe('a reconciliation that ends early', () => {
  it('continues from the checkpoint of an aborted call, and reports the same as one call', async () => {
    const shop = await soldShop(130);
    for (let n = 1; n <= 130; n += 3) shop.known.set(`TXN-${n}`, success);
    const whole = await shop.orders.reconcile(fast);
    shop.asked.length = 0;
    const controller = new AbortController();
    shop.looksUp.before = async () => {
      if (shop.asked.length === 60) controller.abort();
    };
    const kept: string[] = [];
    const onCheckpoint = (text: string) => void kept.push(text);
    const part = await shop.orders.reconcile({ ...fast, signal: controller.signal, onCheckpoint });
    expect(part.complete).toBe(false);
    expect(part.orders).toBeGreaterThanOrEqual(50);
    expect(part.orders).toBeLessThan(60);
    expect(part.checkpoint).toBe(kept.at(-1));
    const rest = await shop.orders.reconcile({ ...fast, checkpoint: part.checkpoint });
    expect({ ...rest, lookedUp: 0 }).toEqual({ ...whole, lookedUp: 0 });
    // Nothing is looked up twice but what was under way.
    expect(shop.asked.length).toBeLessThanOrEqual(134);
  });

  it('continues a comparison with a statement', async () => {
    const shop = await soldShop(60);
    const rows = Array.from(
      { length: 60 },
      (_, at): StatementRow => ({
        reference: `TXN-${at + 2}`,
        kind: 'debit',
        amount: 500,
        time: new Date('2026-01-31T11:00:00Z'),
      }),
    );
    const statement = {
      rows,
      openingBalance: 100_000,
      from: new Date('2026-01-30'),
      to: new Date('2026-02-02'),
    };
    const whole = await shop.orders.reconcile({ ...fast, statement });
    expect(kindsOf(whole)).toEqual(['debit-missing order-1', 'debit-without-order undefined']);
    expect(whole.statement).toMatchObject({ rows: 60, balance: 70_000, expectedBalance: 70_000 });
    const kept: string[] = [];
    await shop.orders.reconcile({ ...fast, statement, onCheckpoint: (text) => void kept.push(text) });
    const rest = await shop.orders.reconcile({ ...fast, statement, checkpoint: kept[0] });
    expect({ ...rest, lookedUp: 0 }).toEqual({ ...whole, lookedUp: 0 });
    await expect(
      shop.orders.reconcile({
        ...fast,
        statement: { ...statement, rows: rows.slice(1) },
        checkpoint: kept[0],
      }),
    ).rejects.toThrow(/^checkpoint: belongs to another range, statement/);
  });

  it('keeps what was compared before the account was at fault', async () => {
    const shop = await soldShop(10);
    shop.known.set('TXN-8', success);
    shop.known.set('TXN-3', new AuthenticationError('no', { status: 401, code: 'UNAUTHORIZED' }));
    let kept = '';
    const onCheckpoint = (text: string) => {
      kept = text;
    };
    await expect(shop.orders.reconcile({ ...fast, concurrency: 1, onCheckpoint })).rejects.toThrow(
      AuthenticationError,
    );
    shop.asked.length = 0;
    shop.known.delete('TXN-3');
    const report = await shop.orders.reconcile({ ...fast, concurrency: 1, checkpoint: kept });
    expect(shop.asked).toEqual(['TXN-3', 'TXN-2', 'TXN-1']);
    expect(report.orders).toBe(10);
    expect(kindsOf(report)).toEqual(['unsettled order-8']);
  });

  it('ends after ten failed lookups in a row, not after ten in all', async () => {
    const shop = await soldShop(30);
    const down = new ServerError('down', { status: 503 });
    for (let n = 1; n <= 30; n++) if (n % 10 !== 0) shop.known.set(`TXN-${n}`, down);
    const report = await shop.orders.reconcile({ ...fast, concurrency: 1 });
    expect(report.findings).toHaveLength(27);
    shop.known.set('TXN-20', down);
    await expect(shop.orders.reconcile({ ...fast, concurrency: 1 })).rejects.toThrow('down');
  });

  it.each([
    ['a text that is no checkpoint', 'nonsense', /^checkpoint: is not the text of a checkpoint/],
    ['a checkpoint of another version', '{"version":0}', /^checkpoint: is not the text of a checkpoint/],
  ])('refuses %s', async (_name, checkpoint, message) => {
    const { orders } = await soldShop(0);
    await expect(orders.reconcile({ ...fast, checkpoint })).rejects.toThrow(message);
  });

  it('refuses the checkpoint of another range', async () => {
    const { orders } = await soldShop(1);
    const { checkpoint } = await orders.reconcile({ ...fast, signal: AbortSignal.abort() });
    await expect(orders.reconcile({ ...fast, to: new Date('2026-02-02'), checkpoint })).rejects.toThrow(
      ConfigurationError,
    );
  });
});

describe('the pace of a reconciliation', () => {
  it('looks up 30 orders a minute, and tells how far it is', async () => {
    const shop = await soldShop(70);
    vi.useFakeTimers();
    const seen: number[] = [];
    const work = shop.orders.reconcile({ ...day, onProgress: ({ lookedUp }) => void seen.push(lookedUp) });
    await vi.advanceTimersByTimeAsync(1000);
    expect(shop.asked).toHaveLength(30);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(shop.asked).toHaveLength(60);
    expect(seen.at(-1)).toBe(60);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await work).toMatchObject({ lookedUp: 70, complete: true });
  });

  it('is ended by the signal while it waits', async () => {
    const shop = await soldShop(70);
    vi.useFakeTimers();
    const controller = new AbortController();
    const work = shop.orders.reconcile({ ...day, signal: controller.signal });
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
    [{ ...day, lookup: 'all' }, /^lookup: is not an option of orders.reconcile \(did you mean lookUp\?\)/],
    [{ ...day, lookUp: 'some' }, /^lookUp: must be one of all, open, none/],
    [{ ...day, timeZone: 'Lagos' }, /^timeZone: must be a time zone, such as Africa\/Lagos/],
    [{ ...day, lookUpsPerMinute: 0 }, /^lookUpsPerMinute: must be a whole number of at least 1/],
    [{ ...day, statement: [] }, /^statement/],
    [{ ...day, statement: { rows: 'reference,kind' } }, /^statement.rows: must be a list of rows/],
    [{ ...day, statement: { rows: [], closingBalance: 5 } }, /^statement.openingBalance: is missing/],
  ])('%j', async (options, message) => {
    const { orders } = await soldShop(0);
    await expect(orders.reconcile(options as ReconcileOptions)).rejects.toThrow(message);
  });
});
