import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import type { ProofDatabase } from '../../src/prove/database.js';
import { planOrders } from '../../src/prove/plan.js';
import { openShop } from '../../src/prove/shop.js';
import { createSandbox } from '../../src/sandbox/index.js';

const url = process.env['BILLPAY_TEST_POSTGRES_URL'];
const folder = fileURLToPath(new URL('../..', import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

const databases: readonly [name: string, isHere: boolean, database: ProofDatabase][] = [
  ['memory', true, { kind: 'memory' }],
  ['SQLite', major > 22 || (major === 22 && minor >= 13), { kind: 'sqlite', path: ':memory:' }],
  [
    'PostgreSQL',
    url !== undefined,
    { kind: 'postgres', url: String(url), table: `prove_shop_${process.pid}`, folder },
  ],
];

for (const [name, isHere, database] of databases) {
  it.skipIf(!isHere)(`the shop of the proof sells and reviews on ${name}`, async () => {
    const sandbox = createSandbox({ settleAfter: 0 });
    const { baseUrl } = await sandbox.listen();
    const { secretKey: apiKey, clientId } = sandbox.credentials;
    const settings = { baseUrl, apiKey, clientId, webhookSecret: 'whsec_proof_of_the_shop_1' };
    const shop = await openShop(database, settings);
    try {
      const plan = planOrders(20).filter(({ trouble }) => !trouble);
      // No purchase of it has a response, so that the order waits for a decision.
      const doubted = plan.find(({ end }) => end === 'delivered');
      const recipient = String(doubted?.input.params.recipient);
      sandbox.faults.add({ recipient, when: 'before', connection: 'close', times: 1000 });
      await shop.sell(plan);
      await vi.waitFor(async () => expect(await shop.ended()).toBe(plan.length - 1), { timeout: 20_000 });
      await vi.waitFor(async () => expect(await shop.review([])).toBe(1), { timeout: 20_000 });
      await vi.waitFor(async () => expect(await shop.ended()).toBe(plan.length), { timeout: 20_000 });
      const { orders, ends } = await shop.books(plan);
      const states = Object.fromEntries(orders.map(({ id, state }) => [id, state]));
      for (const { input, end } of plan) {
        expect(states[input.id]).toBe(input.id === doubted?.input.id ? 'refused' : end);
      }
      expect(ends).toHaveLength(plan.length);
    } finally {
      await shop.remove();
      await sandbox.close();
    }
  });
}
