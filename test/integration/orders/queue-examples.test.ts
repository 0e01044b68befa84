import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BillPay } from 'billpay';
import { createSandbox } from 'billpay/sandbox';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../support/sockets.js';

const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
const redisUrl = process.env['BILLPAY_TEST_REDIS_URL'];
const root = fileURLToPath(new URL('../../..', import.meta.url));
const database = `queue_${process.pid}`;
const sandbox = createSandbox({ settleAfter: 300, balance: 1e6 });
let env: Record<string, string | undefined>;

/** A role of an example, with what it prints. */
class Role {
  readonly #child: ChildProcess;
  #printed = '';

  constructor(example: string, ...args: readonly string[]) {
    this.#child = spawn(process.execPath, ['--import', 'tsx', `examples/queue/${example}.ts`, ...args], {
      cwd: root,
      env,
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk) => {
        this.#printed += chunk;
      });
    }
  }

  /** Resolves with the match as soon as it is printed. */
  prints(expected: RegExp): Promise<RegExpExecArray> {
    return vi.waitFor(
      () => {
        const found = expected.exec(this.#printed);
        if (!found) throw new Error(`expected ${expected} in: ${this.#printed}`);
        return found;
      },
      { timeout: 50_000, interval: 50 },
    );
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGINT');
    await gone;
  }
}

describe.skipIf(!databaseUrl || !redisUrl)('the examples of queues', () => {
  beforeAll(async () => {
    const admin = new pg.Pool({ connectionString: databaseUrl });
    await admin.query(`CREATE DATABASE ${database}`);
    await admin.end();
    const { baseUrl } = await sandbox.listen();
    const { clientId, secretKey } = sandbox.credentials;
    env = {
      ...process.env,
      NO_COLOR: '1',
      DATABASE_URL: Object.assign(new URL(String(databaseUrl)), { pathname: database }).href,
      REDIS_URL: redisUrl,
      BILLPAY_BASE_URL: baseUrl,
      BILLPAY_API_KEY: secretKey,
      BILLPAY_CLIENT_ID: clientId,
    };
  });
  afterAll(() => sandbox.close());

  it.each(['pg-boss', 'bullmq'])(
    '%s: an order is placed, bought by a worker and delivered by a webhook',
    async (example) => {
      const receiverPort = String(await freePort());
      const { BILLPAY_BASE_URL: baseUrl = '', BILLPAY_API_KEY: apiKey, BILLPAY_CLIENT_ID: clientId } = env;
      const billpay = new BillPay({ baseUrl, apiKey, clientId });
      const { secret } = await billpay.webhooks.subscribe({ url: `http://127.0.0.1:${receiverPort}/` });
      env = { ...env, BILLPAY_WEBHOOK_SECRET: secret, PORT: receiverPort };
      const receiver = new Role(example, 'receiver');
      const worker = new Role(example, 'worker');
      await Promise.all([receiver.prints(/receiving webhooks/), worker.prints(/working/)]);
      const [, id] = await new Role(example, 'order', 'MTN', '08031234567', '500').prints(
        /order (\S+) is placed/,
      );
      // Where the webhook came before the reference was stored, the worker applies it.
      const delivered = new RegExp(`order ${id} is delivered`);
      await Promise.any([receiver.prints(delivered), worker.prints(delivered)]);
      expect(sandbox.transactions.filter((one) => one.idempotency_key === id)).toHaveLength(1);
      await Promise.all([worker.stop(), receiver.stop()]);
    },
    120_000,
  );
});
