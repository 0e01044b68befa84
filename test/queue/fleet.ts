/** Three workers and a receiver of a queue example, killed and started again at random until every order has its end. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BillPay } from 'billpay';
import { createSandbox, type FaultOptions } from 'billpay/sandbox';
import { build } from 'esbuild';
import { expect } from 'vitest';
import type { Order } from '../../examples/queue/order.js';
import { Random } from '../chaos/random.js';
import { limits } from './kill/settings.js';

export const seed = Number(process.env['BILLPAY_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** ms that one test may take; it takes 20 to 35 s. */
export const limitMs = 110_000;
const count = 300;
const kills = 12;

/** What a test knows of its engine. */
export interface Engine {
  readonly program: 'bullmq' | 'pg-boss';
  readonly url: string;
  place(order: Order): Promise<void>;
  /** Every order and how it stands. */
  states(): Promise<ReadonlyMap<string, { readonly state: string; readonly reference: string | null }>>;
  /** How often each reference was seen to come to its end. */
  endings(): Promise<readonly string[]>;
}

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** One file of our own sources, so that starting again is cheap; packages are resolved beside it. */
async function bundled(program: string): Promise<{ file: string; remove(): void }> {
  const folder = source(`../../node_modules/.cache/billpay-queue-${process.pid}-${program}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'child.mjs');
  await build({
    entryPoints: [source(`kill/${program}.ts`)],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: {
      '#hmac': source('../../src/webhooks/hmac/node.ts'),
      'billpay/webhooks': source('../../src/webhooks/index.ts'),
      billpay: source('../../src/index.ts'),
    },
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

class Member {
  #child: ChildProcess | undefined;

  constructor(
    readonly file: string,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  async start(): Promise<void> {
    const env = { ...process.env, ...this.env };
    const child = fork(this.file, { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.#child = child;
    await once(child, 'message');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

const troubles: readonly [FaultOptions, ...FaultOptions[]] = [
  { when: 'before', connection: 'close' },
  { when: 'after', connection: 'close' },
  { when: 'after', cutBody: true },
  { when: 'after', status: 500 },
  { when: 'before', status: 502, body: '<html>Bad gateway</html>' },
  { when: 'before', status: 503, code: 'PROVIDER_UNAVAILABLE' },
  { when: 'before', status: 429, retryAfter: 1 },
  { when: 'after', delay: '200ms' },
];

const ends: Readonly<Record<string, string>> = { success: 'delivered', failed: 'failed' };

export async function runFleet(engine: Engine): Promise<void> {
  const random = new Random(String(seed));
  const startedAt = Date.now();
  const sandbox = createSandbox({ balance: 1e9, settleAfter: 500, seed: String(seed) });
  const { baseUrl } = await sandbox.listen();
  const { clientId, secretKey } = sandbox.credentials;
  const port = await freePort();
  const admin = new BillPay({ baseUrl, clientId, apiKey: secretKey });
  const { secret } = await admin.webhooks.subscribe({ url: `http://127.0.0.1:${port}/` });
  const program = await bundled(engine.program);
  const env = {
    ENGINE_URL: engine.url,
    BILLPAY_BASE_URL: baseUrl,
    BILLPAY_API_KEY: secretKey,
    BILLPAY_CLIENT_ID: clientId,
    BILLPAY_WEBHOOK_SECRET: secret,
    PORT: String(port),
  };
  const roles = ['worker', 'worker', 'worker', 'receiver'];
  const fleet = roles.map((ROLE) => new Member(program.file, { ...env, ROLE }));
  try {
    const orders = Array.from({ length: count }, (_, at): Order => {
      const bytes = Array.from({ length: 32 }, () => random.int(0, 15).toString(16)).join('');
      const id = bytes.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5');
      // Every tenth fails to be delivered and is refunded.
      const recipient = at % 10 === 0 ? '08000000001' : `0803${1_000_000 + at}`;
      return { id, biller: 'MTN', recipient, amount: 50 + (at % 7) };
    });
    for (const order of orders) await engine.place(order);
    // Whoever placed them was not sure that they had been stored.
    for (const order of orders.slice(0, 20)) await engine.place(order);
    await Promise.all(fleet.map((member) => member.start()));

    const states = async () => [...(await engine.states()).values()];
    const open = async () =>
      (await states()).filter(({ state }) => state === 'placed' || state === 'accepted').length;
    let left = count;
    let killed = 0;
    const watch = async () => {
      for (left = await open(); left > 0; left = await open()) {
        if (Date.now() - startedAt > limitMs - 5000)
          throw new Error(`${left} orders are still open (seed ${seed})`);
        await delay(300);
      }
    };
    const trouble = async () => {
      // Not to the very end: what fails again and again is put off by half a minute.
      for (let seen = 0; left > 60; await delay(20)) {
        if (sandbox.requests.length < seen + 6) continue;
        seen = sandbox.requests.length;
        sandbox.faults.add({ operation: 'airtime.purchase', ...random.pick(troubles) });
        if (random.int(0, 3) === 0) sandbox.corruptDeliveries('duplicate');
      }
    };
    const assassin = async () => {
      for (; killed < kills; killed++) {
        // Spread over the work, so that a slow machine meets as many as a fast one.
        const due = count * (1 - (killed + random.int(1, 9) / 10) / kills);
        while (left > due) await delay(10);
        const victim = fleet[random.int(0, fleet.length - 1)]!;
        await victim.kill();
        await delay(random.int(0, 200));
        await victim.start();
      }
    };
    await Promise.all([watch(), trouble(), assassin()]);

    expect(killed).toBe(kills);
    const debits = sandbox.wallet().ledger.filter(({ kind }) => kind === 'debit');
    const keys = debits.map(({ idempotency_key }) => idempotency_key).sort();
    expect(keys, 'each order is charged once').toEqual(orders.map(({ id }) => id).sort());
    expect(sandbox.audit().problems).toEqual([]);
    const ended = await engine.states();
    expect(ended.size).toBe(count);
    for (const { reference, status, idempotency_key } of sandbox.transactions) {
      expect(ended.get(idempotency_key), idempotency_key).toEqual({ state: ends[status], reference });
    }
    const endings = await engine.endings();
    expect(new Set(endings).size, 'no order comes to its end twice').toBe(endings.length);
    expect(busiest(sandbox.requests), 'the workers share one limit').toBeLessThanOrEqual(
      2 * limits.purchases.points,
    );
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    console.info(
      `${engine.program}: ${count} orders, ${kills} kills, ${sandbox.requests.length} requests, ${seconds} s, seed ${seed}`,
    );
  } finally {
    await Promise.all(fleet.map((member) => member.kill()));
    await sandbox.close();
    program.remove();
  }
}

/** The most purchases in any stretch of one window: two of them where one window's end meets the next one's beginning. */
function busiest(requests: ReturnType<typeof createSandbox>['requests']): number {
  const times = requests.filter(({ operation }) => operation === 'airtime.purchase').map(({ at }) => +at);
  const within = times.map(
    (from) => times.filter((at) => at >= from && at < from + limits.purchases.duration * 1000).length,
  );
  return Math.max(...within);
}

/** A name that no other run has. */
export const unique = (): string => `q${randomUUID().replaceAll('-', '')}`;
