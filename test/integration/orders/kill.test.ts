import { setTimeout as delay } from 'node:timers/promises';
import { BillPay } from 'billpay';
import { createOrders, postgresOrderStore } from 'billpay/orders';
import { createSandbox } from 'billpay/sandbox';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../chaos/random.js';
import { seedOfRun } from '../../support/seed.js';
import { frontOf } from './kill/front.js';
import { bundled, Member } from './kill/member.js';
import { judge, ordersOf, review, type StoredEnd, troubles } from './kill/workload.js';

const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
const redisUrl = process.env['BILLPAY_TEST_REDIS_URL'];
const firstSeed = seedOfRun();
const asked = { orders: process.env['BILLPAY_TEST_ORDERS'], seeds: process.env['BILLPAY_TEST_SEEDS'] };
/** In CI the engine of many machines in full, the others in short; the variables ask the same of all. */
const engines = [
  process.env['CI'] === 'true'
    ? { engine: 'pg-boss', orders: 1000, seeds: 2 }
    : { engine: 'pg-boss', orders: 200, seeds: 1 },
  { engine: 'in-process', orders: 200, seeds: 1 },
  ...(redisUrl ? [{ engine: 'bullmq', orders: 200, seeds: 1 }] : []),
];
const limitMs = 420_000;

let children: Awaited<ReturnType<typeof bundled>>;
beforeAll(async () => {
  children = await bundled('child');
});
afterAll(() => children.remove());

async function run(engine: string, count: number, seed: number): Promise<void> {
  const random = new Random(String(seed));
  const table = `kill_${seed}_${engine.replace(/\W/g, '')}`;
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const store = postgresOrderStore(pool, { table });
  await store.createTables();
  await pool.query(`CREATE TABLE ${table}_ends (id text NOT NULL, kind text NOT NULL)`);
  const sandbox = createSandbox({ balance: 1e9, settleAfter: 700, seed: String(seed) });
  const { baseUrl } = await sandbox.listen();
  const { clientId, secretKey } = sandbox.credentials;
  const receivers: Member[] = [];
  const front = await frontOf(receivers, random);
  const admin = new BillPay({ baseUrl, clientId, apiKey: secretKey });
  const { secret } = await admin.webhooks.subscribe({ url: front.url });
  const all = ordersOf(seed, count);
  const env = {
    ENGINE: engine,
    DATABASE_URL: String(databaseUrl),
    REDIS_URL: String(redisUrl),
    TABLE: table,
    BILLPAY_BASE_URL: baseUrl,
    BILLPAY_API_KEY: secretKey,
    BILLPAY_CLIENT_ID: clientId,
    BILLPAY_WEBHOOK_SECRET: secret,
  };
  const member = (role: object) => new Member(children.program, { ...env, ...role });
  const workers = ['1', '2', '3'].map(() => member({ ROLE: 'worker' }));
  receivers.push(...['1', '2'].map(() => member({ ROLE: 'receiver' })));
  const buyer = member({ ROLE: 'buyer', ORDERS: JSON.stringify(all) });
  const members = [...workers, ...receivers, buyer];
  const deadline = Date.now() + limitMs - 20_000;
  const person = createOrders({
    billpay: admin,
    store,
    on: {
      refused: async ({ id }, { client }) => {
        await client.query(`INSERT INTO ${table}_ends (id, kind) VALUES ($1, 'refused')`, [id]);
      },
    },
  });
  const open = async () => {
    const { count: by } = await store.stats();
    return count - by.delivered - by.failed - by.refused;
  };
  try {
    await Promise.all(members.map((one) => one.start()));
    // Kills from the first order to the last, and 20 at least.
    for (let kills = 0; kills < 20 || (!buyer.done && kills < count / 10); kills++) {
      if (random.chance(0.7)) sandbox.faults.add({ ...random.pick(troubles), times: random.int(1, 4) });
      await delay(random.int(20, 350));
      const victim = members[random.int(0, members.length - 1)];
      await victim?.kill();
      await delay(random.int(0, 150));
      await victim?.start();
    }
    while (!buyer.done && Date.now() < deadline) await delay(50);
    sandbox.faults.clear();
    while ((await open()) > 0 && Date.now() < deadline) {
      await review(person, sandbox);
      await delay(100);
    }
    expect((await store.stats()).count, `BILLPAY_TEST_SEED=${seed}`).toMatchObject({
      placed: 0,
      buying: 0,
      accepted: 0,
      unknown: 0,
      held: 0,
      review: 0,
    });
  } finally {
    await Promise.all(members.map((one) => one.kill()));
    front.server.close();
    front.server.closeAllConnections();
  }
  const ends = await pool.query<{ id: string; kind: string }>(`SELECT id, kind FROM ${table}_ends`);
  const stored = await pool.query<StoredEnd>(`SELECT id, state, reference FROM ${table}`);
  judge(all, stored.rows, ends.rows, sandbox);
  expect(sandbox.audit()).toMatchObject({ ok: true });
  await sandbox.close();
  await pool.query(`DROP TABLE ${table}_ends, ${table}_events, ${table}_history, ${table}, ${table}_version`);
  await pool.query(`DROP SCHEMA IF EXISTS ${table}_boss CASCADE`);
  await pool.end();
}

describe.skipIf(!databaseUrl)(
  'orders, with three workers, two receivers and a buyer that are killed all the time',
  () => {
    const runs = engines.flatMap(({ engine, orders, seeds }) =>
      Array.from({ length: Number(asked.seeds ?? seeds) }, (_, n) => ({
        engine,
        count: Number(asked.orders ?? orders),
        seed: firstSeed + n,
      })),
    );
    it.each(runs)(
      'charge each of $count orders once and end it once: $engine (BILLPAY_TEST_SEED=$seed)',
      async ({ engine, count, seed }) => run(engine, count, seed),
      limitMs,
    );
  },
);
