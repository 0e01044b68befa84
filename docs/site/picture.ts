import { setTimeout as wait } from 'node:timers/promises';
import { BillPay } from '../../src/index.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { launchChromium } from '../../test/integration/sandbox/chromium.js';
import { root } from './guides.js';

/** Takes the picture of the sandbox's page for the README: `npm run docs:picture`. Without a folder it writes docs/sandbox-page.png. */

const { 2: file = `${root}docs/sandbox-page.png` } = process.argv;

const sandbox = createSandbox({ settleAfter: 300, seed: 'picture' });
const { baseUrl } = await sandbox.listen({ port: 0 });
const { clientId, secretKey: apiKey } = sandbox.credentials;
const billpay = new BillPay({ baseUrl, apiKey, clientId, logLevel: 'off', retryDelay: () => 50 });
sandbox.webhooks.subscribe({ secret: 'whsec_0123456789abcdef', handler: async () => new Response() });

const browser = await launchChromium();
try {
  const page = await browser.newPage({ viewport: { width: 1000, height: 372 }, colorScheme: 'light' });
  await page.goto(new URL('/', baseUrl).href);
  const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid' } as const;
  const card = { biller: 'DSTV', recipient: '02110144711', product_code: 'DSTV-PADI' };
  await billpay.electricity.purchase({ ...meter, amount: 5000, idempotency_key: 'order-1' });
  await billpay.tv.purchase({ ...card, idempotency_key: 'order-2' });
  await billpay.airtime.purchase({
    biller: 'GLO',
    recipient: '08000000001',
    amount: 200,
    idempotency_key: 'order-3',
  });
  await billpay.airtime.purchase({
    biller: 'MTN',
    recipient: '08000000005',
    amount: 500,
    idempotency_key: 'order-4',
  });
  await billpay.airtime.purchase({
    biller: 'MTN',
    recipient: '08000000002',
    amount: 1000,
    idempotency_key: 'order-5',
  });
  await wait(1500);
  await sandbox.idle();
  await page.reload();
  await wait(1500);
  await page.screenshot({ path: file });
} finally {
  await browser.close();
  await sandbox.close();
}
