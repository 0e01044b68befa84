import { randomUUID } from 'node:crypto';
import { createPool } from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mysqlOrderStore } from '../../src/orders/index.js';
import { airtimeOrder, describeStore } from './support/store-contract.js';

const url = process.env['BILLPAY_TEST_MYSQL_URL'];
it.each<[string, unknown, unknown, RegExp]>([
  ['a pool of the callback interface', { query() {} }, {}, /mysql2\/promise/],
  ['an unknown name', { getConnection() {}, execute() {} }, { tabel: 'a' }, /did you mean table/],
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
      // The clock of the database cannot be moved, so what was written is made older.
      pass: async (ms) => {
        const times = [
          'created_at',
          'updated_at',
          'due_at',
          'doubted_at',
          'accepted_at',
          'expires_at',
          'settled_at',
        ];
        const set = times.map((time) => `${time} = ${time} - ${Math.round(ms)}`);
        await pool.query(`UPDATE ${table} SET ${set.join(', ')}`);
        await pool.query(`UPDATE ${table}_events SET received_at = received_at - ${Math.round(ms)}`);
      },
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
    await expect(missing.createTables()).rejects.toThrow('has no right to create or alter them');
  });

  it.each([
    ['by several processes at once', 0],
    ['after a process that ended within a step', 1],
  ])('upgrades tables of version 1, %s', async (_, already) => {
    const { pool } = await openHere();
    const table = `orders_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    const store = mysqlOrderStore(pool, { table });
    const tablesOfV1 = 4;
    for (const statement of store.ddl.slice(0, tablesOfV1 + already)) await pool.query(statement);
    await pool.query(`CREATE TABLE ${table}_version (version INT NOT NULL PRIMARY KEY)`);
    await pool.query(`INSERT INTO ${table}_version VALUES (1)`);
    const params = JSON.stringify(airtimeOrder('a').params);
    await pool.query(
      `INSERT INTO ${table} (id, product, params, recipient, state, attempt, created_at, updated_at)
VALUES ('a', 'airtime', ?, '08031234567', 'unknown', 1, 1000, 3000), ('b', 'airtime', ?, '0803', 'placed', 0, 1000, 1000)`,
      [params, params],
    );
    const error = { name: 'ServerError', message: `it's "x" 😀 ${'long '.repeat(1000)}` };
    await pool.query(
      `INSERT INTO ${table}_history (order_id, at, event, from_state, to_state, attempt, detail)
VALUES ('a', 1000, 'place', NULL, 'placed', 0, NULL), ('a', 2000, 'begin', 'placed', 'buying', 1, NULL), ('a', 3000, 'doubt', 'buying', 'unknown', 1, ?)`,
      [JSON.stringify({ error })],
    );
    await Promise.all([store.createTables(), store.createTables(), store.createTables()]);
    const unknown = { state: 'unknown', attempt: 1 } as const;
    await store.update({ id: 'a', ...unknown }, {}, { event: 'note', detail: { note: 'seen' } });
    expect(await store.history('a')).toMatchObject([
      { event: 'place', from: undefined, to: 'placed', attempt: 0, at: new Date(1000) },
      { event: 'begin', from: 'placed', to: 'buying', attempt: 1, detail: undefined, at: new Date(2000) },
      { event: 'doubt', from: 'buying', to: 'unknown', detail: { error }, at: new Date(3000) },
      { event: 'note', from: 'unknown', to: 'unknown', detail: { note: 'seen' } },
    ]);
    expect(await store.history('b')).toHaveLength(1);
    const [tables] = await pool.query(`SHOW TABLES LIKE '${table}_history'`);
    expect(tables).toEqual([]);
  });

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
