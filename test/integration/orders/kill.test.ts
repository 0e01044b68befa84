import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BillPay } from 'billpay';
import { createOrders, type OrderInput, postgresOrderStore } from 'billpay/orders';
import { createSandbox, type FaultOptions } from 'billpay/sandbox';
import { build } from 'esbuild';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../chaos/random.js';

const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
const redisUrl = process.env['BILLPAY_TEST_REDIS_URL'];
const firstSeed = Number(process.env['BILLPAY_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const count = Number(process.env['BILLPAY_TEST_ORDERS'] ?? 150);
const seeds = Number(process.env['BILLPAY_TEST_SEEDS'] ?? 1);
const kills = 20;
const limitMs = 150_000;

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const folder = source(`../../node_modules/.cache/billpay-orders-${process.pid}`);
const program = join(folder, 'child.mjs');

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [source('kill/child.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: {
      '#hmac': source('../../../src/webhooks/hmac/node.ts'),
      'billpay/orders': source('../../../src/orders/index.ts'),
      billpay: source('../../../src/index.ts'),
    },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A process that can be killed and started again. */
class Member {
  #child: ChildProcess | undefined;
  port: number | undefined;
  done = false;

  constructor(readonly env: Readonly<Record<string, string>>) {}

  async start(): Promise<void> {
    this.#child = fork(program, {
      env: { ...process.env, ...this.env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [message] = await once(this.#child, 'message');
    this.port = (message as Partial<AddressInfo>).port;
    this.#child.on('message', (said) => {
      this.done ||= said === 'done';
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.port = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

/** One address in front of two receivers; what reaches a dead one is lost, and the sandbox delivers again. */
async function frontOf(receivers: readonly Member[], random: Random) {
  const server = createServer((incoming, outgoing) => {
    const { port }: Partial<Member> = receivers[random.int(0, receivers.length - 1)] ?? {};
    if (port === undefined) {
      outgoing.writeHead(503).end();
      return;
    }
    const { method, url, headers } = incoming;
    const forward = request({ host: '127.0.0.1', port, method, path: url, headers }, (answered) => {
      outgoing.writeHead(answered.statusCode ?? 502);
      answered.pipe(outgoing);
      answered.on('error', () => outgoing.destroy());
    });
    forward.on('error', () => outgoing.destroy());
    incoming.pipe(forward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const troubles: readonly [FaultOptions, ...FaultOptions[]] = [
  { when: 'before', connection: 'close' },
  { when: 'after', connection: 'close' },
  { when: 'after', cutBody: true },
  { when: 'after', status: 500 },
  { when: 'before', status: 502, body: '<html>Bad gateway</html>' },
  { when: 'before', status: 403, body: '<html>Blocked by the firewall</html>' },
  { when: 'before', status: 401, code: 'UNAUTHORIZED' },
  { when: 'before', status: 503, code: 'PROVIDER_UNAVAILABLE' },
  { when: 'before', status: 429, retryAfter: 1 },
  { when: 'after', delay: '200ms' },
];

const ends: Readonly<Record<string, string>> = { success: 'delivered', failed: 'failed' };

async function run(engine: string, seed: number): Promise<void> {
  const random = new Random(String(seed));
  const table = `kill_${seed}_${engine.replace(/\W/g, '')}`;
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const store = postgresOrderStore(pool, { table });
  await store.createTables();
  await pool.query(`CREATE TABLE ${table}_ends (id text NOT NULL, kind text NOT NULL)`);
  const sandbox = createSandbox({ balance: 1e9, settleAfter: 700, seed: String(seed) });
  const { baseUrl } = await sandbox.listen();
  const { clientId, secretKey } = sandbox.credentials;
  const base = {
    ENGINE: engine,
    DATABASE_URL: String(databaseUrl),
    REDIS_URL: String(redisUrl),
    TABLE: table,
    BILLPAY_BASE_URL: baseUrl,
    BILLPAY_API_KEY: secretKey,
    BILLPAY_CLIENT_ID: clientId,
  };
  const receiverMembers: Member[] = [];
  const front = await frontOf(receiverMembers, random);
  const admin = new BillPay({ baseUrl, clientId, apiKey: secretKey });
  const { secret } = await admin.webhooks.subscribe({ url: front.url });
  const all = Array.from({ length: count }, (_, at): OrderInput => {
    // Every tenth fails to be delivered and is refunded; every eleventh is refused, because its product does not exist.
    const recipient = at % 10 === 3 ? '08000000001' : `0803${1_000_000 + at}`;
    const id = `order-${seed}-${at}`;
    return at % 11 === 7
      ? { id, product: 'data', params: { biller: 'MTN', recipient, product_code: 'NONE' } }
      : { id, product: 'airtime', params: { biller: 'MTN', recipient, amount: 50 + (at % 7) } };
  });
  const env = { ...base, BILLPAY_WEBHOOK_SECRET: secret };
  const workers = ['1', '2', '3'].map(() => new Member({ ...env, ROLE: 'worker' }));
  receiverMembers.push(...['1', '2'].map(() => new Member({ ...env, ROLE: 'receiver' })));
  const buyer = new Member({ ...env, ROLE: 'buyer', ORDERS: JSON.stringify(all) });
  const members = [...workers, ...receiverMembers, buyer];
  const deadline = Date.now() + limitMs - 20_000;
  try {
    await Promise.all(members.map((member) => member.start()));
    for (let killed = 0; killed < kills; killed++) {
      if (random.chance(0.7)) sandbox.faults.add({ ...random.pick(troubles), times: random.int(1, 4) });
      await delay(random.int(20, 350));
      const victim = members[random.int(0, members.length - 1)];
      await victim?.kill();
      await delay(random.int(0, 150));
      await victim?.start();
    }
    while (!buyer.done && Date.now() < deadline) await delay(50);
    sandbox.faults.clear();
    const person = createOrders({
      billpay: admin,
      store,
      on: {
        refused: async ({ id }, { client }) => {
          await client.query(`INSERT INTO ${table}_ends (id, kind) VALUES ($1, 'refused')`, [id]);
        },
      },
    });
    /** An order that was in doubt is never refused by a later refusal: a person finds that it was never charged. */
    const review = async () => {
      for (const { id } of await person.list({ state: 'review', limit: count })) {
        const sold = sandbox.transactions.some((one) => one.idempotency_key === id);
        if (sold) await person.retry(id);
        else await person.resolve(id, { as: 'refused', note: 'the service has no sale of this key' });
      }
    };
    const open = async () => {
      const { count: by } = await store.stats();
      return count - by.delivered - by.failed - by.refused;
    };
    while ((await open()) > 0 && Date.now() < deadline) {
      await review();
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
    await Promise.all(members.map((member) => member.kill()));
    front.server.close();
    front.server.closeAllConnections();
  }
  await judge(table, pool, sandbox.transactions, all);
  expect(sandbox.audit()).toMatchObject({ ok: true });
  await sandbox.close();
  await pool.query(`DROP TABLE ${table}_ends, ${table}_events, ${table}_history, ${table}, ${table}_version`);
  await pool.query(`DROP SCHEMA IF EXISTS ${table}_boss CASCADE`);
  await pool.end();
}

/** One charge and one end for each order, and the end that the service knows of. */
async function judge(
  table: string,
  pool: pg.Pool,
  transactions: readonly { reference: string; idempotency_key: string; status: string }[],
  all: readonly OrderInput[],
): Promise<void> {
  const bought = new Map(transactions.map((one) => [one.idempotency_key, one]));
  expect(transactions).toHaveLength(bought.size);
  const { rows: endRows } = await pool.query<{ id: string; kind: string }>(
    `SELECT id, kind FROM ${table}_ends`,
  );
  const { rows } = await pool.query<{ id: string; state: string; reference: string | null }>(
    `SELECT id, state, reference FROM ${table}`,
  );
  expect(rows).toHaveLength(all.length);
  for (const { id, state, reference } of rows) {
    const sale = bought.get(id);
    expect([id, endRows.filter((end) => end.id === id).map(({ kind }) => kind)]).toEqual([id, [state]]);
    if (state === 'refused') {
      expect([id, sale]).toEqual([id, undefined]);
    } else {
      expect([id, reference, state]).toEqual([id, sale?.reference, ends[sale?.status ?? '']]);
    }
  }
}

describe.skipIf(!databaseUrl)(
  'orders, with three workers, two receivers and a buyer that are killed all the time',
  () => {
    const engines = ['in-process', 'pg-boss', ...(redisUrl ? ['bullmq'] : [])];
    const runs = Array.from({ length: seeds }, (_, n) => firstSeed + n).flatMap((seed) =>
      engines.map((engine) => ({ engine, seed })),
    );
    it.each(runs)(
      'charge each order once and end it once: $engine (BILLPAY_TEST_SEED=$seed)',
      async ({ engine, seed }) => {
        await run(engine, seed);
      },
      limitMs,
    );
  },
);
