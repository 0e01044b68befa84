import { setImmediate } from 'node:timers/promises';
import { BillPay } from '../../src/client.js';

/**
 * Run as a process of its own, because a test runner listens to unhandled rejections too: prints how many unhandled rejections each
 * way of handling a call leaves.
 */
let unhandled = 0;
process.on('unhandledRejection', () => {
  unhandled++;
});

const billpay = new BillPay({
  apiKey: 'sk_test_x',
  clientId: 'c',
  baseUrl: 'https://pay.example/api/v1',
  maxRetries: 0,
  fetch: async () => new Response('{}', { status: 500 }),
});
const failing = () => billpay.data.products({ biller: 'MTN' });
const refused = () => billpay.data.products({ biller: '' });
const caught = () => {};

const ways: Record<string, () => unknown> = {
  ignored: failing,
  'refused locally and ignored': refused,
  'caught with catch': () => failing().catch(caught),
  'caught with then': () => failing().then(undefined, caught),
  awaited: async () => {
    try {
      await failing();
    } catch {}
  },
  'withResponse ignored': () => failing().withResponse(),
  'withResponse caught': () => failing().withResponse().catch(caught),
  'withResponse of a refused call caught': () => refused().withResponse().catch(caught),
  'both caught': () => {
    const call = failing();
    call.catch(caught);
    return call.withResponse().catch(caught);
  },
  'withResponse caught, later': async () => {
    const call = failing();
    const whole = call.withResponse();
    await call.catch(caught);
    await whole.catch(caught);
  },
  'then ignored': () => failing().then(() => 'unused'),
  'finally caught': () => failing().finally(caught).catch(caught),
  'waitUntilSettled ignored': () => billpay.transactions.waitUntilSettled(''),
};

const counts: Record<string, number> = {};
for (const [way, hold] of Object.entries(ways)) {
  unhandled = 0;
  hold();
  // The runtime reports after the microtasks of a turn; a call takes a few turns.
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  counts[way] = unhandled;
}
process.stdout.write(JSON.stringify(counts));
