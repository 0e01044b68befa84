import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  memoryOrderStore,
  type PostgresClient,
  postgresOrderStore,
  type StoredOrder,
  sqliteOrderStore,
} from '../../src/orders/index.js';
import { inTransaction } from '../../src/postgres/transaction.js';
import { sqliteLibraries } from './support/sqlite.js';
import { airtimeOrder, describeStore } from './support/store-contract.js';

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
    const { pool, schema, store } = await openSchema();
    await store.createTables();
    await store.insert(airtimeOrder('order-7'));
    await store.createTables();
    expect(await store.find('order-7')).toMatchObject({ state: 'placed' });
    const { rows } = await pool.query(`SELECT version FROM ${schema}.shop_version`);
    expect(rows).toEqual(store.ddl.map((_, at) => ({ version: at + 1 })));
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
    for (let after: StoredOrder | undefined; ; ) {
      const page: StoredOrder[] = await store.list({ limit: 4, after });
      seen.push(...page.map(({ id }) => id));
      after = page.at(-1);
      if (!after) break;
      await pool.query(`DELETE FROM ${schema}.shop WHERE id = $1`, [after.id]);
    }
    expect(seen).toEqual(all);
    expect(all).toHaveLength(30);
  });

  it('needs no right to create tables that are current, and names the remedy for those that are not', async () => {
    const { pool, schema, store } = await openSchema();
    const role = `${schema}_role`;
    await pool.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    const lesser = new pg.Pool({
      connectionString: Object.assign(new URL(String(url)), { username: role }).href,
    });
    const limited = postgresOrderStore(lesser, { schema, table: 'shop' });
    await expect(limited.createTables()).rejects.toThrow('has no right to create or alter them');
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
    // Such a transaction of the caller's does not see what was placed since it began.
    const client = await pool.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    const blind = store.insert(airtimeOrder('blind'), { client, ...within });
    await expect(blind).rejects.toThrow('READ COMMITTED');
    await client.query('ROLLBACK');
    client.release();
  });

  it('works on tables that migrations of the shop created from its statements', async () => {
    const { pool, store } = await openSchema();
    for (const statements of store.ddl) await pool.query(statements);
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
        // The clock of the database cannot be moved, so what was written is made older.
        pass: async (ms) => {
          const back = `- $1 * interval '1 millisecond'`;
          const times = [
            'created_at',
            'updated_at',
            'due_at',
            'doubted_at',
            'accepted_at',
            'expires_at',
            'settled_at',
          ];
          const set = times.map((time) => `${time} = date_trunc('milliseconds', ${time} ${back})`);
          await pool.query(`UPDATE ${table} SET ${set.join(', ')}`, [ms]);
          await pool.query(`UPDATE ${table}_events SET received_at = received_at ${back}`, [ms]);
        },
        close: () => pool.end(),
      };
    });
  });
});
