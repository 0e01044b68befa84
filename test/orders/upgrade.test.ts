import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { postgresOrderStore, sqliteOrderStore } from '../../src/orders/index.js';
import { sqliteLibraries } from './support/sqlite.js';

/** The tables of version 1 as 1.0.0 created them, with orders in several states. Never changed: this is what is upgraded. */
const postgresV1 = `
CREATE TABLE "shop_version" (version integer NOT NULL);
INSERT INTO "shop_version" (version) VALUES (1);
CREATE TABLE "shop" (
  id text PRIMARY KEY,
  product text NOT NULL,
  params jsonb NOT NULL,
  state text NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  doubted_at timestamptz,
  reference text,
  amount numeric,
  awaiting_refund boolean NOT NULL DEFAULT false,
  token text,
  last_error jsonb,
  tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  due_at timestamptz
);
CREATE UNIQUE INDEX "shop_reference" ON "shop" (reference) WHERE reference IS NOT NULL;
CREATE INDEX "shop_due" ON "shop" (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX "shop_created" ON "shop" (created_at DESC, id DESC);
CREATE INDEX "shop_state" ON "shop" (state, created_at DESC, id DESC);
CREATE INDEX "shop_refund" ON "shop" (id) WHERE awaiting_refund;
CREATE INDEX "shop_claims" ON "shop" (created_at)
  WHERE reference IS NULL AND state IN ('buying', 'unknown', 'review');
CREATE TABLE "shop_history" (
  order_id text NOT NULL REFERENCES "shop" (id) ON DELETE CASCADE,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  event text NOT NULL,
  from_state text,
  to_state text NOT NULL,
  attempt integer NOT NULL,
  detail jsonb,
  PRIMARY KEY (order_id, seq)
);
CREATE TABLE "shop_events" (
  reference text PRIMARY KEY,
  event jsonb NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp()
);`;

const sqliteV1 = `
CREATE TABLE "shop_version" (version INTEGER NOT NULL);
INSERT INTO "shop_version" (version) VALUES (1);
CREATE TABLE "shop" (
  id TEXT PRIMARY KEY,
  product TEXT NOT NULL,
  params TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  doubted_at INTEGER,
  reference TEXT,
  amount REAL,
  awaiting_refund INTEGER NOT NULL DEFAULT 0,
  token TEXT,
  last_error TEXT,
  tries INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  due_at INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX "shop_reference" ON "shop" (reference) WHERE reference IS NOT NULL;
CREATE INDEX "shop_due" ON "shop" (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX "shop_created" ON "shop" (created_at DESC, id DESC);
CREATE INDEX "shop_state" ON "shop" (state, created_at DESC, id DESC);
CREATE INDEX "shop_refund" ON "shop" (id) WHERE awaiting_refund = 1;
CREATE INDEX "shop_claims" ON "shop" (created_at)
  WHERE reference IS NULL AND state IN ('buying', 'unknown', 'review');
CREATE TABLE "shop_history" (
  seq INTEGER PRIMARY KEY,
  order_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  from_state TEXT,
  to_state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  detail TEXT
);
CREATE INDEX "shop_history_order" ON "shop_history" (order_id, seq);
CREATE TABLE "shop_events" (reference TEXT PRIMARY KEY, event TEXT NOT NULL, received_at INTEGER NOT NULL);`;

const params = '{"biller":"MTN","recipient":"08031234567","amount":500}';
const earlier = Date.UTC(2026, 0, 31, 12);
const later = earlier + 60_000;
/** id, state, attempt, reference, amount. */
const rows = [
  ['placed', 'placed', 0, null, null],
  ['unknown', 'unknown', 2, null, null],
  ['accepted', 'accepted', 1, 'TXN-1', 490],
  ['delivered', 'delivered', 1, 'TXN-2', 490],
  ['failed', 'failed', 1, 'TXN-3', 490],
] as const;

/** Lines of history: order, time, event, states, attempt and detail. */
const lines = [
  ['accepted', earlier, 'place', null, 'placed', 0, null],
  ['unknown', earlier, 'place', null, 'placed', 0, null],
  ['unknown', earlier, 'begin', 'placed', 'buying', 1, null],
  ['unknown', later, 'doubt', 'buying', 'unknown', 1, '{"error":{"name":"ServerError","message":"x"}}'],
] as const;

