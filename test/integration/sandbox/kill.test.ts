import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { type BundledProgram, bundleProgram } from '../../support/bundle-program.js';
import { killRepeatedly, Member } from '../../support/killing.js';
import { seedOfRun } from '../../support/seed.js';

const kills = 8;
const atOnce = 16;
const seed = seedOfRun();

let child: BundledProgram;

beforeAll(async () => {
  child = await bundleProgram(new URL('kill/child.ts', import.meta.url));
});

afterAll(() => child.remove());

test(`loses nothing that was acknowledged, killed ${kills} times (BILLPAY_TEST_SEED=${seed})`, async () => {
  const state = join(child.folder, 'sandbox.state');
  const { clientId: client_id, secretKey } = createSandbox({ seed: 'kill' }).credentials;
  const service = new Member(child.program, { STATE: state });
  await service.start();
  const acknowledged = new Map<string, string>();

  /** The reference; undefined where the sandbox is dead, or died first. */
  const buy = async (key: string): Promise<string | undefined> => {
    const body = { client_id, biller: 'MTN', recipient: '08031234567', amount: 10, idempotency_key: key };
    try {
      const response = await fetch(`http://127.0.0.1:${service.port ?? 1}/api/v1/airtime/purchase`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const { data } = await response.json();
      return data.reference;
    } catch {
      return undefined;
    }
  };

  let next = 0;
  let isOver = false;
  const lane = async () => {
    while (!isOver) {
      const key = `purchase-${next++}`;
      const reference = await buy(key);
      if (reference === undefined) await delay(20);
      else acknowledged.set(key, reference);
    }
  };
  const lanes = Array.from({ length: atOnce }, lane);
  // A key that was acknowledged before a kill repeats its transaction.
  const repeatLast = async () => {
    for (const [key, reference] of [...acknowledged].slice(-20)) expect(await buy(key)).toBe(reference);
  };
  await killRepeatedly([service], {
    seed,
    kills,
    living: [0, 100],
    before: async () => {
      await repeatLast();
      const enough = acknowledged.size + 3 * atOnce;
      while (acknowledged.size < enough) await delay(5);
    },
  });
  await repeatLast();
  isOver = true;
  await Promise.all(lanes);
  await service.kill();

  const sandbox = createSandbox({ state, clock: 'manual', seed: 'kill' });
  expect(sandbox.audit()).toMatchObject({ ok: true, problems: [] });
  const kept = new Map(
    sandbox.transactions.map(({ idempotency_key, reference }) => [idempotency_key, reference]),
  );
  for (const [key, reference] of acknowledged) expect([key, kept.get(key)]).toEqual([key, reference]);
  await sandbox.runUntilIdle();
  expect(sandbox.transactions.every(({ status }) => status === 'success')).toBe(true);
  expect(sandbox.audit().ok).toBe(true);
  await sandbox.close();
}, 120_000);
