import { randomUUID } from 'node:crypto';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createOrders,
  type OrderHook,
  postgresOrderStore,
  sqliteOrderStore,
} from '../../src/orders/index.js';
import type { OrderStore } from '../../src/orders/store.js';
import { idleQueue, purchaseOf, transactionOf } from './support/shop.js';
import { sqliteLibraries } from './support/sqlite.js';
import { airtimeOrder } from './support/store-contract.js';

const url = process.env['BILLPAY_TEST_POSTGRES_URL'];
const thrown = new Error('the customer has no account');

/** An order that a lookup delivers, with a hook that breaks its transaction; then what a person does. */
async function deliverWith<Client>(store: OrderStore<Client>, hook: OrderHook<Client>) {
  const errors: unknown[] = [];
  let calls = 0;
  const orders = createOrders<Client>({
    billpay: {
      purchase: async () => purchaseOf('TXN-1'),
      transactions: {
        status: async (reference) => transactionOf(reference, { transaction_status: 'success' }),
      },
    },
    store,
    queue: idleQueue().queue,
    checkAfter: 1,
    on: { delivered: (order, context) => (calls++ === 0 ? hook(order, context) : undefined) },
    onError: (error) => errors.push(error),
  });
  await orders.place(airtimeOrder('order-7'));
  await orders.buy('order-7');
  await new Promise((resolve) => setTimeout(resolve, 10));
  const error = await orders.run('order-7').catch((rejected: unknown) => rejected);
  return { orders, error, calls: () => calls };
}

describe.skipIf(url === undefined)('a hook on PostgreSQL that commits by itself', () => {
  async function openStore() {
    const pool = new pg.Pool({ connectionString: url });
    const table = `hooks_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    const store = postgresOrderStore<pg.PoolClient>(pool, { table });
    await store.createTables();
    await pool.query(`CREATE TABLE ${table}_carts (id text, step int)`);
    onTestFinished(() => pool.end());
    const steps = async () => (await pool.query(`SELECT step FROM ${table}_carts ORDER BY step`)).rows;
    return { store, table, steps };
  }

  it.each<[string, (client: pg.PoolClient, insert: string) => Promise<unknown>]>([
    [
      'a transaction of Drizzle, and then throws',
      async (client, insert) => {
        await drizzle({ client }).transaction(async (inner) => void (await inner.execute(insert)));
        throw thrown;
      },
    ],
    [
      'a transaction of Drizzle, and resolves',
      (client, insert) => drizzle({ client }).transaction((inner) => inner.execute(insert)),
    ],
    [
      'BEGIN and COMMIT, and then throws',
      async (client, insert) => {
        await client.query('BEGIN');
        await client.query(insert);
        await client.query('COMMIT');
        throw thrown;
      },
    ],
    [
      'COMMIT and a new BEGIN, and then throws',
      async (client, insert) => {
        await client.query(insert);
        await client.query('COMMIT; BEGIN');
        throw thrown;
      },
    ],
  ])('by %s: the order goes to review, and a person ends it', async (_, misbehave) => {
    const { store, table, steps } = await openStore();
    const insert = `INSERT INTO ${table}_carts VALUES ('order-7', 1)`;
    const { orders, error, calls } = await deliverWith(store, (_, { client }) => misbehave(client, insert));
    expect(error).toMatchObject({ name: 'TransactionEndedError' });
    expect(await orders.find('order-7')).toMatchObject({
      state: 'review',
      dueAt: undefined,
      lastError: {
        name: 'TransactionEndedError',
        message: expect.stringContaining('ended the transaction by itself'),
      },
    });
    expect((await orders.history('order-7')).map(({ event }) => event).slice(-2)).toEqual([
      'deliver',
      'reopen',
    ]);
    expect(await steps()).toEqual([{ step: 1 }]);
    // Neither a webhook nor a lookup runs the hook again.
    await orders.run('order-7');
    expect(calls()).toBe(1);
    expect(await orders.resolve('order-7', { as: 'delivered', note: 'the cart is complete' })).toMatchObject({
      state: 'delivered',
    });
  });

  it.each<[string, (client: pg.PoolClient) => Promise<unknown>]>([
    ['rolls back, and then throws', (client) => client.query('ROLLBACK').then(() => Promise.reject(thrown))],
    ['lets a statement fail', (client) => client.query('SELECT 1 / 0')],
    ['throws', () => Promise.reject(thrown)],
  ])('is not one that %s: nothing was changed, and it runs again', async (_, misbehave) => {
    const { store } = await openStore();
    const { orders, error } = await deliverWith(store, (_, { client }) => misbehave(client));
    expect(error).toBeInstanceOf(Error);
    expect(await orders.find('order-7')).toMatchObject({ state: 'accepted', settledAt: undefined });
  });
});

describe.each(sqliteLibraries())('a hook on SQLite (%s) that commits by itself', (_, open) => {
  it.each([
    ['and then throws', () => Promise.reject(thrown)],
    ['and resolves', () => Promise.resolve()],
  ])('%s: the order goes to review', async (_, end) => {
    const database = open(':memory:');
    const { orders, error, calls } = await deliverWith(sqliteOrderStore(database), (_, { client }) => {
      client.exec('COMMIT');
      return end();
    });
    expect(error).toMatchObject({ name: 'TransactionEndedError' });
    expect(await orders.find('order-7')).toMatchObject({ state: 'review' });
    await orders.run('order-7');
    expect(calls()).toBe(1);
    database.close();
  });

  it('is not one that throws: nothing was changed', async () => {
    const database = open(':memory:');
    const { orders, error } = await deliverWith(sqliteOrderStore(database), () => Promise.reject(thrown));
    expect(error).toMatchObject({ message: thrown.message });
    expect(await orders.find('order-7')).toMatchObject({ state: 'accepted' });
    database.close();
  });
});
