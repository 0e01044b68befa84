import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresDedupe, signWebhook } from '../../../src/webhooks/index.js';
import { type BundledProgram, bundleProgram } from '../../support/bundle-program.js';
import { killRepeatedly, Member } from '../../support/killing.js';
import { seedOfRun } from '../../support/seed.js';
import { bodyOf, secret } from '../../webhooks/deliveries.js';
import { postgresUrl, redisUrl } from '../../webhooks/stores.js';

const transactions = 1000;
const kills = 16;
/** A receiver that is alive must renew its claims in time even on a machine that is slow. */
const lease = 4000;
const limit = 240_000;
const seed = seedOfRun();

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

let bundle: BundledProgram;

beforeAll(async () => {
  bundle = await bundleProgram(new URL('kill/receiver.ts', import.meta.url));
});
afterAll(() => bundle.remove());

/** Delivers every transaction twice to each of two receivers that are killed all the time, until each delivery was taken. */
async function run(engine: Engine): Promise<{ effects: Map<string, Effect[]>; killed: string[] }> {
  const names = `k${crypto.randomUUID().replaceAll('-', '')}`;
  await engine.prepare(names);
  const env = {
    ENGINE: engine.name,
    ENGINE_URL: engine.url!,
    NAMES: names,
    LEASE: `${lease}`,
    SECRET: secret,
  };
  const [first, second] = [
    new Member(bundle.program, { ...env, NAME: 'a' }),
    new Member(bundle.program, { ...env, NAME: 'b' }),
  ];
  const receivers = [first, second];
  await Promise.all(receivers.map((receiver) => receiver.start()));
  const until = Date.now() + limit - 20_000;

  async function deliver(reference: string, receiver: Member): Promise<void> {
    const body = bodyOf(reference, reference.endsWith('7') ? 'transaction.failed' : 'transaction.completed');
    while (Date.now() < until) {
      const headers = signWebhook({ body, secret });
      const request = { method: 'POST', body, headers, signal: AbortSignal.timeout(5000) };
      const response = await fetch(`http://127.0.0.1:${receiver.port ?? 1}/`, request).catch(() => undefined);
      await response?.text().catch(() => undefined);
      if (response?.status === 200) return;
      if (response) expect([500, 503]).toContain(response.status);
      await delay(20 + Math.random() * 60);
    }
    throw new Error(`${reference} was never taken`);
  }

  const references = Array.from({ length: transactions }, (_, index) => `TXN-${index}`);
  const queue = [...references, ...references].flatMap((to) =>
    receivers.map((receiver) => ({ to, receiver })),
  );
  const shuffled = fc.shuffledSubarray(queue, { minLength: queue.length });
  const [deliveries = []] = fc.sample(fc.noBias(shuffled), { seed, numRuns: 1 });
  let left = deliveries.length;
  const lane = async () => {
    for (let next = deliveries.pop(); next; next = deliveries.pop()) {
      await deliver(next.to, next.receiver);
      left -= 1;
    }
  };
  const lanes = Array.from({ length: 24 }, lane);
  const killing = killRepeatedly([first, second], {
    seed,
    kills,
    living: [0, 50],
    dead: [0, 200],
    // Spread over the work, so that a fast machine meets as many as a slow one.
    before: async (done) => {
      while (left > transactions * 4 * (1 - done / kills) && Date.now() < until) await delay(5);
    },
  });
  await Promise.all([killing, ...lanes]);
  // Each life but the last was ended by a kill.
  const killed = receivers.flatMap(({ env, lives }) =>
    Array.from({ length: lives - 1 }, (_, n) => `${env['NAME']}${n + 1}`),
  );
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
