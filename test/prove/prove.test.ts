import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plain } from '../../src/cli/terminal.js';
import type { ProofDatabase } from '../../src/prove/database.js';
import { prove } from '../../src/prove/prove.js';
import { reportProof } from '../../src/prove/report.js';
import { proveCommand } from '../../src/prove/run.js';

const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}node_modules/.cache/billpay-prove-${process.pid}`;
const program = pathToFileURL(`${folder}/shop-process.mjs`);

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [`${root}src/prove/shop-process.ts`],
    outfile: fileURLToPath(program),
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: { '#hmac': `${root}src/webhooks/hmac/node.ts` },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const proofOn = (database: ProofDatabase, orders: number) =>
  prove({ orders, database, program, timeout: 55_000, onProgress: () => {} });

describe('the proof', () => {
  it('finds no difference on memory', async () => {
    const proof = await proofOn({ kind: 'memory' }, 40);
    expect(proof.differences).toEqual([]);
    const report = reportProof(proof, plain).join('\n');
    expect(report).toMatch(/orders +40 +34 delivered, 4 failed and refunded, 2 refused/);
    expect(report).toContain('No differences: every order was charged at most once, and ended once.');
    expect(report).toContain('no process was killed');
  });

  it('counts what did not end as differences', async () => {
    const proof = await prove({
      orders: 20,
      database: { kind: 'memory' },
      program,
      timeout: 0,
      onProgress: () => {},
    });
    expect(proof.differences.length).toBeGreaterThan(0);
    expect(reportProof(proof, plain).join('\n')).toMatch(/\d+ differences:\n {2}prove-/);
  });

  it.skipIf(!databaseUrl)('finds no difference on PostgreSQL, with a process that is killed', async () => {
    const table = `prove_${process.pid}`;
    const proof = await proofOn({ kind: 'postgres', url: String(databaseUrl), table, folder: root }, 60);
    expect(proof.differences).toEqual([]);
    expect(proof.books.ends).toHaveLength(60);
    expect(proof.kills).toBe(6);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query('SELECT FROM pg_tables WHERE tablename LIKE $1', [`${table}%`]);
    await client.end();
    expect(rows).toHaveLength(0);
  });
});

describe('billpay prove', () => {
  const around = () => {
    const written = { out: '', err: '' };
    return {
      written,
      process: {
        env: {},
        cwd: () => root,
        versions: globalThis.process.versions,
        once: (_event: string, _listener: () => void) => {},
        stdout: { write: (text: string) => (written.out += text), on: () => {} },
        stderr: { write: (text: string) => (written.err += text) },
      },
    };
  };

  it('prints the books, and exits with 0 where nothing differs', async () => {
    const { written, process } = around();
    expect(await proveCommand(program)(['--orders', '20', '--memory'], process)).toBe(0);
    expect(written.out).toMatch(/orders +20 +17 delivered, 2 failed and refunded, 1 refused/);
    expect(written.out).toContain('No differences');
    expect(written.err).toBe('');
  });

  it.each([
    [['--orders', '5'], /--orders.*whole number from 20/],
    [['--ordres', '50'], /did you mean --orders/],
    [['--memory', '--database-url', 'postgres://127.0.0.1/x'], /leave one of them out/],
    [['--database-url', 'mongodb://127.0.0.1/x'], /address of a PostgreSQL/],
  ])('refuses %j in one line', async (args, problem) => {
    const { written, process } = around();
    expect(await proveCommand(program)(args, process)).toBe(2);
    expect(written.err).toMatch(problem);
    expect(written.err.trim().split('\n')).toHaveLength(1);
  });

  it.skipIf(!databaseUrl)('removes its tables where it is ended', async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const tables = async () =>
      (await client.query("SELECT tablename FROM pg_tables WHERE tablename LIKE 'billpay_prove_%'")).rows;
    const { written, process } = around();
    const ended = {
      ...process,
      once: (event: string, end: () => void) => {
        if (event === 'SIGINT') end();
      },
    };
    const before = await tables();
    expect(
      await proveCommand(program)(['--orders', '20', '--database-url', String(databaseUrl)], ended),
    ).toBe(1);
    expect(written).toEqual({
      out: '',
      err: 'billpay prove: was ended before the books could be compared\n',
    });
    expect(await tables()).toEqual(before);
    await client.end();
  });

  it('says in one line that the database cannot be reached, and leaves no process behind', async () => {
    const children = () =>
      globalThis.process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap');
    const before = children();
    const { written, process } = around();
    const args = ['--database-url', 'postgres://nobody:hush@127.0.0.1:1/none'];
    expect(await proveCommand(program)(args, process)).toBe(1);
    expect(written.err).toMatch(/^billpay prove: .*ECONNREFUSED.*\n$/);
    expect(written.err).not.toContain('hush');
    await expect.poll(children).toEqual(before);
  });
});
