import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { type BundledProgram, bundleProgram } from '../../support/bundle-program.js';
import { Program } from '../../support/program.js';
import { Random } from '../../support/random.js';
import { seedOfRun } from '../../support/seed.js';

const sales = 1000;
const kills = 8;
const atOnce = 16;
const seed = Number(process.env['BILLPAY_KILL_SEED'] ?? seedOfRun());

let child: BundledProgram;

beforeAll(async () => {
  child = await bundleProgram(new URL('kill/child.ts', import.meta.url));
});

afterAll(() => child.remove());

test(`loses nothing that was acknowledged, killed ${kills} times in ${sales} purchases (seed ${seed})`, async () => {
  const random = new Random(String(seed));
  const state = join(child.folder, 'sandbox.state');
  const { clientId: client_id, secretKey } = createSandbox({ seed: 'kill' }).credentials;
  const acknowledged = new Map<string, string>();

  /** The reference; undefined when the sandbox died first. */
  const buy = async (baseUrl: string, key: string): Promise<string | undefined> => {
    const body = { client_id, biller: 'MTN', recipient: '08031234567', amount: 10, idempotency_key: key };
    try {
      const response = await fetch(`${baseUrl}/airtime/purchase`, {
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
  for (let round = 0; round <= kills; round++) {
    const run = new Program(process.execPath, [child.program, state]);
    const [baseUrl] = await run.prints(/^http\S+(?=\n)/);
    const end = round === kills ? sales : Math.floor((sales * (round + 1)) / (kills + 1));
    // A key that was acknowledged before the kill repeats its sale.
    for (const [key, reference] of [...acknowledged].slice(-20))
      expect(await buy(baseUrl, key)).toBe(reference);
    const killAt = round === kills ? Number.POSITIVE_INFINITY : random.int(next + 1, end - 1);
    const worker = async () => {
      while (next < end) {
        const key = `sale-${next++}`;
        if (next >= killAt) run.signal('SIGKILL');
        const reference = await buy(baseUrl, key);
        if (reference === undefined) return;
        acknowledged.set(key, reference);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    await (round === kills ? run.end() : run.ended);
  }

  const sandbox = createSandbox({ state, clock: 'manual', seed: 'kill' });
  expect(sandbox.audit()).toMatchObject({ ok: true, problems: [] });
  const kept = new Map(
    sandbox.transactions.map(({ idempotency_key, reference }) => [idempotency_key, reference]),
  );
  for (const [key, reference] of acknowledged) expect([key, kept.get(key)]).toEqual([key, reference]);
  expect(acknowledged.size).toBeGreaterThan(sales / 4);
  await sandbox.runUntilIdle();
  expect(sandbox.transactions.every(({ status }) => status === 'success')).toBe(true);
  expect(sandbox.audit().ok).toBe(true);
  await sandbox.close();
}, 120_000);
