import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Order, type PostgresClient, postgresOrderStore } from '../../../src/orders/index.js';
import { inTransaction } from '../../../src/postgres.js';
import { airtimeOrder, describeStore, olderBy } from '../support/store-contract.js';

const url = process.env['BILLPAY_TEST_POSTGRES_URL'];
const placed = { id: 'order-7', state: 'placed', attempt: 0 } as const;

describe.skipIf(url === undefined)('with PostgreSQL', () => {
  /** A schema of its own, removed after the test. */
  async function openSchema() {
    const pool = new pg.Pool({ connectionString: url });
    const schema = `orders_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    await pool.query(`CREATE SCHEMA ${schema}`);
    onTestFinished(async () => {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    });
    return { pool, schema, store: postgresOrderStore(pool, { schema, table: 'shop' }) };
  }

  it('creates its tables in a schema, or leaves those of this version as they are', async () => {
    const { store } = await openSchema();
    await Promise.all([store.createTables(), store.createTables()]);
    await store.insert(airtimeOrder('order-7'));
    await store.createTables();
    expect(await store.find('order-7')).toMatchObject({ state: 'placed' });
  });

  it('continues a page after an order whose row is gone', async () => {
    const { pool, schema, store } = await openSchema();
    await store.createTables();
    // Placed in one moment, so that many have the same ms.
    await store.insertMany(
      Array.from({ length: 30 }, (_, n) => airtimeOrder(`order-${String(n).padStart(2, '0')}`)),
    );
    const all = (await store.list({ limit: 50 })).map(({ id }) => id);
    const seen: string[] = [];
    for (let after: Order | undefined; ; ) {
      const page: Order[] = await store.list({ limit: 4, after });
      seen.push(...page.map(({ id }) => id));
      after = page.at(-1);
      if (!after) break;
      await pool.query(`DELETE FROM ${schema}.shop WHERE id = $1`, [after.id]);
    }
    expect(seen).toEqual(all);
    expect(all).toHaveLength(30);
  });

  it('finds the order of an update by its id, however little the database knows of its orders', async () => {
    const { pool, schema, store } = await openSchema();
    await store.createTables();
    await store.insertMany(Array.from({ length: 1000 }, (_, n) => airtimeOrder(`order-${n}`)));
    const plans: string[] = [];
    const explained = {
      connect: () => pool.connect(),
      query: async (text: string, values?: unknown[]) => {
        const { rows } = await pool.query(`EXPLAIN ${text}`, values);
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        return { rows: [] };
      },
    };
    const explaining = postgresOrderStore(explained, { schema, table: 'shop' });
    for (const due of [true, false])
      await explaining.update({ ...placed, due }, { state: 'buying', attempt: 1 }, { event: 'begin' });
    expect(plans).toEqual([expect.stringContaining('shop_pkey'), expect.stringContaining('shop_pkey')]);
  });

  it('needs no right to create tables that are current, and names the remedy for those that are not', async () => {
    const { pool, schema, store } = await openSchema();
    const role = `${schema}_role`;
    await pool.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    const lesser = new pg.Pool({
      connectionString: Object.assign(new URL(String(url)), { username: role }).href,
    });
    const limited = postgresOrderStore(lesser, { schema, table: 'shop' });
    await expect(limited.createTables()).rejects.toThrow('has no right to create them');
    await store.createTables();
    await pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    await limited.createTables();
    await limited.insert(airtimeOrder('order-7'));
    expect(await limited.find('order-7')).toMatchObject({ state: 'placed' });
    await lesser.end();
    await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it('lets one of two place the same content within a time, whatever isolation the database has by default', async () => {
    const { pool, schema, store } = await openSchema();
    await store.createTables();
    const repeatable = new pg.Pool({
      connectionString: url,
      options: '-c default_transaction_isolation=repeatable\\ read',
    });
    onTestFinished(() => repeatable.end());
    const other = postgresOrderStore(repeatable, { schema, table: 'shop' });
    const within = { duplicateWithinMs: 60_000 };
    for (let round = 0; round < 5; round++) {
      const tap = (n: number) => other.insert(airtimeOrder(`tap-${round}-${n}`, 100 + round), within);
      const results = await Promise.all([tap(1), tap(2), tap(3)]);
      expect(results.filter(({ inserted }) => inserted)).toHaveLength(1);
    }
    // Such a transaction of the caller's does not see what was placed since it began, and so it is rejected.
    const client = await pool.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    await store.insert(airtimeOrder('meanwhile'), within);
    const blind = store.insert(airtimeOrder('blind'), { client, ...within });
    await expect(blind).rejects.toMatchObject({ code: '40001' });
    await client.query('ROLLBACK');
    client.release();
  });

  it('works where the isolation by default is serializable, as elsewhere', async () => {
    const { schema, store } = await openSchema();
    await store.createTables();
    const pools = [1, 2].map(
      () => new pg.Pool({ connectionString: url, options: '-c default_transaction_isolation=serializable' }),
    );
    onTestFinished(async () => void (await Promise.all(pools.map((pool) => pool.end()))));
    const stores = pools.map((pool) => postgresOrderStore(pool, { schema, table: 'shop' }));
    const each = Array.from({ length: 150 }, (_, n) => airtimeOrder(`order-${n}`));
    const begun = await Promise.all(
      each.flatMap((order) =>
        stores.map(async (own) => {
          await own.insert(order);
          const guard = { id: order.id, state: 'placed', attempt: 0 } as const;
          return own.update(guard, { state: 'buying', attempt: 1 }, { event: 'begin' });
        }),
      ),
    );
    expect(begun.filter(Boolean)).toHaveLength(each.length);
  });

  it('stores two lists in different orders at once, without a deadlock', async () => {
    const { pool, schema, store } = await openSchema();
    await store.createTables();
    const other = postgresOrderStore(pool, { schema, table: 'shop' });
    for (let round = 0; round < 3; round++) {
      const list = Array.from({ length: 1200 }, (_, n) => airtimeOrder(`order-${round}-${n}`));
      const both = await Promise.all([store.insertMany(list), other.insertMany(list.toReversed())]);
      expect(both.flat().filter(({ inserted }) => inserted)).toHaveLength(list.length);
    }
  });

  it('works on tables that migrations of the shop created from its statements', async () => {
    const { pool, store } = await openSchema();
    for (const statement of store.ddl) await pool.query(statement);
    await store.insert(airtimeOrder('order-7'));
    expect(await store.list({ state: 'placed', limit: 5 })).toMatchObject([{ id: 'order-7' }]);
  });

  it.each<[string, (client: PostgresClient) => Promise<unknown>]>([
    ['catches the error of a statement', (client) => client.query('SELECT 1 / 0').catch(() => {})],
    ['rolls back', (client) => client.query('ROLLBACK')],
    ['rolls back and begins again', (client) => client.query('ROLLBACK; BEGIN')],
  ])('rejects a transaction whose hook %s, and changes nothing', async (_, misbehave) => {
    const { store } = await openSchema();
    await store.createTables();
    await store.insert(airtimeOrder('order-7'));
    const work = store.transaction(async (client) => {
      await store.update(placed, { state: 'delivered' }, { event: 'deliver' }, client);
      await misbehave(client);
    });
    await expect(work).rejects.toThrow('ended the transaction by itself');
    expect(await store.find('order-7')).toMatchObject({ state: 'placed' });
  });

  it('survives a connection that is lost in the moment in which the pool hands it over', async () => {
    const { pool, store } = await openSchema();
    await store.createTables();
    const lost = new Error('terminating connection due to administrator command');
    // The error comes in the same chunk as the connection's readiness: before any promise can resolve.
    pool.once('acquire', (client) => queueMicrotask(() => client.emit('error', lost)));
    await expect(store.transaction(async () => 'done')).resolves.toBe('done');
  });

  it('takes its connections from a wrapper that passes its arguments on and returns a promise', async () => {
    const real = new pg.Pool({ connectionString: url, max: 2 });
    const pool = Object({
      query: (text: string, values?: unknown[]) => real.query(text, values),
      connect: async (...given: []) => real.connect(...given),
    });
    const store = postgresOrderStore(pool);
    for (let n = 0; n < 3; n++) expect(await store.transaction(async () => n)).toBe(n);
    expect([real.totalCount - real.idleCount, real.waitingCount]).toEqual([0, 0]);
    await real.end();
  });

  it('ends hooks that hold all connections of the pool and wait for another one', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const hook = (client: PostgresClient) => client.query('SELECT 1').then(() => pool.query('SELECT 1'));
    await expect(inTransaction(pool, hook, { idleLimitMs: 100 })).rejects.toThrow();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it('survives a connection that is lost while a hook runs', async () => {
    const { pool, store } = await openSchema();
    await store.createTables();
    await store.insert(airtimeOrder('order-7'));
    const work = store.transaction(async (client) => {
      await store.update(placed, { state: 'delivered' }, { event: 'deliver' }, client);
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
      await pool.query('SELECT pg_terminate_backend($1)', [Object(rows[0]).pid]);
      // The hook waits for something else, such as a message to the customer, while the server ends the connection.
      await vi.waitFor(() => expect(Reflect.get(client, '_ended')).toBe(true));
    });
    await expect(work).rejects.toThrow();
    expect(await store.find('order-7')).toMatchObject({ state: 'placed' });
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  describe.each<[string, pg.PoolConfig]>([
    ['PostgreSQL', {}],
    // A transaction of Drizzle, for one, returns times as text.
    ['PostgreSQL, whose values are texts', { types: { getTypeParser: () => String } }],
  ])('%s', (name, config) => {
    describeStore(name, async () => {
      const pool = new pg.Pool({ connectionString: url, ...config });
      const table = `orders_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
      const store = postgresOrderStore(pool, { table });
      await Promise.all([store.createTables(), store.createTables()]);
      return {
        store,
        pass: (ms) => pool.query(olderBy(ms, table)),
        close: () => pool.end(),
      };
    });
  });
});
