import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresDedupe, signWebhook } from '../../../src/webhooks/index.js';
import { bodyOf, secret } from '../../webhooks/deliveries.js';
import { postgresUrl, redisUrl } from '../../webhooks/stores.js';
import { seededRandom } from './kill/seeded-random.js';

const transactions = 1000;
const kills = 16;
/** A receiver that is alive must renew its claims in time even on a machine that is slow. */
const lease = 4000;
const limit = 120_000;
const seed = Number(process.env['BILLPAY_TEST_SEED'] ?? Date.now() % 1_000_000);

function shuffled<T>(items: readonly T[], choose: () => number): T[] {
  const copy = [...items];
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const at = Math.floor(choose() * (last + 1));
    [copy[last], copy[at]] = [copy[at]!, copy[last]!];
  }
  return copy;
}

/** A receiver process that is started again, under another name, whenever it is killed. */
class Receiver {
  readonly killed: string[] = [];
  #incarnation = 0;
  #child: ChildProcess | undefined;
  #port = 0;

  constructor(
    readonly name: string,
    readonly program: string,
    readonly env: Record<string, string>,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  async start(): Promise<void> {
    this.#incarnation += 1;
    const env = { ...process.env, ...this.env, INCARNATION: `${this.name}${this.#incarnation}` };
    this.#child = fork(this.program, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const [address] = await once(this.#child, 'message');
    this.#port = address.port;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.killed.push(`${this.name}${this.#incarnation}`);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

interface Effect {
  /** Which receiver, in which of its lives. */
  readonly by: string;
  /** When, by the engine's clock, in ms. */
  readonly at: number;
}

interface Engine {
  readonly name: string;
  readonly url: string | undefined;
  /** Makes what the receivers write to, under this name. */
  prepare(names: string): Promise<void>;
  /** By reference, its effects in order. Deletes everything of that name. */
  effects(names: string): Promise<Map<string, Effect[]>>;
}

const redisEngine: Engine = {
  name: 'redis',
  url: redisUrl,
  prepare: async () => undefined,
  async effects(names) {
    const client = createClient({ url: redisUrl! });
    await client.connect();
    const found = new Map<string, Effect[]>();
    for (const key of await client.keys(`${names}:effects:*`)) {
      const entries = (await client.lRange(key, 0, -1)).map((entry) => entry.split(' '));
      const effects = entries.map(([by, at]) => ({ by: String(by), at: Number(at) }));
      found.set(key.slice(`${names}:effects:`.length), effects);
    }
    await client.del(await client.keys(`${names}:*`));
    await client.close();
    return found;
  },
};

const postgresEngine: Engine = {
  name: 'postgres',
  url: postgresUrl,
  async prepare(names) {
    const pool = new Pool({ connectionString: postgresUrl! });
    await postgresDedupe(pool, { table: `${names}_events` }).createTables();
    await pool.query(
      `CREATE TABLE ${names}_effects (reference text, by text, id serial, at timestamptz DEFAULT clock_timestamp())`,
    );
    await pool.end();
  },
  async effects(names) {
    const pool = new Pool({ connectionString: postgresUrl! });
    const { rows } = await pool.query<{ reference: string; by: string; at: Date }>(
      `SELECT reference, by, at FROM ${names}_effects ORDER BY id`,
    );
    await pool.query(`DROP TABLE ${names}_effects, ${names}_events`);
    await pool.end();
    const found = new Map<string, Effect[]>();
    for (const { reference, by, at } of rows) {
      found.set(reference, [...(found.get(reference) ?? []), { by, at: at.getTime() }]);
    }
    return found;
  },
};

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billpay-kill-'));
  program = join(folder, 'receiver.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./kill/receiver.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    alias: { '#hmac': fileURLToPath(new URL('../../../src/webhooks/hmac/node.ts', import.meta.url)) },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Delivers every transaction twice to each of two receivers that are killed all the time, until each delivery was taken. */
async function run(engine: Engine): Promise<{ effects: Map<string, Effect[]>; killed: string[] }> {
  const choose = seededRandom(seed);
  const names = `k${crypto.randomUUID().replaceAll('-', '')}`;
  await engine.prepare(names);
  const env = {
    ENGINE: engine.name,
    ENGINE_URL: engine.url!,
    NAMES: names,
    LEASE: `${lease}`,
    SECRET: secret,
    SEED: `${seed}`,
  };
  const receivers = ['a', 'b'].map((name) => new Receiver(name, program, env));
  await Promise.all(receivers.map((receiver) => receiver.start()));
  const until = Date.now() + limit - 20_000;

  async function deliver(reference: string, receiver: Receiver): Promise<void> {
    const body = bodyOf(reference, reference.endsWith('7') ? 'transaction.failed' : 'transaction.completed');
    while (Date.now() < until) {
      const headers = signWebhook({ body, secret });
      const request = { method: 'POST', body, headers, signal: AbortSignal.timeout(5000) };
      const response = await fetch(receiver.url, request).catch(() => undefined);
      await response?.text().catch(() => undefined);
      if (response?.status === 200) return;
      if (response) expect([500, 503]).toContain(response.status);
      await delay(20 + choose() * 60);
    }
    throw new Error(`${reference} was never taken`);
  }

  const references = Array.from({ length: transactions }, (_, index) => `TXN-${index}`);
  const twice = [...references, ...references];
  const queue = receivers.flatMap((receiver) => shuffled(twice, choose).map((to) => ({ to, receiver })));
  const deliveries = shuffled(queue, choose);
  let left = deliveries.length;
  const lane = async () => {
    for (let next = deliveries.pop(); next; next = deliveries.pop()) {
      await deliver(next.to, next.receiver);
      left -= 1;
    }
  };
  const assassin = async () => {
    for (let count = 0; count < kills; count += 1) {
      // Spread over the work, so that a fast machine meets as many as a slow one.
      const due = transactions * 4 * (1 - (count + choose()) / kills);
      while (left > due && Date.now() < until) await delay(5);
      const victim = receivers[Math.floor(choose() * receivers.length)]!;
      await victim.kill();
      await delay(choose() * 200);
      await victim.start();
    }
  };
  const lanes = Array.from({ length: 24 }, lane);
  await Promise.all([assassin(), ...lanes]);
  const killed = receivers.flatMap((receiver) => receiver.killed);
  await Promise.all(receivers.map((receiver) => receiver.kill()));
  const effects = await engine.effects(names);
  expect(killed).toHaveLength(kills);
  expect([...effects.keys()].sort()).toEqual([...references].sort());
  return { effects, killed };
}

const title = ({ url, name }: Engine) =>
  url
    ? `two receivers on one ${name}, killed and started again (BILLPAY_TEST_SEED=${seed})`
    : `two receivers on one ${name} (skipped: BILLPAY_TEST_${name.toUpperCase()}_URL is not set)`;

describe.skipIf(!redisUrl)(title(redisEngine), () => {
  it(
    'lose nothing, and repeat an effect only after a kill between effect and mark',
    async () => {
      const { effects, killed } = await run(redisEngine);
      for (const [reference, all] of effects) {
        for (const [index, effect] of all.slice(1).entries()) {
          const before = all[index]!;
          expect(killed, `${reference} was repeated though its receiver lived`).toContain(before.by);
          // Half a lease of grace: an effect comes somewhat later than the claim that its lease counts from.
          expect(effect.at - before.at, `${reference} was repeated within a lease`).toBeGreaterThan(
            lease / 2,
          );
        }
      }
      const repeated = [...effects.values()].filter((all) => all.length > 1).length;
      console.info(`redis: ${repeated} of ${transactions} effects repeated over ${kills} kills`);
    },
    limit,
  );
});

describe.skipIf(!postgresUrl)(title(postgresEngine), () => {
  it(
    'have each effect exactly once',
    async () => {
      const { effects } = await run(postgresEngine);
      for (const [reference, all] of effects) expect(all, reference).toHaveLength(1);
    },
    limit,
  );
});
