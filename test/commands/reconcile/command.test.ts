import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPool } from 'mysql2/promise';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/commands/frame.js';
import { reconcileCommand } from '../../../src/commands/reconcile/reconcile.js';
import { BillPay } from '../../../src/index.js';
import {
  createOrders,
  mysqlOrderStore,
  postgresOrderStore,
  sqliteOrderStore,
} from '../../../src/orders/index.js';
import type { OrderStore } from '../../../src/orders/store.js';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.js';
import { walletRows } from '../../orders/reconcile/planted-books.js';
import { openSqlite } from '../../orders/support/sqlite.js';
import { environmentOf } from '../../support/environment.js';
import { FakeProcess } from '../../support/fake-process.js';

const folder = mkdtempSync(join(tmpdir(), 'billpay-reconcile-'));
const file = (name: string) => join(folder, name);
const secret = 'whsec_0123456789abcdef0123456789abcdef';

/** As strict as better-sqlite3 is, for versions of Node without SQLite of their own: a file that is only read. */
function installSqlite(): void {
  const wasm = createRequire(import.meta.url).resolve('node-sqlite3-wasm');
  const module = join(folder, 'node_modules/better-sqlite3');
  mkdirSync(module, { recursive: true });
  writeFileSync(
    join(module, 'index.js'),
    `const { Database } = require(${JSON.stringify(wasm)});
module.exports = function (path, options) {
  const database = new Database(path, { readOnly: options.readonly, fileMustExist: options.fileMustExist });
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        get: (...values) => statement.all(values)[0],
        all: (...values) => statement.all(values),
        run: (...values) => statement.run(values),
      };
    },
  };
};`,
  );
}

let sandbox: Sandbox;
let env: Readonly<Record<string, string>>;

/** Sells three orders, of which the second one is never settled here. */
async function sell(store: OrderStore<unknown>): Promise<void> {
  const orders = createOrders({ billpay: new BillPay(sandbox.connection), store });
  const handler = orders.webhookHandler({ secret });
  for (const n of [1, 2, 3]) {
    sandbox.webhooks.subscribe({ secret, handler, enabled: n !== 2 });
    await orders.place({
      id: `order-${n}`,
      product: 'airtime',
      params: { biller: 'MTN', recipient: '08031234567', amount: 500.1 },
    });
    const { reference = '' } = await orders.buy(`order-${n}`);
    await sandbox.settle(reference, n === 3 ? 'failed' : 'success');
  }
}

