import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeSqlite } from '../../src/commands/database.js';
import { runCommand } from '../../src/commands/frame.js';
import { compare, prove } from '../../src/commands/prove/prove.js';
import { reportLines } from '../../src/commands/prove/report.js';
import { proveCommand } from '../../src/commands/prove/run.js';
import { openShop, type ProofDatabase } from '../../src/commands/prove/shop.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { FakeProcess } from '../support/fake-process.js';

const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}node_modules/.cache/billpay-prove-${process.pid}`;
const program = { file: `${folder}/shop-process.mjs`, args: [] };

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [`${root}src/commands/prove/shop-process.ts`],
    outfile: program.file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const proofOn = (database: ProofDatabase, orders: number, timeout = 90_000) =>
  prove({ orders, database, program, timeout, onProgress: () => {} });

const plain = (_format: string, text: string) => text;

/** The tables of proofs that are in the database now. */
async function tables(): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    "SELECT tablename FROM pg_tables WHERE tablename LIKE 'billpay_prove_%'",
  );
  await client.end();
  return rows.map(({ tablename }) => tablename);
}

describe('the proof', () => {
  it('finds no difference on memory', async () => {
    const proof = await proofOn({ kind: 'memory' }, 40);
    expect(proof.differences).toEqual([]);
    const report = reportLines(proof, plain).join('\n');
    expect(report).toMatch(/orders +40 +36 delivered, 4 failed and refunded/);
    expect(report).toMatch(/debits +40/);
    expect(report).toContain(
      'No differences: every order was charged at most once, and ended as its transaction did.',
    );
    expect(report).not.toContain('kills');
  });

  it('counts what did not end as differences', async () => {
    const proof = await proofOn({ kind: 'memory' }, 20, 0);
    expect(proof.differences.length).toBeGreaterThan(0);
    expect(reportLines(proof, plain).join('\n')).toMatch(
      /\d+ differences:\n(.*\n)* +\d+ orders are delivered; expected 18/,
    );
  });

  it.skipIf(!nodeSqlite())('finds no difference on SQLite, with a process that is killed', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'billpay-prove-')), 'prove.db');
    const proof = await proofOn({ kind: 'sqlite', path }, 40);
    rmSync(join(path, '..'), { recursive: true });
    expect(proof).toMatchObject({ differences: [], kills: 6 });
  });

  it.skipIf(!databaseUrl)('finds no difference on PostgreSQL, with a process that is killed', async () => {
    const table = `billpay_prove_${process.pid}`;
    const proof = await proofOn({ kind: 'postgres', url: String(databaseUrl), table, folder: root }, 40);
    expect(proof).toMatchObject({ differences: [], kills: 6 });
    expect((await tables()).filter((name) => name.startsWith(table))).toEqual([]);
  });

  it('finds a charge that no order knows', async () => {
    const sandbox = createSandbox({ settleAfter: 0 });
    const { connection } = await sandbox.listen();
    const { apiKey, clientId, baseUrl } = connection;
    const settings = { ...connection, webhookSecret: 'whsec_proof_of_the_shop_1' };
    const shop = await openShop({ ...settings, database: { kind: 'memory' }, orders: 0 });
    await fetch(`${baseUrl}/airtime/purchase`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        client_id: clientId,
        biller: 'MTN',
        recipient: '08031234567',
        amount: 500,
        idempotency_key: 'another',
      }),
    });
    const { differences } = await compare(shop, sandbox, [], Date.now());
    await sandbox.close();
    expect(differences).toEqual([expect.stringMatching(/a debit that belongs to no order.*found 500/)]);
  });
});

describe('billpay prove', () => {
  async function run(args: readonly string[], act: (around: FakeProcess) => void = () => {}) {
    const around = new FakeProcess();
    around.cwd = () => root;
    const ended = runCommand(proveCommand(around, program), args, around);
    act(around);
    return { exitCode: await ended, out: around.written, err: around.complaints };
  }

  it('prints the books, and exits with 0 where nothing differs', async () => {
    const { exitCode, out, err } = await run(['--orders', '20', '--memory']);
    expect(out).toMatch(/orders +20 +18 delivered, 2 failed and refunded/);
    expect(out).toContain('No differences');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  });

  it.skipIf(nodeSqlite())('says what it does not do where this Node has no SQLite', async () => {
    expect((await run(['--orders', '20'])).out).toMatch(
      /^Node \S+ has no SQLite .*, so the orders are in memory, and no process is killed\.\nRun it on a later Node/,
    );
  });

  it.each([
    [['--orders', '5'], /--orders must be a whole number from 20/],
    [['--ordres', '50'], /Did you mean --orders/],
    [['--memory', '--database-url', 'postgres://127.0.0.1/x'], /leave one of them out/],
    [['--database-url', 'mongodb://hush@127.0.0.1/x'], /must be the address of a PostgreSQL/],
  ])('refuses %j in one line', async (args, problem) => {
    const { exitCode, err } = await run(args);
    expect(exitCode).toBe(2);
    expect(err).toMatch(problem);
    expect(err).not.toContain('hush');
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it.skipIf(!databaseUrl).each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
    'removes its tables where it is ended by %s',
    async (signal) => {
      const before = await tables();
      const args = ['--orders', '20', '--database-url', String(databaseUrl)];
      const { exitCode, err } = await run(args, (around) => around.emit(signal));
      expect(exitCode).toBe(2);
      expect(err).toBe('prove: was ended before the books could be compared\n');
      expect(await tables()).toEqual(before);
    },
  );

  it('says in one line that the database cannot be reached, and leaves no process behind', async () => {
    const children = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap');
    const before = children();
    const { exitCode, err } = await run(['--database-url', 'postgres://nobody:hush@127.0.0.1:1/none']);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/^prove: the database does not respond \(ECONNREFUSED\): start it/);
    expect(err).not.toContain('hush');
    await expect.poll(children).toEqual(before);
  });
});
