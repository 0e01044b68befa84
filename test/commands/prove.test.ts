import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeSqlite } from '../../src/commands/database.js';
import { runCommand } from '../../src/commands/frame.js';
import { compare, type Proof, proofLines, prove, proveCommand } from '../../src/commands/prove/prove.js';
import { openShop, type ProofDatabase, type ShopProgram } from '../../src/commands/prove/shop.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { type BundledProgram, bundleProgram } from '../support/bundle-program.js';
import { FakeProcess } from '../support/fake-process.js';

const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
const root = fileURLToPath(new URL('../..', import.meta.url));

let bundled: BundledProgram;
let program: ShopProgram;
beforeAll(async () => {
  bundled = await bundleProgram(new URL('../../src/commands/billpay.ts', import.meta.url));
  program = { file: bundled.program, args: ['prove-shop'] };
});
afterAll(() => bundled.remove());

const proofOn = (database: ProofDatabase, orders: number, timeout = 90_000) =>
  prove({ orders, database, program, timeout, onProgress: () => {} });

const linesOf = (proof: Proof) => proofLines(proof, new FakeProcess()).join('\n');

async function query(sql: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return client.query(sql).finally(() => client.end());
}

/** The tables of proofs that are in the database now. */
async function tables(): Promise<readonly string[]> {
  const { rows } = await query("SELECT tablename FROM pg_tables WHERE tablename LIKE 'billpay_prove_%'");
  return rows.map(({ tablename }) => tablename);
}

describe('the proof', () => {
  it('finds no difference on memory', async () => {
    const proof = await proofOn({ kind: 'memory' }, 40);
    expect(proof).toMatchObject({ findings: [], problems: [] });
    const report = linesOf(proof);
    expect(report).toMatch(/orders +40 +36 delivered, 4 failed\n/);
    expect(report).toMatch(/airtime +MTN +\d+ /);
    expect(report).toMatch(
      /No differences\.\nEvery order was charged at most once, and ended as its transaction did\.$/,
    );
    expect(report).not.toContain('kills');
  });

  it('counts what did not end as differences', async () => {
    const proof = await proofOn({ kind: 'memory' }, 20, 0);
    expect(linesOf(proof)).toMatch(/\n\d+ orders are delivered; expected 18\n(.*\n)*The proof has failed\.$/);
  });

  it.skipIf(!nodeSqlite())('finds no difference on SQLite, with a process that is killed', async () => {
    const folder = join(tmpdir(), `billpay-prove-${crypto.randomUUID()}`);
    const proof = await proofOn({ kind: 'sqlite', folder }, 40);
    expect(proof).toMatchObject({ findings: [], problems: [], kills: 6 });
    expect(existsSync(folder)).toBe(false);
  });

  it.skipIf(!databaseUrl)('finds no difference on PostgreSQL, with a process that is killed', async () => {
    const table = `billpay_prove_${process.pid}`;
    const proof = await proofOn({ kind: 'postgres', url: String(databaseUrl), table, folder: root }, 40);
    expect(proof).toMatchObject({ findings: [], problems: [], kills: 6 });
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
    const { findings } = await compare(shop, sandbox, [], Date.now());
    await sandbox.close();
    expect(findings).toMatchObject([{ kind: 'debit-without-order', found: 500 }]);
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
    const { exitCode, out, err } = await run(['--orders', '20']);
    expect(out).toMatch(/orders +20 +18 delivered, 2 failed\n/);
    expect(out).toContain('No differences');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  });

  it.skipIf(nodeSqlite())('says what it does not do where this Node has no SQLite', async () => {
    expect((await run(['--orders', '20'])).out).toMatch(
      /^Node \S+ has no SQLite .*, so the orders are in memory, and no process is killed\.\nRun it on a later Node/,
    );
  });

  it.each([
    [['--orders', '5'], /--orders <n>' argument '5' is invalid\. It must be a whole number from 20/],
    [['--ordres', '50'], /Did you mean --orders/],
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
      expect(err).toBe('prove: was ended before the books could be compared: run it again\n');
      expect(await tables()).toEqual(before);
    },
  );

  it.skipIf(!databaseUrl)(
    'removes its tables by the process of the shop where it is killed itself',
    async () => {
      const before = await tables();
      const args = [bundled.program, 'prove', '--orders', '200', '--database-url', String(databaseUrl)];
      const command = spawn(process.execPath, args, { cwd: root, stdio: 'ignore' });
      const placed = async () => {
        const [table] = (await tables()).filter((name) => !before.includes(name) && !name.endsWith('_locks'));
        return table === undefined ? 0 : Number((await query(`SELECT count(*) FROM ${table}`)).rows[0].count);
      };
      await expect.poll(placed).toBeGreaterThan(0);
      command.kill('SIGKILL');
      await expect.poll(tables).toEqual(before);
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