beforeAll(async () => {
  sandbox = createSandbox({ settleAfter: 'manual', balance: 10_000 });
  const { connection } = await sandbox.listen({ port: 0 });
  env = environmentOf(connection);
  installSqlite();
  const database = openSqlite(file('shop.db'));
  await sell(sqliteOrderStore(database));
  database.close();
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

class ShopProcess extends FakeProcess {
  override readonly env;
  constructor(variables: Readonly<Record<string, string>> = env, terminal: { isTTY?: boolean } = {}) {
    super(terminal);
    this.env = variables;
  }
  override cwd(): string {
    return folder;
  }
}

const today = new Date().toISOString().slice(0, 10);
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const onFile = ['--sqlite', file('shop.db'), '--from', today, '--to', tomorrow, '--per-minute', '100000'];

async function run(args: readonly string[], around = new ShopProcess()) {
  const exitCode = await runCommand(reconcileCommand(around), args, around);
  expect(around.written + around.complaints).not.toContain(sandbox.credentials.secretKey);
  return { exitCode, out: around.written, complaints: around.complaints };
}

const postgresUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
const mysqlUrl = process.env['BILLPAY_TEST_MYSQL_URL'];

/** Runs the command in the folder of this repository, which has the drivers, on a database with one order. */
async function expectOrdersOf(
  url: string,
  open: (table: string) => Promise<{ store: OrderStore<unknown>; end(): Promise<void> }>,
): Promise<void> {
  const table = `reconcile_${process.pid}`;
  const { store, end } = await open(table);
  const params = { biller: 'MTN', recipient: '08031234567', amount: 500 };
  await store.insert({ id: `order-${Date.now()}`, product: 'airtime', params });
  await end();
  class InRepository extends ShopProcess {
    override cwd = () => fileURLToPath(new URL('../../..', import.meta.url));
  }
  const range = ['--from', today, '--to', tomorrow, '--table', table];
  const { exitCode, out } = await run(range, new InRepository({ ...env, BILLPAY_DATABASE_URL: url }));
  expect(out).toMatch(/orders +1 +1 placed/);
  expect(out).toMatch(/Not ended: 1\nNo differences\.\n$/);
  expect(exitCode).toBe(1);
}

describe('billpay reconcile', () => {
  it('prints every difference with its remedy, in 80 columns, and changes nothing', async () => {
    const before = readFileSync(file('shop.db'));
    const { exitCode, out } = await run(onFile);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/\n {2}orders {12}3 {3}1 accepted, 1 delivered, 1 failed\n {2}checked {11}3\n/);
    expect(out).toMatch(/MTN {2,}3 +1,500\.30 +500\.10 +20\.00/);
    expect(out).toMatch(/unsettled \(1\)\n {2}The transaction has ended at the service/);
    expect(out).toMatch(/ {4}order-2 \S+: stored accepted, found success\n\nNot ended: 1\nDifferences: 1\n$/);
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(readFileSync(file('shop.db')).equals(before)).toBe(true);
  });

  it('compares with the wallet as CSV', async () => {
    const rows = walletRows(sandbox).filter(({ kind }) => kind !== 'refund');
    const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
    writeFileSync(file('wallet.csv'), lines.map((fields) => `${fields.join()}\n`).join(''));
    const statement = ['--statement', file('wallet.csv'), '--opening-balance', '0'];
    const map = ['--map', 'reference=reference,kind=kind,amount=amount,time=at,key=idempotency_key'];
    // The edges of the range lie further away than those of the statement.
    const { exitCode, out } = await run([...onFile, ...statement, ...map, '--check', 'none', '--json']);
    expect(exitCode).toBe(1);
    const report = JSON.parse(out);
    expect(report.findings).toMatchObject([
      { kind: expect.stringMatching(/^(credit-missing|not-covered)$/), id: 'order-3' },
    ]);
    expect(report.statement).toMatchObject({ rows: 4, balance: 8499.7 });
    expect(report.checked).toBe(0);
    const shown = await run([...onFile, ...statement, ...map]);
    expect(shown.out).toMatch(/The statement of 4 rows, NGN\n {2}leaves +8,499\.70\n {2}should be/);
  });

  it('exits with 0 where nothing differs', async () => {
    const { exitCode, out } = await run([
      '--sqlite',
      file('shop.db'),
      '--from',
      '2020-01-01',
      '--to',
      '2020-01-02',
    ]);
    expect(exitCode).toBe(0);
    expect(out).toContain('Orders placed from 2020-01-01 00:00 to 2020-01-02 00:00, UTC');
    expect(out).toMatch(/No differences\.\n$/);
  });

  it('shows how far it is on a terminal, and nothing of it elsewhere', async () => {
    const terminal = await run(onFile, new ShopProcess(env, { isTTY: true }));
    expect(terminal.out).toMatch(/\d orders compared, \d status checks, 1 differences\r/);
    expect((await run(onFile)).out).not.toContain('\r');
  });

  it('ends at once when it is asked to, with what it has found and exit code 2', async () => {
    const around = new ShopProcess(env, { isTTY: true });
    const ended = run([...onFile.slice(0, -2), '--per-minute', '1'], around);
    await around.until((written) => written.includes('1 status checks') || undefined);
    around.emit('SIGINT');
    const { exitCode, out, complaints } = await ended;
    expect(exitCode).toBe(2);
    expect(out).toContain('Not complete');
    expect(complaints).toContain('was ended before everything was compared');
  });

  it.each<[string, readonly string[], RegExp]>([
    ['no database', [], /needs --database-url or --sqlite, or BILLPAY_DATABASE_URL/],
    ['a file that does not exist', ['--sqlite', '/nowhere/shop.db'], /there is no SQLite file/],
    ['one end of the range', ['--sqlite', 'x', '--from', today], /--from and --to go together/],
    ['a range that is no time', ['--from', '31/01/2026', '--to', today], /--from must be a day such as/],
    [
      'a time zone that does not exist',
      ['--time-zone', 'Lagos'],
      /--time-zone <zone>' argument 'Lagos' is invalid\. It must be a time zone such as Africa\/Lagos\./,
    ],
    ['a statement without a map', ['--statement', 'wallet.csv'], /--statement needs --map/],
    ['a balance without a statement', ['--opening-balance', '5'], /name it with --statement/],
    [
      'a map with another name',
      ['--statement', 'x', '--map', 'referenze=Ref'],
      /--map: referenze is none of reference.*did you mean reference/,
    ],
    [
      'a map that lacks a column',
      ['--statement', 'x', '--map', 'reference=Ref'],
      /--map needs reference, kind and amount/,
    ],
    [
      'another database',
      ['--database-url', 'redis://:hush@localhost'],
      /--database-url must be the address of a PostgreSQL, a MySQL or a SQLite file/,
    ],
  ])('refuses %s', async (_name, args, message) => {
    const { exitCode, complaints } = await run(args);
    expect(exitCode).toBe(2);
    expect(complaints).toMatch(message);
    expect(complaints).not.toContain('hush');
  });

  it('says what is missing: the driver, the tables, the key', async () => {
    const url = 'postgres://shop:hush@127.0.0.1:1/shop';
    const withoutDriver = await run(['--database-url', url]);
    expect(withoutDriver).toMatchObject({ exitCode: 2 });
    expect(withoutDriver.complaints).toMatch(
      /pg is not installed in .*: run this command in the folder of your shop/,
    );
    const withoutTables = await run([...onFile, '--table', 'other_orders']);
    expect(withoutTables.complaints).toMatch(/the database has no tables of orders/);
    const withoutKey = await run(onFile, new ShopProcess({}));
    expect(withoutKey).toMatchObject({ exitCode: 2, complaints: expect.stringContaining('BILLPAY_API_KEY') });
  });

  it('says in one line why it could not go through the orders', async () => {
    const wrongKey = await run(onFile, new ShopProcess({ ...env, BILLPAY_API_KEY: 'sk_test_wrong' }));
    expect(wrongKey).toMatchObject({
      exitCode: 2,
      out: '',
      complaints: expect.stringMatching(/401 UNAUTHORIZED.*\n$/),
    });
    writeFileSync(file('twice.csv'), 'Ref,Type,Amount,Amount\nTXN-1,debit,900,500\n');
    const map = ['--map', 'reference=Ref,kind=Type,amount=Amount'];
    const twice = await run([...onFile, '--statement', file('twice.csv'), ...map]);
    expect(twice).toMatchObject({
      exitCode: 2,
      complaints: expect.stringContaining('several columns Amount'),
    });
    const missing = await run([...onFile, '--statement', '/nowhere/wallet.csv', ...map]);
    expect(missing).toMatchObject({ exitCode: 2, complaints: expect.stringMatching(/\/nowhere.*ENOENT/) });
  });

  it('exits with 1 while an order is unknown, though nothing differs', async () => {
    const database = openSqlite(file('open.db'));
    const store: OrderStore<unknown> = sqliteOrderStore(database);
    const purchase = () => Promise.reject(new Error('the connection broke'));
    const orders = createOrders({ billpay: { purchase, transactions: { status: purchase } }, store });
    const params = { biller: 'MTN', recipient: '08031234567', amount: 500 };
    await orders.place({ id: 'order-1', product: 'airtime', params });
    await orders.buy('order-1');
    database.close();
    const { exitCode, out } = await run(['--sqlite', file('open.db'), ...onFile.slice(2)]);
    expect(out).toMatch(/undecided \(1\)/);
    expect(exitCode).toBe(1);
  });

  it.skipIf(!postgresUrl)('reads the orders of a PostgreSQL', () =>
    expectOrdersOf(String(postgresUrl), async (table) => {
      const pool = new Pool({ connectionString: postgresUrl });
      const store = postgresOrderStore(pool, { table });
      await store.createTables();
      return { store, end: () => pool.end() };
    }),
  );

  it.skipIf(!mysqlUrl)('reads the orders of a MySQL', () =>
    expectOrdersOf(String(mysqlUrl), async (table) => {
      const pool = createPool(String(mysqlUrl));
      const store = mysqlOrderStore(pool, { table });
      await store.createTables();
      return { store, end: () => pool.end() };
    }),
  );

  it('prints its help in 80 columns', async () => {
    const { exitCode, out } = await run(['--help']);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/It changes\s+nothing\./);
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });
});
