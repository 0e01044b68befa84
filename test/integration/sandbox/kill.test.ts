import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { Random } from '../../chaos/random.js';

const sales = 1000;
const kills = 8;
const atOnce = 16;
const seed = Number(process.env['BILLPAY_KILL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let folder: string;
let child: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'billpay-sandbox-kill-'));
  child = join(folder, 'child.mjs');
  const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  await build({
    entryPoints: [source('kill/child.ts')],
    outfile: child,
    bundle: true,
    format: 'esm',
    platform: 'node',
    alias: { '#hmac': source('../../../src/webhooks/hmac/node.ts') },
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Running {
  readonly process: ChildProcess;
  readonly baseUrl: string;
}

const start = (state: string): Promise<Running> =>
  new Promise((resolve, reject) => {
    const run = spawn(process.execPath, [child, state], { stdio: ['ignore', 'pipe', 'inherit'] });
    run.stdout.setEncoding('utf8');
    run.stdout.once('data', (text: string) => resolve({ process: run, baseUrl: text.trim() }));
    run.once('error', reject);
    run.once('exit', (code) => reject(new Error(`the sandbox ended with exit code ${code}`)));
  });

const exited = (run: ChildProcess) => new Promise<void>((resolve) => run.once('exit', () => resolve()));

test(`loses nothing that was acknowledged, killed ${kills} times in ${sales} purchases (seed ${seed})`, async () => {
  const random = new Random(String(seed));
  const state = join(folder, 'sandbox.state');
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
    const { process: run, baseUrl } = await start(state);
    const end = round === kills ? sales : Math.floor((sales * (round + 1)) / (kills + 1));
    // A key that was acknowledged before the kill repeats its sale.
    for (const [key, reference] of [...acknowledged].slice(-20))
      expect(await buy(baseUrl, key)).toBe(reference);
    const killAt = round === kills ? Number.POSITIVE_INFINITY : random.int(next + 1, end - 1);
    const worker = async () => {
      while (next < end) {
        const key = `sale-${next++}`;
        if (next >= killAt) run.kill('SIGKILL');
        const reference = await buy(baseUrl, key);
        if (reference === undefined) return;
        acknowledged.set(key, reference);
      }
    };
    const gone = exited(run);
    await Promise.all(Array.from({ length: atOnce }, worker));
    if (round === kills) run.kill('SIGKILL');
    await gone;
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
