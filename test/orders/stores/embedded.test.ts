import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createOrders,
  memoryOrderStore,
  type Order,
  type OrderHook,
  type SqliteOrderDatabase,
  sqliteOrderStore,
} from '../../../src/orders/index.js';
import { idleQueue, purchaseOf, transactionOf } from '../support/shop.js';
import { sqliteLibraries } from '../support/sqlite.js';
import { airtimeOrder, describeStore } from '../support/store-contract.js';

/** A clock that stands still until it is moved. */
function movableClock() {
  let at = Date.UTC(2026, 0, 31, 12);
  return {
    now: () => at,
    pass: async (ms: number) => {
      at += ms;
    },
  };
}

describeStore('memory', async () => {
  const { now, pass } = movableClock();
  return { store: memoryOrderStore({ now }), pass, close: async () => {} };
});

for (const [library, open] of sqliteLibraries()) {
  describeStore(`SQLite, ${library}`, async () => {
    const { now, pass } = movableClock();
    const folder = mkdtempSync(join(tmpdir(), 'billpay-orders-'));
    const database = open(join(folder, 'orders.db'));
    return {
      store: sqliteOrderStore(database, { now }),
      pass,
      close: async () => {
        database.close();
        rmSync(folder, { recursive: true });
      },
    };
  });
}

afterEach(() => void vi.useRealTimers());

/** Whatever is asked of the event loop by then has been done. */
const turns = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) await new Promise(setImmediate);
};

describe.each(sqliteLibraries())('a shop with orders on one SQLite connection (%s)', (_, openDatabase) => {
  function openShop(hook?: OrderHook<SqliteOrderDatabase>) {
    const database = openDatabase(':memory:');
    onTestFinished(() => database.close());
    database.exec('CREATE TABLE carts (id TEXT, content BLOB)');
    const charged: string[] = [];
    const errors: unknown[] = [];
    const store = sqliteOrderStore(database);
    const orders = createOrders({
      billpay: {
        purchase: async ({ idempotency_key }) => {
          charged.push(idempotency_key);
          return purchaseOf(`TXN-${idempotency_key}`);
        },
        transactions: {
          status: async (reference) => transactionOf(reference, { transaction_status: 'success' }),
        },
      },
      store,
      queue: idleQueue().queue,
      checkAfter: 1,
      on: { delivered: hook },
      onError: (error) => errors.push(error),
    });
    const carts = () =>
      database
        .prepare('SELECT id FROM carts')
        .all()
        .map((row) => Reflect.get(Object(row), 'id'));
    return { database, charged, errors, store, orders, carts };
  }

  it.each(['COMMIT', 'ROLLBACK'])(
    'buys nothing of what was placed in its own transaction before the %s',
    async (end) => {
      const { database, charged, orders } = openShop();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
      database.exec('BEGIN');
      const { id } = await orders.place(airtimeOrder(), { client: database });
      const bought = orders.buy(id).catch((error: unknown) => error);
      const run = orders.run(id);
      await turns();
      await vi.advanceTimersByTimeAsync(5000);
      expect(charged).toEqual([]);
      database.exec(end);
      await vi.advanceTimersByTimeAsync(1000);
      await run;
      if (end === 'COMMIT') {
        expect(await bought).toMatchObject({ id, state: 'accepted' });
        expect(charged).toEqual([id]);
      } else {
        expect(await bought).toMatchObject({ name: 'OrderNotFoundError' });
        expect(charged).toEqual([]);
        expect(await orders.find(id)).toBeUndefined();
      }
    },
  );

  it('takes no order into its own transaction that is not placed with its client', async () => {
    const { database, charged, orders } = openShop();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const { id } = await orders.place(airtimeOrder());
    database.exec('BEGIN');
    const bought = orders.buy(id);
    const placed = orders.place(airtimeOrder('order-8'));
    await vi.advanceTimersByTimeAsync(5000);
    database.exec('ROLLBACK');
    await vi.advanceTimersByTimeAsync(1000);
    expect(await bought).toMatchObject({ state: 'accepted' });
    expect(await placed).toMatchObject({ id: 'order-8' });
    expect(await orders.find('order-8')).toMatchObject({ state: 'placed' });
    expect(charged).toEqual([id]);
  });

  it('learns after half a minute that a call waits for a transaction of its own', async () => {
    const { database, orders } = openShop();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    database.exec('BEGIN');
    const placed = expect(orders.place(airtimeOrder('order-7'))).rejects.toThrow('as its client');
    await vi.advanceTimersByTimeAsync(31_000);
    await placed;
    database.exec('COMMIT');
    expect(await orders.find('order-7')).toBeUndefined();
  });

  /** Fills the disk, which makes SQLite end the transaction, and makes room again. */
  function fillDisk(client: SqliteOrderDatabase): unknown {
    const [pages] = client.prepare('PRAGMA page_count').all();
    client.exec(`PRAGMA max_page_count = ${Reflect.get(Object(pages), 'page_count')}`);
    try {
      client.prepare('INSERT INTO carts VALUES (?, zeroblob(1000000))').run('too large');
      return expect.fail('the disk was not full');
    } catch (error) {
      return error;
    } finally {
      client.exec('PRAGMA max_page_count = 1000000');
    }
  }

  /** An order that a status check delivers, whose hook meets a full disk in its first run. */
  async function deliverOnFullDisk(hook: (client: SqliteOrderDatabase, error: unknown) => void) {
    let runs = 0;
    const shop = openShop((order: Order, { client }) => {
      if (++runs === 1) hook(client, fillDisk(client));
      client.prepare('INSERT INTO carts VALUES (?, NULL)').run(order.id);
    });
    const { id } = await shop.orders.place(airtimeOrder());
    await shop.orders.buy(id);
    const check = async () => {
      await shop.orders.retry(id).catch(() => {});
      await shop.orders.run(id).catch(() => {});
      return (await shop.orders.find(id))?.state;
    };
    return { ...shop, id, check, runs: () => runs };
  }

  it('has the hook run anew as a whole that a full disk has ended', async () => {
    const { check, carts, id, runs } = await deliverOnFullDisk((_, error) => {
      throw error;
    });
    expect(await check()).toBe('accepted');
    expect(await check()).toBe('delivered');
    expect(runs()).toBe(2);
    expect(carts()).toEqual([id]);
  });

  it('has a person look at an order whose hook went on after a full disk', async () => {
    const { check, carts, id, runs, orders } = await deliverOnFullDisk(() => {});
    expect(await check()).toBe('review');
    expect(await orders.find(id)).toMatchObject({
      dueAt: undefined,
      lastError: { name: 'TransactionEndedError' },
    });
    expect(carts()).toEqual([id]);
    expect(runs()).toBe(1);
  });
});