/** What holds of the orders of version 1 on the tables of today. */
async function expectUpgraded(
  store: ReturnType<typeof sqliteOrderStore> | ReturnType<typeof postgresOrderStore>,
) {
  const find = (id: string) => store.find(id);
  for (const [id, state, attempt, reference, amount] of rows) {
    expect(await find(id)).toMatchObject({
      id,
      state,
      attempt,
      params: JSON.parse(params),
      reference: reference ?? undefined,
      amount: amount ?? undefined,
      contradicted: false,
      customer: undefined,
      expiresInMs: undefined,
    });
  }
  expect(await find('delivered')).toMatchObject({ settledAt: new Date(later), refunded: false });
  expect(await find('failed')).toMatchObject({ settledAt: new Date(later), refunded: true });
  expect((await find('accepted'))?.acceptedForMs).toBeGreaterThan(0);
  expect((await find('unknown'))?.doubted).toBe(true);
  expect((await store.list({ recipient: '08031234567', limit: 10 })).map(({ id }) => id).toSorted()).toEqual(
    rows.map(([id]) => id).toSorted(),
  );
  const error = { name: 'ServerError', message: 'x' };
  expect(await store.history('unknown')).toMatchObject([
    { event: 'place', from: undefined, to: 'placed', attempt: 0 },
    { event: 'begin', from: 'placed', to: 'buying', attempt: 1, detail: undefined, at: new Date(earlier) },
    { event: 'doubt', from: 'buying', to: 'unknown', attempt: 1, detail: { error }, at: new Date(later) },
  ]);
  expect(await store.history('accepted')).toMatchObject([{ event: 'place', to: 'placed' }]);
  // The rules of today hold for them.
  const moved = await store.update(
    { id: 'accepted', state: 'accepted', attempt: 1 },
    { state: 'delivered', settled: true, amountCharged: 490, dueInMs: undefined },
    { event: 'deliver' },
  );
  expect(moved).toMatchObject({ state: 'delivered', amountCharged: 490 });
  expect(await store.keptEvent('TXN-9')).toBeDefined();
  const pages = [await store.list({ limit: 3 })];
  pages.push(await store.list({ limit: 3, after: pages[0]?.at(-1) }));
  expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(rows.length);
}

describe('tables of version 1 are upgraded with their orders', () => {
  it.each(sqliteLibraries())('on SQLite, %s', async (_, open) => {
    const database = open(':memory:');
    database.exec(sqliteV1);
    for (const [id, state, attempt, reference, amount] of rows) {
      database
        .prepare('INSERT INTO "shop" VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, NULL, NULL, 0, ?, ?, ?)')
        .run(
          id,
          'airtime',
          params,
          state,
          attempt,
          state === 'unknown' ? earlier : null,
          reference,
          amount,
          earlier,
          later,
          null,
        );
    }
    for (const line of lines) {
      database
        .prepare(
          `INSERT INTO "shop_history" (order_id, at, event, from_state, to_state, attempt, detail) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(...line);
    }
    database.prepare('INSERT INTO "shop_events" VALUES (?, ?, ?)').run('TXN-9', '{}', earlier);
    await expectUpgraded(sqliteOrderStore(database, { table: 'shop' }));
    await sqliteOrderStore(database, { table: 'shop' }).find('placed');
    database.close();
  });

  const url = process.env['BILLPAY_TEST_POSTGRES_URL'];
  it.skipIf(url === undefined)('on PostgreSQL, also by several processes at once', async () => {
    const schema = `upgrade_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}` });
    await pool.query(`CREATE SCHEMA ${schema}`);
    await pool.query(postgresV1);
    for (const [id, state, attempt, reference, amount] of rows) {
      await pool.query(
        `INSERT INTO shop (id, product, params, state, attempt, doubted_at, reference, amount, created_at, updated_at)
VALUES ($1, 'airtime', $2, $3, $4, $5, $6, $7, $8::timestamptz + interval '123 microseconds', $9)`,
        [
          id,
          params,
          state,
          attempt,
          state === 'unknown' ? new Date(earlier) : null,
          reference,
          amount,
          new Date(earlier),
          new Date(later),
        ],
      );
    }
    for (const [id, at, ...line] of lines) {
      await pool.query(
        `INSERT INTO shop_history (order_id, at, event, from_state, to_state, attempt, detail) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, new Date(at), ...line],
      );
    }
    await pool.query(`INSERT INTO shop_events (reference, event) VALUES ('TXN-9', '{}')`);
    const store = postgresOrderStore(pool, { table: 'shop' });
    await Promise.all([store.createTables(), store.createTables(), store.createTables()]);
    await expectUpgraded(store);
    const { rows: versions } = await pool.query('SELECT version FROM shop_version ORDER BY version');
    expect(versions).toEqual(store.ddl.map((_, at) => ({ version: at + 1 })));
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
});
