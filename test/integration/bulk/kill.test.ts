import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sqliteOrderStore } from '../../../src/orders/index.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { openSqlite } from '../../orders/support/sqlite.js';
import { type BundledProgram, bundleProgram } from '../../support/bundle-program.js';
import { environmentOf } from '../../support/environment.js';
import { killRepeatedly, Member, troublesOf } from '../../support/killing.js';
import { seedOfRun } from '../../support/seed.js';

const items = 700;
const kills = 12;
const seed = seedOfRun();

let child: BundledProgram;

beforeAll(async () => {
  child = await bundleProgram(new URL('kill/child.ts', import.meta.url));
});

afterAll(() => child.remove());

/** node-sqlite3-wasm locks a file by a folder beside it, which outlives a process that did not close the file. */
const unlock = (path: string) => rmSync(`${path}.lock`, { recursive: true, force: true });

it(`charges each of ${items} items exactly once, killed ${kills} times (BILLPAY_TEST_SEED=${seed})`, async () => {
  const sandbox = createSandbox({ balance: 10_000_000, settleAfter: 'manual', seed: String(seed) });
  const { connection } = await sandbox.listen();
  const path = join(child.folder, 'run.db');
  const run = new Member(child.program, { ...environmentOf(connection), FILE: path, COUNT: String(items) });
  const start = () => {
    unlock(path);
    return run.start();
  };
  await start();
  const killed = await killRepeatedly([{ start, kill: () => run.kill() }], {
    seed,
    kills,
    living: [0, 200],
    before: async (n) => {
      for (const fault of troublesOf(seed + n, 4)) sandbox.faults.add(fault);
      // Spread over the work, so that a fast machine meets as many as a slow one.
      while (!run.done && sandbox.transactions.length < (items * n) / (kills + 1)) await delay(5);
      return !run.done;
    },
  });
  expect(killed).toBeGreaterThan(kills / 2);
  await expect.poll(() => run.done, { timeout: 240_000 }).toBe(true);
  await run.kill();

  const debits = sandbox.wallet().ledger.filter(({ kind }) => kind === 'debit');
  expect(debits.map(({ idempotency_key }) => idempotency_key).sort()).toEqual(
    Array.from({ length: items }, (_, i) => `row-${i}`).sort(),
  );
  expect(sandbox.audit().problems).toEqual([]);

  unlock(path);
  const database = openSqlite(path);
  // Without shared memory, a write-ahead log can only be read by one.
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  const store = sqliteOrderStore(database);
  const { count, spent } = await store.stats();
  expect(count).toMatchObject({
    accepted: items,
    placed: 0,
    buying: 0,
    unknown: 0,
    held: 0,
    review: 0,
    refused: 0,
  });
  expect(spent).toBe(debits.reduce((sum, { amount }) => sum + amount, 0));
  await sandbox.close();
}, 300_000);
