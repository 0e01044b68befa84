import { setTimeout as delay } from 'node:timers/promises';
import { BillPay } from 'billpay';
import { createOrders } from 'billpay/orders';
import { createSandbox } from 'billpay/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BundledProgram, bundleProgram } from '../../support/bundle-program.js';
import { Member } from '../../support/member.js';
import { Random } from '../../support/random.js';
import { seedOfRun } from '../../support/seed.js';
import { databaseOf } from './kill/database.js';
import { frontOf } from './kill/front.js';
import { judge, ordersOf, review, troubles } from './kill/workload.js';

const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
const mysqlUrl = process.env['BILLPAY_TEST_MYSQL_URL'];
const redisUrl = process.env['BILLPAY_TEST_REDIS_URL'];
const firstSeed = seedOfRun();
const asked = { orders: process.env['BILLPAY_TEST_ORDERS'], seeds: process.env['BILLPAY_TEST_SEEDS'] };
/** In CI the engine of many machines in full, the others in short; the variables, which the nightly job sets, ask the same of all. */
const engines: readonly { engine: string; orders: number; seeds: number; url?: string }[] = [
  process.env['CI'] === 'true'
    ? { engine: 'pg-boss', orders: 1000, seeds: 1 }
    : { engine: 'pg-boss', orders: 200, seeds: 1 },
  { engine: 'in-process', orders: 200, seeds: 1 },
  // The older versions that are supported.
  ...['pg-boss10', 'pg-boss11'].map((engine) => ({ engine, orders: 100, seeds: 1 })),
  ...(redisUrl
    ? [
        { engine: 'bullmq', orders: 200, seeds: 1 },
        { engine: 'bullmq5', orders: 100, seeds: 1 },
      ]
    : []),
  ...(mysqlUrl ? [{ engine: 'in-process, MariaDB', orders: 200, seeds: 1, url: mysqlUrl }] : []),
];
const limitMs = 420_000;

let children: BundledProgram;
beforeAll(async () => {
  children = await bundleProgram(new URL('kill/child.ts', import.meta.url));
});
afterAll(() => children.remove());

async function run(engine: string, url: string, count: number, seed: number): Promise<void> {
  const random = new Random(String(seed));
  const table = `kill_${seed}_${engine.replace(/\W/g, '')}`;
  const database = databaseOf(url, table);
  const { store } = database;
  await database.create();
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
    DATABASE_URL: url,
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
      refused: ({ id }, { client }) => database.writeEnd(client, id, 'refused'),
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
  judge(all, await database.orders(), await database.ends(), sandbox);
  expect(sandbox.audit()).toMatchObject({ ok: true });
  await sandbox.close();
  await database.remove();
}

// Each run has its own tables, queues and service, and waits most of its time: for leases, for backoffs, for what was killed.
describe
  .skipIf(!databaseUrl)
  .concurrent('orders, with three workers, two receivers and a buyer that are killed all the time', () => {
    const runs = engines.flatMap(({ engine, orders, seeds, url = String(databaseUrl) }) =>
      Array.from({ length: Number(asked.seeds ?? seeds) }, (_, n) => ({
        engine,
        url,
        count: Number(asked.orders ?? orders),
        seed: firstSeed + n,
      })),
    );
    it.each(runs)(
      'charge each of $count orders once and end it once: $engine (BILLPAY_TEST_SEED=$seed)',
      async ({ engine, url, count, seed }) => run(engine, url, count, seed),
      limitMs,
    );
  });
