import { describe, expect, it, vi } from 'vitest';
import { createOrders, memoryOrderStore, sqliteOrderStore } from '../../../src/orders/index.js';
import { oneAtATime } from '../../../src/orders/stores/one-at-a-time.js';
import { useFakeClock } from '../../support/clock.js';
import { idleQueue, scriptedClient } from '../support/shop.js';
import { sqliteLibraries } from '../support/sqlite.js';
import { airtimeOrder } from '../support/store-contract.js';

useFakeClock();

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('work that runs one after another', () => {
  it('keeps its order, and a failure stops nothing', async () => {
    const inTurn = oneAtATime();
    const done: string[] = [];
    const failed = inTurn(() => Promise.reject(new Error('no'))).catch(() => done.push('a'));
    const late = inTurn(async () => {
      await pause(50);
      done.push('b');
    });
    const now = inTurn(() => done.push('c'));
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all([failed, late, now]);
    expect(done).toEqual(['a', 'b', 'c']);
  });

  it('waits for slow work of others that ends, however long all of it takes', async () => {
    const inTurn = oneAtATime();
    const all = Array.from({ length: 50 }, (_, n) => inTurn(() => pause(29_000).then(() => n)));
    await vi.advanceTimersByTimeAsync(50 * 29_000);
    expect(await Promise.all(all)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it('rejects what has waited for more than 30 s for work that does not end, and never runs it', async () => {
    const inTurn = oneAtATime();
    const ran: string[] = [];
    let release = () => {};
    const stuck = inTurn(() => new Promise<void>((resolve) => (release = resolve)));
    await vi.advanceTimersByTimeAsync(10_000);
    const ended = expect(inTurn(() => ran.push('early'))).rejects.toThrow(
      'the transaction of a hook that does not end',
    );
    await vi.advanceTimersByTimeAsync(50_000);
    await ended;
    const late = inTurn(() => ran.push('late'));
    release();
    await stuck;
    await late;
    expect(ran).toEqual(['late']);
  });

  it('waits for the work that asked for it, where that does not wait for it', async () => {
    const inTurn = oneAtATime();
    let inner: Promise<string> | undefined;
    const outer = inTurn(async () => {
      inner = inTurn(() => 'inner');
      await pause(20_000);
    });
    await vi.advanceTimersByTimeAsync(20_000);
    await outer;
    expect(await inner).toBe('inner');
  });

  it('is given up where the work that asked for it waits for it', async () => {
    const inTurn = oneAtATime();
    const stuck = inTurn(() => inTurn(() => 'inner'));
    const ended = expect(stuck).rejects.toThrow('Give it the client of the hook');
    await vi.advanceTimersByTimeAsync(30_000);
    await ended;
    expect(await inTurn(() => 'next')).toBe('next');
  });
});

const [[, openDatabase] = []] = sqliteLibraries();

describe.each([
  ['memory', () => memoryOrderStore()],
  ['SQLite', () => sqliteOrderStore(openDatabase?.(':memory:') ?? expect.fail('there is no SQLite'))],
])('a store in %s', (_, open) => {
  it('does not hang when a hook waits for a call that is outside of its transaction', async () => {
    const { client, purchases } = scriptedClient();
    const errors: unknown[] = [];
    const orders = createOrders<unknown>({
      billpay: client,
      store: open(),
      queue: idleQueue().queue,
      on: { refused: async (order) => void (await orders.find(order.id)) },
      onError: (error) => void errors.push(error),
    });
    const { ValidationError } = await import('../../../src/index.js');
    purchases.push(new ValidationError('422', { status: 422, errors: {} }));
    await orders.place(airtimeOrder('order-7'));
    const bought = orders.buy('order-7');
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await bought).toMatchObject({ state: 'placed' });
    expect(String(errors[0])).toContain('make it after the hook');
  });
});

it.each(sqliteLibraries())(
  'SQLite (%s) rejects a transaction whose hook ended it by itself',
  async (_, open) => {
    const database = open(':memory:');
    const store = sqliteOrderStore(database);
    await store.insert(airtimeOrder('order-7'));
    const guard = { id: 'order-7', state: 'placed', attempt: 0 } as const;
    const work = store.transaction(async (client) => {
      await store.update(guard, { state: 'delivered' }, { event: 'deliver' }, client);
      database.exec('ROLLBACK; BEGIN');
    });
    await expect(work).rejects.toThrow();
    expect(await store.find('order-7')).toMatchObject({ state: 'placed' });
    database.close();
  },
);
