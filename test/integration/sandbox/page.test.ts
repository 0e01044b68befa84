import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BillPay } from '../../../src/index.js';
import {
  createSandbox,
  type Listening,
  type ListenOptions,
  type Sandbox,
  type SandboxOptions,
} from '../../../src/sandbox/index.js';
import { verifyWebhook } from '../../../src/webhooks/index.js';
import { chromiumPath, launchChromium, needsChromium } from './chromium.js';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The page as a person meets it: a real Chromium, a client over a port, a receiver of its own. */
describe.skipIf(chromiumPath === undefined)(`the sandbox's page in Chromium${needsChromium}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  let complaints: string[];
  const cleanups: (() => unknown)[] = [];
  beforeEach(() => {
    complaints = [];
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    expect(complaints).toEqual([]);
  });

  interface Bench {
    readonly sandbox: Sandbox;
    readonly listening: Listening;
    readonly billpay: BillPay;
    readonly origin: string;
    readonly context: BrowserContext;
    /** Opens a page of this sandbox, and waits until it shows something. */
    readonly open: (fragment?: string) => Promise<Page>;
  }

  async function bench(
    options: SandboxOptions = {},
    look: BrowserContextOptions = {},
    listen: ListenOptions = {},
  ): Promise<Bench> {
    const sandbox = createSandbox({ settleAfter: 'manual', ...options });
    cleanups.push(() => sandbox.close());
    const listening = await sandbox.listen(listen);
    const { baseUrl } = listening;
    const { secretKey: apiKey, clientId } = sandbox.credentials;
    const billpay = new BillPay({ apiKey, clientId, baseUrl, maxRetries: 0, logLevel: 'off' });
    const { origin } = new URL(baseUrl);
    const context = await browser.newContext(look);
    cleanups.push(() => context.close());
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    const open = async (fragment = '') => {
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.goto(`${origin}/${fragment}`);
      await page.locator('main').waitFor();
      return page;
    };
    return { sandbox, listening, billpay, origin, context, open };
  }

  interface Received {
    readonly body: string;
    readonly headers: NodeJS.Dict<string | string[]>;
  }

  /** A receiver of webhooks, which responds with these statuses and then with 200. */
  async function receiver(...statuses: number[]): Promise<{ url: string; received: Received[] }> {
    const received: Received[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      received.push({ body, headers: request.headers });
      response.writeHead(statuses.shift() ?? 200).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the receiver has no port');
    return { url: `http://127.0.0.1:${address.port}/hooks`, received };
  }

  const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500 };
  const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid', amount: 5000 } as const;
  const row = (page: Page, text: string) => page.locator('tbody tr:not(.details)', { hasText: text });
  const details = (page: Page) => page.locator('tr.details');
  const notice = (page: Page, text: string) => page.locator('.notices', { hasText: text });

  it('leads from nothing to a failed, refunded and redelivered sale on a phone', async () => {
    const { sandbox, open } = await bench({}, { viewport: { width: 390, height: 844 } });
    const { url, received } = await receiver();
    const page = await open();
    await page.getByText('Nothing was bought yet.').waitFor();

    await page.getByLabel('URL of the receiver').fill(url);
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText('Verify its webhooks with this secret').waitFor();
    await page.getByRole('button', { name: 'Show webhook secret' }).click();
    const secret = (await page.locator('.result .secret code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);

    await page.getByText('Electricity').click();
    await page.getByRole('button', { name: 'Validate', exact: true }).click();
    await page.getByText('Confirmed:').waitFor();
    await page.getByRole('button', { name: 'Buy electricity' }).click();
    await page.locator('.result', { hasText: '202 PROCESSING' }).waitFor();
    const reference = sandbox.transactions[0]?.reference ?? '';
    await page.locator('.result').getByRole('link', { name: reference }).click();
    await details(page).getByText('Life of this sale').waitFor();

    await page.getByRole('button', { name: `Fail ${reference}` }).click();
    await row(page, reference).locator('.badge.bad', { hasText: 'failed, refunded' }).waitFor();
    for (const step of ['debited 500 NGN', 'settled as failed', 'refunded 500 NGN', 'Attempt 1']) {
      await details(page).locator('.life', { hasText: step }).waitFor();
    }
    await details(page).getByRole('button', { name: 'Redeliver' }).click();
    await details(page).getByText('Attempt 2, redelivery').waitFor();
    expect(received).toHaveLength(2);
    for (const { body, headers } of received) {
      expect(verifyWebhook({ body, headers, secret })).toMatchObject({ event: 'transaction.failed' });
    }
  });

  it.each([
    ['Airtime', 'airtime'],
    ['Data', 'data'],
    ['TV', 'tv'],
    ['Electricity', 'electricity'],
    ['Education', 'edu'],
  ])('buys %s with what the form holds', async (label, product) => {
    const { sandbox, open } = await bench();
    const page = await open();
    await page.getByText(label, { exact: true }).click();
    await page.getByRole('button', { name: /^Buy \w+$/ }).click();
    await page.locator('.result .badge.good', { hasText: '202 PROCESSING' }).waitFor();
    expect(sandbox.transactions.map((sale) => sale.product)).toEqual([product]);
    expect(sandbox.audit().ok).toBe(true);
  });

  it('says in the row of a trigger what it did, and repeats its key', async () => {
    const { sandbox, open } = await bench();
    const page = await open();
    const trigger = (recipient: string) => page.locator('.triggers > li', { hasText: recipient });
    await trigger('08000000005').getByRole('button', { name: /^Buy/ }).click();
    await trigger('08000000005').getByText('no response, connection closed').waitFor();
    await trigger('08000000005').getByText('The wallet was debited').waitFor();
    await trigger('08000000005').getByRole('button', { name: 'Send again with the same key' }).click();
    await trigger('08000000005').getByText('nothing new was bought').first().waitFor();
    expect(sandbox.transactions).toHaveLength(1);
    await trigger('08000000003').getByRole('button', { name: /^Buy/ }).click();
    await trigger('08000000003').getByText('503 PROVIDER_UNAVAILABLE').last().waitFor();
    await trigger('08000000004')
      .getByRole('button', { name: /^Validate/ })
      .click();
    await trigger('08000000004').getByText('422 VERIFICATION_FAILED').last().waitFor();
    // The newest sale stays in one line above, while the forms stay where they are.
    await page.locator('.latest', { hasText: sandbox.transactions[0]?.reference ?? 'none' }).waitFor();
  });

  it('is silent with 500 sales and 30 open rows while nothing happens', async () => {
    const { sandbox, context, open } = await bench({ balance: 1_000_000 });
    const buy = async (key: string) => {
      const { clientId, secretKey } = sandbox.credentials;
      await sandbox.fetch(`${sandbox.baseUrl}/airtime/purchase`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: clientId, ...airtime, idempotency_key: key }),
      });
    };
    for (let sale = 0; sale < 500; sale++) await buy(`k-${sale}`);
    const page = await open('#sales');
    await page.locator('tbody tr').nth(49).waitFor();
    for (let open = 0; open < 30; open++) await page.locator('.disclosure').nth(open).click();
    await expect.poll(() => details(page).locator('.life').count()).toBe(30);

    const requests: string[] = [];
    context.on('request', (request) => requests.push(new URL(request.url()).pathname));
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    let received = '';
    network.on('Network.dataReceived', ({ dataLength }) => {
      received += `${dataLength} `;
    });
    await page.waitForTimeout(1000);
    requests.length = 0;
    received = '';
    await page.waitForTimeout(5000);
    expect(requests).toEqual([]);
    // At most the comment that keeps the connection open.
    expect(received === '' || received === '14 ').toBe(true);

    // One sale changes: its details are read again, and nothing else but the books.
    const reference = sandbox.transactions.at(-1)?.reference ?? '';
    await sandbox.settle(reference, 'success');
    await row(page, reference).locator('.badge.good').waitFor();
    await details(page).first().getByText('settled as success').waitFor();
    await expect.poll(() => requests.length).toBe(3);
    expect(requests.sort()).toEqual([
      '/_sandbox/audit',
      '/_sandbox/clock',
      `/_sandbox/transactions/${reference}`,
    ]);
  });

  it('works in eight tabs over one event stream, also after the tab that reads it was closed', async () => {
    const { sandbox, context, open } = await bench();
    let streams = 0;
    context.on('request', (request) => {
      if (request.url().endsWith('/_sandbox/events')) streams += 1;
    });
    const pages: Page[] = [];
    for (let tab = 0; tab < 8; tab++) pages.push(await open('#wallet'));
    expect(streams).toBe(1);
    const balance = (page: Page, text: string) =>
      page.locator('.wallets .balance', { hasText: text }).first();
    sandbox.client().fund(1);
    for (const page of pages) await balance(page, '100,001.00').waitFor();
    await pages.shift()?.close();
    await expect.poll(() => streams).toBe(2);
    await pages[0]?.locator('.live', { hasText: 'live' }).waitFor();
    sandbox.client().fund(1);
    for (const page of pages) await balance(page, '100,002.00').waitFor();
    await pages[6]?.getByRole('button', { name: 'Fund', exact: true }).click();
    for (const page of pages) await balance(page, '110,002.00').waitFor();
  });

  it('keeps rows in their place while the pointer or the focus is in the table', async () => {
    const { billpay, open } = await bench();
    const first = await billpay.airtime.purchase(airtime);
    const page = await open('#sales');
    const topRow = () => page.locator('tbody .disclosure').first().textContent();
    await row(page, first.reference).hover();
    const place = await row(page, first.reference).boundingBox();
    for (let sale = 0; sale < 3; sale++) await billpay.airtime.purchase(airtime);
    const waiting = page.getByRole('button', { name: '3 new' });
    await waiting.waitFor();
    expect(await row(page, first.reference).boundingBox()).toEqual(place);
    expect(await topRow()).toBe(first.reference);
    await waiting.click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(4);

    await page.mouse.move(0, 0);
    await page.locator('tbody .disclosure').first().focus();
    const top = await topRow();
    const other = await billpay.airtime.purchase(airtime);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await topRow()).toBe(top);
    // Neither is in the table any more: what waits is shown.
    await page.getByRole('searchbox').focus();
    await expect.poll(topRow).toBe(other.reference);
  });

  it('hides tokens until they are asked for, and shows what callers send as text', async () => {
    const { sandbox, billpay, open } = await bench();
    const evil = '<img src=x onerror="document.title=1">';
    await billpay.airtime.purchase({ ...airtime, recipient: evil, idempotency_key: evil });
    const { reference } = await billpay.electricity.purchase(meter);
    await sandbox.settle(reference, 'success');
    await billpay.transactions.status(reference);
    const token = sandbox.transaction(reference)?.token ?? 'none';
    const page = await open('#sales');
    await row(page, reference).waitFor();
    for (const button of await page.locator('.disclosure').all()) await button.click();
    await details(page).getByText('••••').waitFor();
    expect(await page.content()).not.toContain(token);
    await details(page).getByRole('button', { name: 'Show token' }).click();
    await details(page).getByText(token).waitFor();

    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByRole('button', { name: /Details of request 3/ }).click();
    await details(page).getByText('"token": "••••').waitFor();
    expect(await page.content()).not.toContain(token);
    await details(page).getByRole('button', { name: 'Show token' }).click();
    await details(page).getByText(token).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('billpay sandbox');
  });

  it('shows an active fault on every tab until it is turned off', async () => {
    const { sandbox, billpay, open } = await bench();
    const page = await open('#faults');
    await page.getByLabel('What goes wrong').selectOption('error');
    await page.getByLabel('How often').selectOption('always');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('link', { name: 'Wallet' }).click();
    const banner = page.locator('.banner', { hasText: '1 fault: after processing: 500, purchases' });
    await banner.waitFor();
    await expect(billpay.airtime.purchase(airtime)).rejects.toMatchObject({ status: 500 });
    await page.locator('.banner', { hasText: 'met 1' }).waitFor();
    await page.getByRole('button', { name: /^Turn off/ }).click();
    await banner.waitFor({ state: 'detached' });
    expect(sandbox.faults.active).toEqual([]);
  });

  it('moves a manual clock, and says that a real one runs by itself', async () => {
    const real = await bench();
    await (await real.open('#faults')).getByText('It runs by itself.').waitFor();
    const { sandbox, billpay, open } = await bench({ clock: 'manual', settleAfter: '1h' });
    const { reference } = await billpay.airtime.purchase(airtime);
    const page = await open('#faults');
    await page.getByRole('button', { name: '+ 15m: advance the clock' }).click();
    expect(sandbox.transaction(reference)?.status).toBe('pending');
    await page.getByRole('button', { name: 'Advance to the next event' }).click();
    await expect.poll(() => sandbox.transaction(reference)?.status).toBe('success');
    await page.getByText('none is scheduled').waitFor();
    await page.getByRole('button', { name: 'Reset the sandbox' }).click();
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await notice(page, 'set back to the beginning').waitFor();
    expect(sandbox.transactions).toEqual([]);
  });

  it('searches, filters and pages, and keeps the client over a reload', async () => {
    const { sandbox, billpay, open } = await bench();
    for (let sale = 0; sale < 60; sale++) await billpay.airtime.purchase(airtime);
    const { reference } = await billpay.electricity.purchase(meter);
    const page = await open('#sales');
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByRole('button', { name: 'Show 50 more' }).click();
    await expect.poll(() => rows.count()).toBe(61);
    await page.getByLabel('Product').selectOption('electricity');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel('Product').selectOption('');
    await page.getByRole('searchbox').fill('0124000952992');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByText(reference).waitFor();
    // A new sale that does not match stays out, one that does comes in.
    await billpay.airtime.purchase(airtime);
    await billpay.electricity.purchase(meter);
    await expect.poll(() => rows.count()).toBe(2);

    await page.getByLabel('Client').selectOption('client_empty');
    await page.getByText('No sale matches these filters.').waitFor();
    await page.getByRole('link', { name: 'Wallet' }).click();
    await page.getByText('Ledger of client_empty').first().waitFor();
    await page.reload();
    await page.locator('.wallets').waitFor();
    expect(await page.locator('.wallets li').count()).toBe(1);
    expect(await page.getByLabel('Client').first().inputValue()).toBe('client_empty');
    sandbox.client('client_empty').fund(12.5);
    await page.locator('.ledger tr', { hasText: 'funding' }).getByText('+12.50').waitFor();
  });

  it('shows a request with its warnings and both values, copies it as curl and sends it again', async () => {
    const { sandbox, billpay, origin, open } = await bench();
    await billpay.airtime.purchase({ ...airtime, idempotency_key: 'order-1' });
    await billpay.airtime
      .purchase({ ...airtime, recipient: '08039999999', idempotency_key: 'order-1' })
      .catch(() => undefined);
    const page = await open('#requests');
    const repeated = row(page, '…9999');
    await repeated.getByText('nothing new was bought').waitFor();
    await repeated.getByText('recipient: 08031234567 was bought, 08039999999 was asked for').waitFor();
    await repeated.getByRole('button', { name: /^Copy as curl/ }).click();
    await notice(page, 'Copied.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`curl -X 'POST' '${origin}/api/v1/airtime/purchase'`);
    expect(copied).toContain(`Bearer ${sandbox.credentials.secretKey}`);
    await repeated.getByRole('button', { name: /^Send/ }).click();
    await notice(page, 'Sent again as request 3').waitFor();
    expect(sandbox.transactions).toHaveLength(1);
    // Messages go away by themselves.
    await page.locator('.notices p').first().waitFor({ state: 'detached' });
    await repeated.first().getByRole('link', { name: /^TXN-/ }).click();
    await details(page).getByText('08039999999 was asked for').first().waitFor();
    await page.goto(`${origin}/#sales`);
    await page.getByText('Try it').click();
    await page.getByRole('button', { name: 'Copy: .env' }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toContain(`BILLPAY_API_KEY=${sandbox.credentials.secretKey}`);
  });

  it('shows a failing delivery red with its next attempt, and a redelivery that failed stays red', async () => {
    const { sandbox, billpay, open } = await bench({ clock: 'manual' });
    const { url } = await receiver(500, 500, 200, 500);
    await billpay.webhooks.subscribe({ url });
    const { reference } = await billpay.airtime.purchase(airtime);
    await sandbox.settle(reference, 'success');
    const page = await open('#webhooks');
    const line = row(page, reference);
    const state = (text: RegExp) => line.locator('.badge', { hasText: text });
    // With a date where it is on the next day.
    await state(/^failing: response 500, next attempt (\d\d:\d\d:\d\d|\d\d-\d\d \d\d:\d\d)$/).waitFor();
    expect(await line.getAttribute('class')).toBe('bad');
    await line.getByRole('button', { name: /^Redeliver/ }).click();
    await notice(page, 'the receiver did not accept it, response 500').waitFor();
    await line.getByText('2, last 500').waitFor();
    expect(await line.getAttribute('class')).toBe('bad');
    await line.getByRole('button', { name: /^Redeliver/ }).click();
    await state(/^delivered$/).waitFor();
    expect(await line.getAttribute('class')).toBeNull();
    await line.getByRole('button', { name: /^Redeliver/ }).click();
    await state(/^delivered before, redelivery failed: response 500$/).waitFor();
    expect(await line.getAttribute('class')).toBe('bad');
    await page.getByLabel('Last attempt').selectOption('1');
    await line.waitFor();
  });

  it('opens the audit from its badge', async () => {
    const { sandbox, billpay, open } = await bench();
    const { reference } = await billpay.airtime.purchase(airtime);
    await sandbox.settle(reference, 'failed');
    const page = await open();
    await page.getByRole('button', { name: 'Books balance: 1 debit, 1 refund' }).click();
    await page.getByRole('dialog').getByText('NGN 500.00').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('shows a lost connection and a restarted sandbox, and recovers from both', async () => {
    const { sandbox, listening, open } = await bench();
    const page = await open('#wallet');
    await listening.close();
    await page.locator('.live.bad', { hasText: 'no connection' }).waitFor();
    await page.getByText('The sandbox cannot be reached.').waitFor();
    sandbox.client().fund(1);
    await sandbox.listen({ port: listening.port });
    await page.locator('.live.good', { hasText: 'live' }).waitFor();
    await page.locator('.balance', { hasText: '100,001.00' }).waitFor();
    await notice(page, 'The sandbox was restarted.').waitFor();
    expect(complaints.every((text) => text.includes('net::ERR_'))).toBe(true);
    complaints = [];
  });

  it('asks for the control token, and keeps it out of every address', async () => {
    const controlToken = 'a-token-of-enough-length';
    const { context, open, origin } = await bench({}, {}, { controlToken });
    const addresses: string[] = [];
    context.on('request', (request) => addresses.push(request.url()));
    const page = await open();
    await page.getByRole('textbox', { name: 'Control token' }).fill('not-the-right-token');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('This token is not the one of this sandbox.').waitFor();
    await page.getByRole('textbox', { name: 'Control token' }).fill(controlToken);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('Nothing was bought yet.').waitFor();
    await page.locator('.live.good').waitFor();
    const other = await open('#clients');
    await other.getByRole('heading', { name: 'client_default' }).waitFor();
    expect(addresses.join()).not.toContain(controlToken);
    expect(await page.content()).not.toContain(controlToken);
    expect(addresses.every((address) => address.startsWith(origin))).toBe(true);
    expect(complaints.every((text) => text.includes('401'))).toBe(true);
    complaints = [];
  });

  it('changes clients, their keys and their conditions', async () => {
    const { sandbox, open } = await bench();
    const { secretKey } = sandbox.credentials;
    const page = await open('#clients?client=client_default');
    await page.getByRole('button', { name: 'Suspend client_default' }).click();
    await page.getByText('suspended', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rotate key of client_default' }).click();
    await notice(page, 'has a new secret key').waitFor();
    expect(sandbox.credentials.secretKey).not.toBe(secretKey);
    await page.getByLabel('Allowed IP addresses').fill('203.0.113.10, 203.0.113.11');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('allow-list', { exact: true }).waitFor();
    expect(sandbox.client().allowedIps).toEqual(['203.0.113.10', '203.0.113.11']);
  });

  it('says beside a form what is wrong, and in a message what a button could not do', async () => {
    const { sandbox, billpay, open } = await bench();
    const { reference } = await billpay.airtime.purchase(airtime);
    const page = await open('#webhooks');
    await page.getByLabel('URL of the receiver').fill('http://example.com/');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByRole('alert').getByText('https').waitFor();
    await page.goto(`${page.url().split('#')[0]}#sales`);
    await row(page, reference).waitFor();
    await page.route('**/settle', (route) =>
      route.fulfill({ status: 400, json: { detail: 'reference: is final' } }),
    );
    await page.getByRole('button', { name: `Fail ${reference}` }).click();
    await notice(page, 'reference: is final').waitFor();
    expect(sandbox.transaction(reference)?.status).toBe('pending');
    complaints = complaints.filter((text) => !text.includes('400'));
  });

  it('can be used by keyboard alone, with the focus in sight and in its place', async () => {
    const { billpay, sandbox, open } = await bench();
    const { reference } = await billpay.airtime.purchase(airtime);
    const page = await open('#sales');
    await row(page, reference).waitFor();
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        if (!(element instanceof HTMLElement)) return undefined;
        const { outlineStyle } = getComputedStyle(element);
        return { text: element.textContent, outline: outlineStyle };
      });
    const tabTo = async (text: string) => {
      for (let press = 0; press < 60; press++) {
        await page.keyboard.press('Tab');
        const now = await focused();
        expect([now?.text, now?.outline]).not.toEqual([now?.text, 'none']);
        if (now?.text === text) return;
      }
      throw new Error(`Tab never reached ${text}`);
    };
    await tabTo(reference);
    await page.keyboard.press('Enter');
    await details(page).getByText('Life of this sale').waitFor();
    const other = await billpay.airtime.purchase(airtime);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect((await focused())?.text).toBe(reference);
    await tabTo('Succeed');
    await page.keyboard.press('Space');
    await expect.poll(() => sandbox.transaction(reference)?.status).toBe('success');
    await row(page, reference).locator('.badge.good').waitFor();
    // The button is gone with the state that it was for: its row keeps the focus.
    expect((await focused())?.text).toBe(reference);
    await tabTo('Copy as curl');
    await page.getByRole('searchbox').focus();
    await row(page, other.reference).waitFor();
  });

  it('cannot be posted to, read or framed by a page from elsewhere', async () => {
    const { billpay, origin, sandbox, open } = await bench();
    const { reference } = await billpay.airtime.purchase(airtime);
    const elsewhere = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end(`<iframe src="${origin}/"></iframe>`),
    );
    elsewhere.listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    cleanups.push(() => elsewhere.close());
    const address = elsewhere.address();
    if (typeof address !== 'object' || address === null) throw new Error('no port');
    const page = await open();
    await page.goto(`http://127.0.0.1:${address.port}/`);
    const outcomes = await page.evaluate(
      async ([target, path, body]) => {
        const attempt = (to: string, init: RequestInit) =>
          fetch(`${target}${to}`, init).then(
            (response) => (response.type === 'opaque' ? 'opaque' : String(response.status)),
            () => 'refused',
          );
        const json = { 'content-type': 'application/json' };
        return Promise.all([
          attempt(path, { method: 'POST', body, mode: 'no-cors' }),
          attempt(path, { method: 'POST', body, headers: json }),
          attempt('/_sandbox/clients', {}),
          attempt('/_sandbox/clients', { mode: 'no-cors' }),
        ]);
      },
      [origin, `/_sandbox/transactions/${reference}/settle`, JSON.stringify({ outcome: 'success' })] as const,
    );
    expect(outcomes.slice(1, 3)).toEqual(['refused', 'refused']);
    expect(sandbox.transaction(reference)?.status).toBe('pending');
    expect(page.frames()[1]?.url()).not.toBe(`${origin}/`);
    expect(complaints.join('\n')).toMatch(/frame-ancestors|CORS/);
    complaints = [];
  });

  it.each([
    ['light, 1440 px', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
    ['dark, 1024 px', { colorScheme: 'dark', viewport: { width: 1024, height: 768 } }],
    ['dark, 390 px', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
  ] as const)('has nothing that axe objects to, and no sideways scrolling: %s', async (_, look) => {
    const { billpay, sandbox, open } = await bench({ clock: 'manual' }, look);
    const page = await open();
    const problems: unknown[] = [];
    const check = async (where: string) => {
      await page.evaluate(axeSource);
      const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
      for (const { id, help, nodes } of violations) problems.push([where, id, help, nodes[0]?.html]);
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (sideways > 0) problems.push([where, 'scrolls sideways', sideways]);
    };
    await page.getByText('Nothing was bought yet.').waitFor();
    await check('empty');
    const { url } = await receiver(500, 200);
    await billpay.webhooks.subscribe({ url });
    const { reference } = await billpay.electricity.purchase(meter);
    await sandbox.settle(reference, 'success');
    const failed = await billpay.airtime.purchase({
      ...airtime,
      recipient: '9'.repeat(60),
      amount: 12_345.67,
    });
    await sandbox.settle(failed.reference, 'failed');
    await billpay.airtime.purchase({ ...airtime, amount: 200_000 }).catch(() => undefined);
    await billpay.airtime.purchase(airtime);
    sandbox.faults.add({ when: 'after', status: 500, times: Number.POSITIVE_INFINITY });
    for (const tab of ['sales', 'webhooks', 'requests', 'wallet', 'faults', 'clients']) {
      await page.goto(`${page.url().split('#')[0]}#${tab}`);
      await page.locator('.banner').waitFor();
      if (['sales', 'webhooks', 'requests'].includes(tab)) {
        await page.locator('tbody .disclosure').last().click();
        await details(page).locator('.panel').waitFor();
      }
      await check(tab);
    }
    await page.getByRole('button', { name: /^Books balance/ }).click();
    await check('audit');
    expect(problems).toEqual([]);
  });
});
