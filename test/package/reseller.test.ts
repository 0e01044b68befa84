import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks, readPage } from '../docs/pages.js';
import { environmentOf } from '../support/environment.js';
import { killRepeatedly, troublesOf } from '../support/killing.js';
import { Program } from '../support/program.js';
import { seedOfRun } from '../support/seed.js';
import { freePort } from '../support/sockets.js';
import { installedConsumer, root } from './consumer.js';

const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
const seed = seedOfRun();
const backend = codeBlocks(readPage('docs/shop.md')).find(({ marks }) => marks.includes('backend'));
const count = 60;
/** The most kills: each process that starts may buy 20 orders at once, by its pacing. */
const mostKills = 40;

/** An empty project with the packed tarball, and the libraries that the guide names. */
let consumer: string;

beforeAll(async () => {
  consumer = installedConsumer({ type: 'module' });
  for (const name of ['hono', '@hono/node-server', 'pg', '@types/pg', '@types/node']) {
    const link = join(consumer, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  writeFileSync(join(consumer, 'server.ts'), backend?.code ?? '');
  const { code } = await transform(backend?.code ?? '', { loader: 'ts' });
  writeFileSync(join(consumer, 'server.js'), code);
});
afterAll(() => rmSync(consumer, { recursive: true, force: true }));

/** The backend of the guide as a process. */
class Backend {
  #program: Program | undefined;

  constructor(readonly env: Readonly<Record<string, string>>) {}

  get url(): string {
    return `http://127.0.0.1:${this.env['PORT']}`;
  }

  async start(): Promise<void> {
    this.#program = new Program(process.execPath, ['server.js'], { cwd: consumer, env: this.env });
    while (!(await fetch(`${this.url}/orders/none`).catch(() => undefined))) {
      if (!this.#program.isRunning) throw new Error(`the backend ended: ${this.#program.printed}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async end(signal: NodeJS.Signals): Promise<number | string | undefined> {
    return this.#program?.end(signal);
  }
}

describe('the backend of docs/shop.md', () => {
  it('has fewer than 60 lines, formatted at 100 columns', () => {
    const biome = join(root, 'node_modules/.bin/biome');
    const flags = ['format', '--line-width=100', '--stdin-file-path=server.ts'];
    const { stdout } = spawnSync(biome, flags, { cwd: root, encoding: 'utf8', input: backend?.code ?? '' });
    expect(stdout).toBe(backend?.code);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(30);
    expect(lines.length).toBeLessThan(60);
  });

  it('type-checks in an empty project with the packed package', () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const flags = '--noEmit --strict --skipLibCheck --target es2022 --module nodenext --types node'.split(
      ' ',
    );
    const { stdout } = spawnSync(process.execPath, [tsc, ...flags, 'server.ts'], {
      cwd: consumer,
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
  });

  it.skipIf(!databaseUrl)(
    `charges each order once and ends it once, though it is killed all the time (BILLPAY_TEST_SEED=${seed})`,
    async () => {
      const database = `reseller_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
      const admin = new pg.Pool({ connectionString: databaseUrl });
      await admin.query(`CREATE DATABASE ${database}`);
      const DATABASE_URL = Object.assign(new URL(String(databaseUrl)), { pathname: database }).href;
      const pool = new pg.Pool({ connectionString: DATABASE_URL });
      const installed = (entry: string) =>
        import(pathToFileURL(join(consumer, `node_modules/billpay/dist/${entry}`)).href);
      const { createSandbox } = (await installed('sandbox/index.cjs')) as typeof import('billpay/sandbox');
      const { BillPay } = (await installed('index.js')) as typeof import('billpay');
      const sandbox = createSandbox({ balance: 1e6, settleAfter: 500, seed: String(seed) });
      const { connection } = await sandbox.listen();
      const PORT = String(await freePort());
      const billpay = new BillPay(connection);
      const { secret } = await billpay.webhooks.subscribe({
        url: `http://127.0.0.1:${PORT}/webhooks/billpay`,
      });
      const shop = new Backend({
        DATABASE_URL,
        PORT,
        ...environmentOf(connection),
        BILLPAY_WEBHOOK_SECRET: secret,
      });
      await shop.start();
      // Every end of a cart that was committed leaves a row, so that one which happens twice shows.
      await pool.query(`CREATE TABLE ends (id text, state text);
CREATE FUNCTION note_end() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO ends VALUES (NEW.id, NEW.state); RETURN NEW; END $$;
CREATE TRIGGER note_end AFTER UPDATE ON carts FOR EACH ROW EXECUTE FUNCTION note_end()`);
      const orders = Array.from({ length: count }, (_, at) => ({
        id: `order-${at}`,
        biller: 'MTN',
        recipient: at % 7 === 3 ? '08000000001' : `0803${1_000_000 + at}`,
        amount: 50 + at,
      }));
      let sending: Promise<unknown> = Promise.resolve();
      const before = async (kills: number) => {
        // A customer's browser sends what is not settled again, under the same id.
        const { rows } = await pool.query<{ id: string }>("SELECT id FROM carts WHERE state <> 'paid'");
        const settled = new Set(rows.map(({ id }) => id));
        if (settled.size === count) return false;
        sandbox.faults.clear();
        if (kills < 10) for (const fault of troublesOf(seed + kills, 2)) sandbox.faults.add(fault);
        const bodies = orders.filter(({ id }) => !settled.has(id)).slice(0, 12);
        const headers = { 'Content-Type': 'application/json' };
        sending = Promise.all(
          bodies.map((order) =>
            fetch(`${shop.url}/orders`, { method: 'POST', headers, body: JSON.stringify(order) }).catch(
              () => {},
            ),
          ),
        );
        return true;
      };
      const start = async () => {
        await sending;
        // Instead of waiting for the lease and for the next status check: what was written is made older.
        await pool.query('UPDATE billpay_orders SET due_at = due_at - 3600000');
        await shop.start();
      };
      try {
        const victim = { start, kill: () => shop.end('SIGKILL') };
        const kills = await killRepeatedly([victim], { seed, kills: mostKills, living: [50, 1200], before });
        expect(kills).toBeLessThan(mostKills);
        expect(await shop.end('SIGTERM')).toBe(0);
      } finally {
        await shop.end('SIGKILL');
      }
      const { rows: ends } = await pool.query<{ id: string; state: string }>('SELECT id, state FROM ends');
      expect(ends.map(({ id }) => id).sort()).toEqual(orders.map(({ id }) => id).sort());
      const sold = new Map(sandbox.transactions.map((one) => [one.idempotency_key, one.status]));
      expect(sandbox.transactions).toHaveLength(count);
      for (const { id, state } of ends) {
        expect([id, state]).toEqual([id, sold.get(id) === 'success' ? 'delivered' : 'refund']);
      }
      expect(sandbox.audit()).toMatchObject({ ok: true });
      await sandbox.close();
      await pool.end();
      // Not WITH (FORCE): the pool's connections are still closing, and would report that they were ended.
      await admin.query(`DROP DATABASE ${database}`);
      await admin.end();
    },
    240_000,
  );
});
