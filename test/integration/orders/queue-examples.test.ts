import { fileURLToPath } from 'node:url';
import { BillPay } from 'billpay';
import { createSandbox, type SandboxConnection } from 'billpay/sandbox';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentOf } from '../../support/environment.js';
import { Program } from '../../support/program.js';
import { freePort } from '../../support/sockets.js';

const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
const redisUrl = process.env['BILLPAY_TEST_REDIS_URL'];
const root = fileURLToPath(new URL('../../..', import.meta.url));
const database = `queue_${process.pid}`;
const sandbox = createSandbox({ settleAfter: 300, balance: 1e6 });
let connection: SandboxConnection;
let env: Record<string, string | undefined>;

/** A role of an example. */
const roleOf = (example: string, ...args: readonly string[]) =>
  new Program(process.execPath, ['--import', 'tsx', `examples/queue/${example}.ts`, ...args], {
    cwd: root,
    env,
  });

describe.skipIf(!databaseUrl || !redisUrl)('the examples of queues', () => {
  beforeAll(async () => {
    const admin = new pg.Pool({ connectionString: databaseUrl });
    await admin.query(`CREATE DATABASE ${database}`);
    await admin.end();
    ({ connection } = await sandbox.listen());
    env = {
      DATABASE_URL: Object.assign(new URL(String(databaseUrl)), { pathname: database }).href,
      REDIS_URL: redisUrl,
      ...environmentOf(connection),
    };
  });
  afterAll(() => sandbox.close());

  it.each(['pg-boss', 'bullmq'])(
    '%s: an order is placed, bought by a worker and delivered by a webhook',
    async (example) => {
      const receiverPort = String(await freePort());
      const billpay = new BillPay(connection);
      const { secret } = await billpay.webhooks.subscribe({ url: `http://127.0.0.1:${receiverPort}/` });
      env = { ...env, BILLPAY_WEBHOOK_SECRET: secret, PORT: receiverPort };
      const receiver = roleOf(example, 'receiver');
      const worker = roleOf(example, 'worker');
      await Promise.all([receiver.prints(/receiving webhooks/), worker.prints(/working/)]);
      const [, id] = await roleOf(example, 'order', 'MTN', '08031234567', '500').prints(
        /order (\S+) is placed/,
      );
      // Where the webhook came before the reference was stored, the worker applies it.
      const delivered = new RegExp(`order ${id} is delivered`);
      await Promise.any([receiver.prints(delivered), worker.prints(delivered)]);
      expect(sandbox.transactions.filter((one) => one.idempotency_key === id)).toHaveLength(1);
      await Promise.all([worker.end('SIGINT'), receiver.end('SIGINT')]);
    },
    120_000,
  );
});
