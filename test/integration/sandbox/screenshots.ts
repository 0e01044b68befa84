import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.js';
import { launchChromium } from './chromium.js';

/**
 * Takes pictures of the page, to be looked at: empty, with 3 transactions, with 500, and with failures; on three widths, light and dark.
 *
 *   npx tsx test/integration/sandbox/screenshots.ts [folder]
 */

const folder = process.argv[2] ?? join(tmpdir(), 'billpay-sandbox-page');
mkdirSync(folder, { recursive: true });

const call = async (sandbox: Sandbox, path: string, body: object, clientId?: string): Promise<string> => {
  const client = sandbox.client(clientId);
  const response = await sandbox
    .fetch(`${sandbox.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: client.clientId, ...body }),
    })
    .catch(() => undefined);
  const answer = (await response?.json().catch(() => undefined)) as
    | { data?: { reference?: string } }
    | undefined;
  return answer?.data?.reference ?? '';
};

const orders = [
  ['/airtime/purchase', { biller: 'MTN', recipient: '08031234567', amount: 500 }],
  [
    '/electricity/purchase',
    { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid', amount: 5000 },
  ],
  ['/tv/purchase', { biller: 'DSTV', recipient: '02110144711', product_code: 'DSTV-PADI' }],
  ['/data/purchase', { biller: 'MTN', recipient: '08031234567', product_code: 'MTN-2GB-1D', amount: 750 }],
  ['/edu/purchase', { biller: 'WAEC', recipient: '08031234567', product_code: 'WAEC-RESULT', quantity: 1 }],
] as const;

async function buy(sandbox: Sandbox, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const [path, body] = orders[at % orders.length] ?? orders[0];
    const reference = await call(sandbox, path, { ...body, idempotency_key: `order-${at + 1}` });
    if (reference === '') continue;
    if (at % 4 !== 2) await sandbox.settle(reference, at % 9 === 4 ? 'failed' : 'success');
  }
}

const filled: Readonly<Record<string, (sandbox: Sandbox, receiver: string) => Promise<void>>> = {
  empty: async () => {},
  'three-transactions': async (sandbox, receiver) => {
    sandbox.webhooks.subscribe({ url: `${receiver}/200` });
    await buy(sandbox, 3);
  },
  'many-transactions': async (sandbox, receiver) => {
    sandbox.client().fund(5_000_000);
    sandbox.webhooks.subscribe({ url: `${receiver}/200` });
    await buy(sandbox, 500);
  },
  failures: async (sandbox, receiver) => {
    sandbox.webhooks.subscribe({ url: `${receiver}/500` });
    const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500 };
    sandbox.faults.add({ status: 503, code: 'QUEUE_UNAVAILABLE' });
    await call(sandbox, '/airtime/purchase', { ...airtime, idempotency_key: 'first-order' });
    const reference = await call(sandbox, '/airtime/purchase', {
      ...airtime,
      idempotency_key: 'first-order',
    });
    await call(sandbox, '/airtime/purchase', {
      ...airtime,
      recipient: '08039999999',
      idempotency_key: 'first-order',
    });
    await call(sandbox, '/airtime/purchase', {
      ...airtime,
      recipient: '08000000005',
      idempotency_key: 'lost',
    });
    await call(sandbox, '/airtime/purchase', {
      ...airtime,
      recipient: '08000000003',
      idempotency_key: 'provider',
    });
    await call(sandbox, '/airtime/purchase', { ...airtime, amount: -5, idempotency_key: 'negative' });
    await call(sandbox, '/airtime/purchase', { ...airtime, amount: 900_000, idempotency_key: 'poor' });
    await sandbox.settle(reference, 'failed');
    await buy(sandbox, 6);
    sandbox.faults.add({ when: 'after', status: 500, times: 'always' });
  },
};

const looks = [
  { name: '1440-light', viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { name: '900-dark', viewport: { width: 900, height: 800 }, colorScheme: 'dark' },
  { name: '390-light', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { name: '1440-dark', viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  { name: '900-light', viewport: { width: 900, height: 800 }, colorScheme: 'light' },
  { name: '390-dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const;

const tabs = ['purchases', 'webhooks', 'requests', 'wallet', 'settings'];

const receiver = createServer((request, response) => {
  request.resume();
  const status = Number(request.url?.slice(1)) || 200;
  response.writeHead(status).end(status === 500 ? 'the database is down' : '');
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const address = receiver.address();
const receiverUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;

const only = process.env['LOOKS']?.split(',');
const browser = await launchChromium();
const onlyStates = process.env['STATES']?.split(',');
for (const [state, fill] of Object.entries(filled)) {
  if (onlyStates && !onlyStates.includes(state)) continue;
  const sandbox = createSandbox({
    seed: 'pictures',
    settleAfter: 'manual',
    clock: state === 'failures' ? 'manual' : 'real',
  });
  const { baseUrl } = await sandbox.listen();
  await fill(sandbox, receiverUrl);
  for (const { name, ...look } of looks) {
    if (only && !only.includes(name)) continue;
    const context = await browser.newContext(look);
    const page = await context.newPage();
    page.on('pageerror', (error) => console.error(state, name, error.message));
    for (const tab of tabs) {
      await page.goto(`${new URL(baseUrl).origin}/#${tab}`);
      await page.locator('main').waitFor();
      await page.waitForTimeout(400);
      if (state === 'failures' && ['purchases', 'webhooks', 'requests'].includes(tab)) {
        await page.screenshot({ path: join(folder, `${state}-${tab}-list-${name}.png`) });
        await page.locator('a.row').last().click();
        await page.waitForTimeout(300);
      }
      await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({
        path: join(folder, `${state}-${tab}-${name}.png`),
        fullPage: state === 'empty',
      });
    }
    await context.close();
  }
  await sandbox.close();
}
await browser.close();
receiver.close();
console.log(folder);
