import { setTimeout as wait } from 'node:timers/promises';
import { BillPay } from '../../src/index.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { launchChromium } from '../../test/integration/sandbox/chromium.js';
import { root } from './guides.js';

/** Takes the picture of the sandbox's page for the README: `npx tsx tools/site/picture.ts`. Without a folder it writes docs/sandbox-page.png. */

const { 2: file = `${root}docs/sandbox-page.png` } = process.argv;

const sandbox = createSandbox({ settleAfter: 300, seed: 'picture' });
const { baseUrl, connection } = await sandbox.listen({ port: 0 });
const billpay = new BillPay({ ...connection, logLevel: 'off', retryDelay: () => 50 });
const replies = [new Response(), new Response(), new Response('the database is down', { status: 500 })];
sandbox.webhooks.subscribe({ handler: async () => replies.shift() ?? new Response() });

const browser = await launchChromium();
try {
  // As wide as the README shows it, and twice as fine, so that its text can be read.
  const context = await browser.newContext({
    viewport: { width: 820, height: 392 },
    deviceScaleFactor: 2,
    colorScheme: 'light',
  });
  const page = await context.newPage();
  await page.goto(new URL('/', baseUrl).href);
  const buy = (amount: number, recipient: string, biller: 'MTN' | 'GLO' = 'MTN') =>
    billpay.airtime.purchase({ biller, recipient, amount }).catch(() => undefined);
  await billpay.electricity.purchase({
    biller: 'IKEDC',
    recipient: '0124000952992',
    meter_type: 'prepaid',
    amount: 5000,
  });
  await billpay.tv.purchase({ biller: 'DSTV', recipient: '02110144711', product_code: 'DSTV-PADI' });
  await wait(1000);
  await buy(200, '08000000001', 'GLO');
  await buy(250_000, '08031234567');
  await buy(500, '08000000005');
  await wait(1000);
  await buy(1000, '08000000002');
  await wait(1500);
  await sandbox.idle();
  await page.reload();
  await wait(1500);
  await page.screenshot({ path: file });
} finally {
  await browser.close();
  await sandbox.close();
}
