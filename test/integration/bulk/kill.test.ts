import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BulkSummary } from '../../../src/bulk/index.js';
import { sqliteOrderStore } from '../../../src/orders/index.js';
import { createSandbox, type FaultOptions } from '../../../src/sandbox/index.js';
import { openSqlite } from '../../orders/support/sqlite.js';
import { type BundledProgram, bundleProgram } from '../../support/bundle-program.js';
import { environmentOf } from '../../support/environment.js';
import { Program } from '../../support/program.js';
import { Random } from '../../support/random.js';
import { seedOfRun } from '../../support/seed.js';

const items = 700;
const kills = 50;
const seed = Number(process.env['BILLPAY_KILL_SEED'] ?? seedOfRun());

let child: BundledProgram;

beforeAll(async () => {
  child = await bundleProgram(new URL('kill/child.ts', import.meta.url));
});

afterAll(() => child.remove());

/** node-sqlite3-wasm locks a file by a folder beside it, which outlives a process that did not close the file. */
const unlock = (path: string) => rmSync(`${path}.lock`, { recursive: true, force: true });

/** Runs the child and kills it after `killAfter` outcomes. Resolves to its summary, or to undefined when it was killed. */
async function runOnce(
  path: string,
  env: Readonly<Record<string, string>>,
  killAfter: number | undefined,
): Promise<BulkSummary | undefined> {
  unlock(path);
  const run = new Program(process.execPath, [child.program, path, String(items)], { env });
  // A run that ends before it is killed has a summary.
  if (killAfter !== undefined)
    await run.prints(new RegExp(`^(.*\\n){${killAfter}}`)).then(
      () => run.signal('SIGKILL'),
      () => {},
    );
  const end = await run.ended;
  if (end === 'SIGKILL') return undefined;
  if (end !== 0) throw new Error(`the run ended with ${end}: ${run.printed}`);
  return JSON.parse(run.printed.trimEnd().split('\n').at(-1) ?? '');
}

const troubles: readonly [FaultOptions, ...FaultOptions[]] = [
  { when: 'before', connection: 'close' },
  { when: 'after', connection: 'close' },
  { when: 'after', cutBody: true },
  { when: 'after', status: 500 },
  { when: 'before', status: 502, body: '<html>Bad gateway</html>' },
  { when: 'before', status: 503, code: 'PROVIDER_UNAVAILABLE' },
  { when: 'before', status: 503, code: 'QUEUE_UNAVAILABLE' },
  { when: 'before', status: 429, retryAfter: 1 },
  { when: 'after', delay: '20ms' },
];

it(`charges each of ${items} items exactly once, killed ${kills} times (seed ${seed}; BILLPAY_KILL_SEED repeats it)`, async () => {
  const random = new Random(String(seed));
  const sandbox = createSandbox({ balance: 10_000_000, settleAfter: 'manual', seed: String(seed) });
  const { connection } = await sandbox.listen();
  const path = join(child.folder, 'run.db');
  const env = environmentOf(connection);
  const makeTrouble = () => {
    for (let i = 0; i < 4; i++)
      sandbox.faults.add({ operation: 'airtime.purchase', ...random.pick(troubles) });
  };

  let killed = 0;
  for (; killed < kills; killed++) {
    makeTrouble();
    // Small steps, so that every kill finds work under way.
    if (await runOnce(path, env, random.int(1, 10))) break;
  }
  let summary: BulkSummary | undefined;
  for (let runs = 0; !summary || summary.left.items > 0; runs++) {
    if (runs > 20) throw new Error('it does not end');
    summary = await runOnce(path, env, undefined);
  }
  expect(killed).toBe(kills);

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
}, 600_000);
