import { randomUUID } from 'node:crypto';
import { createPool } from 'mysql2/promise';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createOrders,
  type MysqlOrderClient,
  mysqlOrderStore,
  type Order,
} from '../../../src/orders/index.js';
import { idleQueue, purchaseOf, transactionOf } from '../support/shop.js';
import { airtimeOrder, describeStore, olderBy } from '../support/store-contract.js';

const url = process.env['BILLPAY_TEST_MYSQL_URL'];
it.each<[string, unknown, unknown, RegExp]>([
  ['a pool of the callback interface', { query() {} }, {}, /mysql2\/promise/],
  ['a name that would change the SQL', { getConnection() {}, execute() {} }, { table: 'a`b' }, /plain name/],
])('mysqlOrderStore refuses %s', (_, pool, options, problem) => {
  expect(() => mysqlOrderStore(pool as never, options as never)).toThrow(problem);
});

const placed = (id: string) => ({ id, state: 'placed', attempt: 0 }) as const;

describe.skipIf(url === undefined)('with MariaDB', () => {
  const open = async () => {
    const pool = createPool({ uri: String(url), connectionLimit: 8 });
    const table = `orders_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    const store = mysqlOrderStore(pool, { table });
    await Promise.all([store.createTables(), store.createTables()]);
    return { pool, table, store };
  };
  const openHere = async () => {
    const opened = await open();
    onTestFinished(() => opened.pool.end());
    return opened;
  };

  describeStore('MariaDB', async () => {
    const { pool, table, store } = await open();
    return {
      store,
      pass: (ms) => pool.query(olderBy(ms, table)),
      close: () => pool.end(),
    };
  });

  it('creates its tables in another database, and leaves those of this version as they are', async () => {
    const { pool } = await openHere();
    const schema = `billpay_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    await pool.query(`CREATE DATABASE ${schema}`);
    const store = mysqlOrderStore(pool, { schema, table: 'shop' });
    await store.createTables();
    await store.insert(airtimeOrder('order-7'));
    await store.createTables();
    expect(await store.find('order-7')).toMatchObject({ state: 'placed' });
    await pool.query(`DROP DATABASE ${schema}`);
  });

  it('needs no right to create tables that are current, and names the remedy for those that are not', async () => {
    const { pool, table, store } = await openHere();
    const user = `u_${randomUUID().slice(0, 8)}`;
    const database = new URL(String(url)).pathname.slice(1);
    await pool.query(`CREATE USER ${user}@127.0.0.1 IDENTIFIED BY ''`);
    await pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${database}.* TO ${user}@127.0.0.1`);
    const lesser = createPool({ uri: Object.assign(new URL(String(url)), { username: user }).href });
    onTestFinished(async () => {
      await lesser.end();
      await pool.query(`DROP USER ${user}@127.0.0.1`);
    });
    const limited = mysqlOrderStore(lesser, { table });
    await limited.createTables();
    await limited.insert(airtimeOrder('a'));
    expect(await store.find('a')).toMatchObject({ state: 'placed' });
    const missing = mysqlOrderStore(lesser, { table: `${table}_missing` });
    await expect(missing.createTables()).rejects.toThrow('has no right to create them');
  });

  it.each(['STRICT_TRANS_TABLES', 'STRICT_ALL_TABLES', 'TRADITIONAL', 'ANSI', ''])(
    'works in sql_mode %j',
    async (mode) => {
      const pool = createPool({ uri: String(url) });
      onTestFinished(() => pool.end());
      pool.pool.on('connection', (connection) => void connection.query(`SET SESSION sql_mode = '${mode}'`));
      const store = mysqlOrderStore(pool, {
        table: `modes_${randomUUID().replaceAll('-', '').slice(0, 12)}`,
      });
      await store.createTables();
      await store.insert(airtimeOrder('a'), { duplicateWithinMs: 60_000 });
      const change = { state: 'accepted', reference: 'TXN-1', amount: 12.34 } as const;
      expect(await store.update(placed('a'), change, { event: 'accept' })).toMatchObject(change);
      expect(await store.history('a')).toHaveLength(2);
    },
  );

  it('finds an order that was placed after the transaction of the caller began', async () => {
    const { pool, table, store } = await openHere();
    const client = await pool.getConnection();
    onTestFinished(() => client.release());
    // The default of MySQL is REPEATABLE READ: later reads see what the first one saw.
    await client.query('START TRANSACTION');
    await client.query(`SELECT count(*) FROM ${table}`);
    await store.insert(airtimeOrder('a'));
    expect(await store.insert(airtimeOrder('a'), { client })).toMatchObject({ inserted: false });
    const many = await store.insertMany([airtimeOrder('b'), airtimeOrder('a')], client);
    expect(many.map(({ inserted }) => inserted)).toEqual([true, false]);
    const within = { client, duplicateWithinMs: 60_000 };
    expect(await store.insert(airtimeOrder('c'), within)).toMatchObject({ duplicate: true });
    await client.query('COMMIT');
  });

  it('refuses an id that is longer than a key of an index can be', async () => {
    const { store } = await openHere();
    await expect(store.insert(airtimeOrder('x'.repeat(1025)))).rejects.toThrow('1024 bytes');
  });

  it('shows a time that does not depend on the time zone of the connection', async () => {
    const { pool, table } = await openHere();
    const lagos = createPool({ uri: String(url), timezone: '+01:00' });
    onTestFinished(() => lagos.end());
    await lagos.query("SET time_zone = '+13:00'");
    const store = mysqlOrderStore(lagos, { table });
    const before = Date.now();
    const { order } = await store.insert(airtimeOrder('a'));
    expect(Math.abs(order.createdAt.getTime() - before)).toBeLessThan(60_000);
    const other = await mysqlOrderStore(pool, { table }).find('a');
    expect(other?.createdAt).toEqual(order.createdAt);
  });

  it('stores each of the orders that many processes place at the same time once', async () => {
    const { table } = await openHere();
    const orders = Array.from({ length: 50 }, (_, n) => airtimeOrder(`order-${n}`));
    const pools = Array.from({ length: 4 }, () => createPool({ uri: String(url) }));
    onTestFinished(async () => void (await Promise.all(pools.map((pool) => pool.end()))));
    const results = await Promise.all(
      pools.map((pool, n) =>
        mysqlOrderStore(pool, { table }).insertMany(n % 2 ? [...orders].reverse() : orders),
      ),
    );
    const inserted = results.flat().filter((result) => result.inserted);
    expect(inserted.map(({ order }) => order.id).sort()).toEqual(orders.map(({ id }) => id).sort());
  });

  it('lets one of several processes place the same content within a time', async () => {
    const { table } = await openHere();
    const pools = Array.from({ length: 3 }, () => createPool({ uri: String(url) }));
    onTestFinished(async () => void (await Promise.all(pools.map((pool) => pool.end()))));
    for (let round = 0; round < 10; round++) {
      const amount = 100 + round;
      const results = await Promise.all(
        pools.map((pool, n) =>
          mysqlOrderStore(pool, { table }).insert(airtimeOrder(`tap-${round}-${n}`, amount), {
            duplicateWithinMs: 60_000,
          }),
        ),
      );
      expect(results.filter(({ inserted }) => inserted)).toHaveLength(1);
      expect(results.filter(({ duplicate }) => duplicate)).toHaveLength(2);
    }
  });

  it.each([
    ['commits', 'COMMIT'],
    ['rolls back', 'ROLLBACK'],
    ['creates a table, which commits', 'CREATE TABLE IF NOT EXISTS billpay_side_effect (id INT)'],
  ])('rejects a transaction whose hook %s', async (_, statement) => {
    const { store } = await openHere();
    await store.insert(airtimeOrder('a'));
    const work = store.transaction(async (client) => {
      await store.update(placed('a'), { state: 'buying', attempt: 1 }, { event: 'begin' }, client);
      await client.query(statement);
    });
    await expect(work).rejects.toThrow('ended the transaction by itself');
    const throwing = store.transaction(async (client) => {
      await client.query(statement);
      throw new Error('the hook failed');
    });
    await expect(throwing).rejects.toThrow('ended the transaction by itself');
  });

  /** Two rows, and what ends the transaction of a hook that has locked the second of them: a heavier transaction that wants both. */
  async function openDeadlock() {
    const opened = await openHere();
    const { pool, table } = opened;
    await pool.query(`CREATE TABLE ${table}_wallets (id INT PRIMARY KEY, naira INT)`);
    await pool.query(`INSERT INTO ${table}_wallets VALUES (1, 0), (2, 0)`);
    const set = (id: number, to = 'naira + 500') =>
      `UPDATE ${table}_wallets SET naira = ${to} WHERE id = ${id}`;
    const other = await pool.getConnection();
    onTestFinished(() => other.destroy());
    const meet = async (client: MysqlOrderClient) => {
      await client.query(set(2, 'naira'));
      await other.query('START TRANSACTION');
      const many = Array.from({ length: 2000 }, (_, n) => `(${n + 100}, 0)`).join();
      await other.query(`INSERT INTO ${table}_wallets VALUES ${many}`);
      await other.query(set(1, 'naira'));
      void other.query(set(2, 'naira')).then(() => other.query('ROLLBACK'));
      await vi.waitFor(async () => {
        const [rows] = await pool.query(
          'SELECT id FROM information_schema.processlist WHERE info LIKE ? AND id <> CONNECTION_ID()',
          [`UPDATE ${table}_wallets%`],
        );
        expect(rows).toHaveLength(1);
      });
    };
    const naira = async () => (await pool.query(`SELECT naira FROM ${table}_wallets WHERE id < 3`))[0];
    return { ...opened, set, meet, naira };
  }

  it('rejects a transaction that a deadlock ended and whose hook went on, of which nothing is stored', async () => {
    const { store, set, meet, naira } = await openDeadlock();
    await store.insert(airtimeOrder('a'));
    const later: unknown[] = [];
    const work = store.transaction(async (client) => {
      await store.update(placed('a'), { state: 'buying', attempt: 1 }, { event: 'begin' }, client);
      await meet(client);
      // The second is on its way when the first fails.
      const both = await Promise.allSettled([client.query(set(1)), client.execute(set(2), [])]);
      later.push(...both, ...(await Promise.allSettled([client.query(set(1)), client.query('COMMIT')])));
    });
    await expect(work).rejects.toMatchObject({
      name: 'TransactionEndedError',
      cause: { code: 'ER_LOCK_DEADLOCK' },
    });
    const ended = { reason: { name: 'TransactionEndedError' } };
    expect(later).toMatchObject([{ reason: { code: 'ER_LOCK_DEADLOCK' } }, ended, ended, ended]);
    expect(await naira()).toEqual([{ naira: 0 }, { naira: 0 }]);
    expect(await store.find('a')).toMatchObject({ state: 'placed' });
  });

  it('runs a hook anew as a whole that caught a deadlock and went on', async () => {
    const { store, set, meet, naira } = await openDeadlock();
    let runs = 0;
    const orders = createOrders({
      billpay: {
        purchase: async () => purchaseOf('TXN-1'),
        transactions: {
          status: async (reference) =>
            transactionOf(reference, { transaction_status: 'failed', refunded: true }),
        },
      },
      store,
      queue: idleQueue().queue,
      checkAfter: 1,
      on: {
        failed: async (_: Order, { client }: { client: MysqlOrderClient }) => {
          if (++runs === 1) await meet(client);
          await client.query(set(1)).catch(() => client.query(set(1)));
        },
      },
      onError: () => {},
    });
    const { id } = await orders.place(airtimeOrder());
    await orders.buy(id);
    const stateAfterStep = async () => {
      await orders.retry(id);
      await orders.run(id).catch(() => {});
      return (await orders.find(id))?.state;
    };
    expect(await stateAfterStep()).toBe('accepted');
    expect(await stateAfterStep()).toBe('failed');
    expect(runs).toBe(2);
    expect(await naira()).toEqual([{ naira: 500 }, { naira: 0 }]);
  });

  it('lets a hook go on after an error that did not end the transaction', async () => {
    const { store, pool, table } = await openHere();
    await store.insert(airtimeOrder('a'));
    await store.transaction(async (client) => {
      await client.query('SAVEPOINT own');
      await client.query(`INSERT INTO ${table} SELECT * FROM ${table}`).catch(() => {});
      await client.query('ROLLBACK TO own');
      await store.update(placed('a'), { state: 'buying', attempt: 1 }, { event: 'begin' }, client);
    });
    expect(await store.find('a')).toMatchObject({ state: 'buying' });
    expect((await pool.query('SELECT 1 AS one'))[0]).toEqual([{ one: 1 }]);
  });

  it('ends hooks after a minute that hold all connections of the pool and wait for another one', async () => {
    const { table } = await openHere();
    const pool = createPool({ uri: String(url), connectionLimit: 1 });
    onTestFinished(() => pool.end());
    const store = mysqlOrderStore(pool, { table });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let isInside = false;
    const waiting = store.transaction(async (client) => {
      await client.query('SELECT 1');
      isInside = true;
      await store.find('a');
    });
    const ended = expect(waiting).rejects.toThrow('give its statements the client of the hook');
    while (!isInside) await new Promise(setImmediate);
    await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(60_000);
    await ended;
    vi.useRealTimers();
    expect(await store.find('a')).toBeUndefined();
  });

  it('gives a connection back that a hook has lost', async () => {
    const { pool, store } = await openHere();
    const work = store.transaction(async (client) => {
      const [[row]] = (await client.query('SELECT CONNECTION_ID() AS id')) as unknown as [[{ id: number }]];
      await pool.query(`KILL ${row.id}`);
      await client.query('SELECT 1');
    });
    await expect(work).rejects.toThrow();
    for (let n = 0; n < 20; n++) expect(await store.transaction(async () => n)).toBe(n);
  });
});
