import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BillPay } from 'billpay';
import { createOrders, type OrderState } from 'billpay/orders';
import { createSandbox, type FaultOptions } from 'billpay/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BundledProgram, bundleProgram } from '../../support/bundle-program.js';
import { environmentOf } from '../../support/environment.js';
import { killRepeatedly, Member, troublesOf } from '../../support/killing.js';
import { seedOfRun } from '../../support/seed.js';
import { databaseOf } from './kill/database.js';
import { frontOf } from './kill/front.js';
import { judge, ordersOf, review } from './kill/workload.js';

const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'] ?? '';
const mysqlUrl = process.env['BILLPAY_TEST_MYSQL_URL'] ?? '';
const redisUrl = process.env['BILLPAY_TEST_REDIS_URL'] ?? '';
const firstSeed = seedOfRun();
const inCi = process.env['CI'] === 'true';
const asked = { orders: process.env['BILLPAY_TEST_ORDERS'], seeds: process.env['BILLPAY_TEST_SEEDS'] };

interface Engine {
  readonly engine: string;
  readonly orders: number;
  /** The database: `file` for an SQLite file of its own, empty where a server is missing, and then the run is skipped. */
  readonly url: string;
}

const withRedis = redisUrl === '' ? '' : databaseUrl;
/** In CI the engine of many machines and the file in full, the others in short; the variables, which the nightly job sets, ask the same of all. */
const engines: readonly Engine[] = [
  { engine: 'in-process, SQLite', orders: inCi ? 300 : 150, url: 'file' },
  { engine: 'pg-boss', orders: inCi ? 300 : 200, url: databaseUrl },
  { engine: 'in-process', orders: 200, url: databaseUrl },
  // The older versions that are supported.
  { engine: 'pg-boss10', orders: 100, url: databaseUrl },
  { engine: 'pg-boss11', orders: 100, url: databaseUrl },
  { engine: 'bullmq', orders: 200, url: withRedis },
  { engine: 'bullmq5', orders: 100, url: withRedis },
  { engine: 'in-process, MariaDB', orders: 200, url: mysqlUrl },
];
const limitMs = 420_000;

/** What stops the buying of a while, beside what is lost on the way. */
const refusals: readonly FaultOptions[] = [
  { when: 'before', status: 403, body: '<html>Blocked by the firewall</html>' },
  { when: 'before', status: 401, code: 'UNAUTHORIZED' },
];

let children: BundledProgram;
beforeAll(async () => {
  children = await bundleProgram(new URL('kill/child.ts', import.meta.url));
});
afterAll(() => children.remove());

async function run({ engine, url, orders: count }: Engine, seed: number): Promise<void> {
  const table = `kill_${seed}_${engine.replace(/\W/g, '')}`;
  const isFile = url === 'file';
  const file = join(children.folder, `${table}.db`);
  const sandbox = createSandbox({ balance: 1e9, settleAfter: 700, seed: String(seed) });
  const { connection } = await sandbox.listen();
  const receivers: Member[] = [];
  const front = await frontOf(receivers);
  const admin = new BillPay(connection);
  const { secret } = await admin.webhooks.subscribe({ url: front.url });
  const all = ordersOf(seed, count);
  const member = (ROLES: string) =>
    new Member(children.program, {
      ROLES,
      ENGINE: engine,
      DATABASE_URL: isFile ? file : url,
      REDIS_URL: redisUrl,
      TABLE: table,
      ORDERS: JSON.stringify(all),
      ...environmentOf(connection),
      BILLPAY_WEBHOOK_SECRET: secret,
    });
  const workers = isFile ? [] : ['worker', 'worker', 'worker'].map(member);
  receivers.push(...(isFile ? ['worker, receiver, buyer'] : ['receiver', 'receiver']).map(member));
  const [shop] = receivers;
  const buyer = isFile && shop ? shop : member('buyer');
  const members = [...new Set([...workers, ...receivers, buyer])];

  // A file has one process at a time: while the shop runs, the person works through it.
  const database = isFile ? undefined : databaseOf(url, table);
  await database?.create();
  const person =
    database &&
    createOrders({
      billpay: admin,
      store: database.store,
      on: { refused: ({ id }, { client }) => database.writeEnd(client, id, 'refused') },
    });
  const reviewed = async (): Promise<Record<OrderState, number>> => {
    const sold = sandbox.transactions.map(({ idempotency_key }) => idempotency_key);
    if (person) return review(person, sold);
    const address = `http://127.0.0.1:${shop?.port}/review`;
    return (await fetch(address, { method: 'POST', body: JSON.stringify(sold) })).json();
  };
  const deadline = Date.now() + limitMs - 20_000;
  let open = count;
  try {
    await Promise.all(members.map((one) => one.start()));
    // Kills from the first order to the last, and 20 at least. The one process of a file is killed no more often: each time, the lookups under
    // way are lost, and the next one of an order comes minutes later when many orders wait, because all lookups together keep the rate limit.
    await killRepeatedly([buyer, ...members.filter((one) => one !== buyer)], {
      seed,
      kills: isFile ? 20 : Math.max(20, count / 10),
      living: [20, isFile ? 700 : 350],
      dead: [0, 150],
      before: (kills) => {
        for (const fault of troublesOf(seed + kills, 2, refusals)) sandbox.faults.add(fault);
        return kills < 20 || !buyer.done;
      },
    });
    while (!buyer.done && Date.now() < deadline) await delay(50);
    sandbox.faults.clear();
    while (open > 0 && Date.now() < deadline) {
      const { delivered, failed, refused } = await reviewed();
      open = count - delivered - failed - refused;
      await delay(100);
    }
    expect(open, `open orders, with BILLPAY_TEST_SEED=${seed}`).toBe(0);
  } finally {
    await Promise.all(members.map((one) => one.kill()));
    front.server.close();
    front.server.closeAllConnections();
  }
  const read = database ?? databaseOf(file, table);
  judge(all, await read.orders(), await read.ends(), sandbox);
  expect(sandbox.audit()).toMatchObject({ ok: true });
  await sandbox.close();
  await read.remove();
  rmSync(file, { force: true });
}

// Each run has its own tables, queues and service, and waits most of its time: for leases, for backoffs, for what was killed.
describe.concurrent('orders, with processes that are killed all the time: three workers, two receivers and a buyer, or one shop on a file', () => {
  for (const one of engines) {
    const orders = Number(asked.orders ?? one.orders);
    const seeds = Array.from({ length: Number(asked.seeds ?? 1) }, (_, n) => firstSeed + n);
    const title = `charge each of ${orders} orders once and end it once: ${one.engine} (BILLPAY_TEST_SEED=%i)`;
    it.skipIf(one.url === '').each(seeds)(title, (seed) => run({ ...one, orders }, seed), limitMs);
  }
});
