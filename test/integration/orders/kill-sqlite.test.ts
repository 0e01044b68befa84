import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BillPay } from 'billpay';
import { createSandbox } from 'billpay/sandbox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSqlite } from '../../orders/support/sqlite.js';
import { type BundledProgram, bundleProgram } from '../../support/bundle-program.js';
import { Member } from '../../support/member.js';
import { Random } from '../../support/random.js';
import { seedOfRun } from '../../support/seed.js';
import { frontOf } from './kill/front.js';
import { judge, ordersOf, type StoredEnd, troubles } from './kill/workload.js';

const firstSeed = seedOfRun();
const inCi = process.env['CI'] === 'true';
const count = Number(process.env['BILLPAY_TEST_ORDERS'] ?? (inCi ? 1000 : 150));
const seeds = Number(process.env['BILLPAY_TEST_SEEDS'] ?? 1);
const limitMs = 420_000;

let children: BundledProgram;
beforeAll(async () => {
  children = await bundleProgram(new URL('kill/sqlite-child.ts', import.meta.url));
});
afterAll(() => children.remove());

async function run(seed: number): Promise<void> {
  const random = new Random(String(seed));
  const folder = mkdtempSync(join(tmpdir(), 'billpay-orders-kill-'));
  const file = join(folder, 'orders.db');
  const sandbox = createSandbox({ balance: 1e9, settleAfter: 700, seed: String(seed) });
  const { baseUrl } = await sandbox.listen();
  const { clientId, secretKey } = sandbox.credentials;
  const receivers: Member[] = [];
  const front = await frontOf(receivers, random);
  const { secret } = await new BillPay({ baseUrl, clientId, apiKey: secretKey }).webhooks.subscribe({
    url: front.url,
  });
  const all = ordersOf(seed, count);
  const shop = new Member(children.program, {
    FILE: file,
    ORDERS: JSON.stringify(all),
    BILLPAY_BASE_URL: baseUrl,
    BILLPAY_API_KEY: secretKey,
    BILLPAY_CLIENT_ID: clientId,
    BILLPAY_WEBHOOK_SECRET: secret,
  });
  receivers.push(shop);
  const restart = async () => {
    await shop.kill();
    // This build of SQLite locks by a folder, which a killed process leaves behind. There is no other process.
    rmSync(`${file}.lock`, { recursive: true, force: true });
    await delay(random.int(0, 150));
    await shop.start();
  };
  const operator = (search = '') =>
    fetch(`http://127.0.0.1:${shop.port}/operator${search}`).then((response) => response.json());
  const deadline = Date.now() + limitMs - 20_000;
  let open = count;
  try {
    await shop.start();
    for (let kills = 0; kills < 20; kills++) {
      if (random.chance(0.7)) sandbox.faults.add({ ...random.pick(troubles), times: random.int(1, 4) });
      await delay(random.int(20, 700));
      await restart();
    }
    while (!shop.done && Date.now() < deadline) await delay(50);
    sandbox.faults.clear();
    while (open > 0 && Date.now() < deadline) {
      const { count: by, review } = await operator();
      open = count - by.delivered - by.failed - by.refused;
      for (const id of review) {
        const sold = sandbox.transactions.some((one) => one.idempotency_key === id);
        await operator(`?id=${id}&sold=${sold}`);
      }
      await delay(100);
    }
    expect(open, `open orders, with BILLPAY_TEST_SEED=${seed}`).toBe(0);
  } finally {
    await shop.kill();
    front.server.close();
    front.server.closeAllConnections();
  }
  rmSync(`${file}.lock`, { recursive: true, force: true });
  const database = openSqlite(file);
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  const stored = database.prepare('SELECT id, state, reference FROM billpay_orders').all() as StoredEnd[];
  const ends = database.prepare('SELECT id, kind FROM ends').all() as { id: string; kind: string }[];
  database.close();
  judge(all, stored, ends, sandbox);
  expect(sandbox.audit()).toMatchObject({ ok: true });
  await sandbox.close();
  rmSync(folder, { recursive: true });
}

it.each(Array.from({ length: seeds }, (_, n) => ({ seed: firstSeed + n })))(
  `one process on SQLite that is killed all the time charges each of ${count} orders once and ends it once (BILLPAY_TEST_SEED=$seed)`,
  async ({ seed }) => run(seed),
  limitMs,
);
