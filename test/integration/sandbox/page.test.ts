import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
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
import { serve } from '../../support/serve.js';
import { freePort } from '../../support/sockets.js';
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
    const { baseUrl, connection } = listening;
    const billpay = new BillPay({ ...connection, maxRetries: 0, logLevel: 'off' });
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
    const origin = await serve(async (request, response) => {
      received.push({ body: await text(request), headers: request.headers });
      response.writeHead(statuses.shift() ?? 200).end();
    });
    return { url: `${origin}/hooks`, received };
  }

  const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500 };
  const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid', amount: 5000 } as const;
  const topRow = (page: Page) => page.locator('a.row .unseen').first().textContent();
  /** Many transactions, without a port in between. */
  const buyInProcess = async (sandbox: Sandbox, count: number) => {
    const billpay = new BillPay(sandbox.connection);
    for (let at = 0; at < count; at++)
      await billpay.airtime.purchase({ ...airtime, idempotency_key: `k-${at}` });
  };
  /** The row of a transaction, a delivery or a request: the link that opens it is called after it. */
  const row = (page: Page, name: string) =>
    page.locator('tbody tr').filter({ has: page.locator('a.row .unseen', { hasText: name }) });
  const drawer = (page: Page) => page.locator('.drawer');
  const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
  const notice = (page: Page, text: string) => page.locator('.notices', { hasText: text });

  it('leads from nothing to a failed and redelivered purchase on a phone', async () => {
    const { sandbox, open } = await bench({}, { viewport: { width: 390, height: 844 } });
    const { url, received } = await receiver();
    const page = await open();
    await page.getByText('Nothing was bought yet.').waitFor();

    await page.getByLabel('URL of the receiver').fill(url);
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText('Verify its webhooks with this secret').waitFor();
    const secret = (await page.locator('.result .value code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);

    await page.locator('select[name=product]').selectOption('electricity');
    await page.getByRole('button', { name: 'Validate', exact: true }).click();
    await page.getByText('Confirmed:').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Buy electricity' }).click();
    await page.locator('.result', { hasText: '202 PROCESSING' }).waitFor();
    const reference = sandbox.transactions[0]?.reference ?? '';
    await page.locator('.result').getByRole('link', { name: reference }).click();
    await drawer(page).getByText('Timeline').waitFor();

    await drawer(page)
      .getByRole('button', { name: `Fail ${reference}` })
      .click();
    await drawer(page).locator('.summary .badge.bad', { hasText: 'Failed' }).waitFor();
    for (const step of ['Debited 500 NGN', 'Settled as failed', 'Refunded 500 NGN', 'Webhook sent: 200']) {
      await drawer(page).locator('.life', { hasText: step }).waitFor();
    }
    await drawer(page).getByRole('button', { name: 'Redeliver' }).click();
    await drawer(page).getByText('Webhook sent again: 200').waitFor();
    expect(received).toHaveLength(2);
    for (const { body, headers } of received) {
      expect(verifyWebhook({ body, headers, secret })).toMatchObject({ event: 'transaction.failed' });
    }
  });

  it.each(['airtime', 'data', 'tv', 'electricity', 'edu'])(
    'buys %s with what the form holds, and shows the call in place of the button: TypeScript, then curl',
    async (product) => {
      const { sandbox, open } = await bench();
      const page = await open();
      await page.locator('select[name=product]').selectOption(product);
      const button = page.getByRole('button', { name: /^Buy \w+$/ });
      await button.click();
      await page.locator('.result .badge.good', { hasText: '202 PROCESSING' }).waitFor();
      expect(await button.count()).toBe(0);
      const code = await page.locator('.result pre').allTextContents();
      expect(code[0]).toContain(`await billpay.${product}.purchase({`);
      expect(code[1]).toMatch(/^curl '/);
      expect(sandbox.transactions.map((transaction) => transaction.product)).toEqual([product]);
      expect(sandbox.audit().ok).toBe(true);
      await page.getByRole('button', { name: 'Send again with the same key' }).click();
      await expect.poll(() => sandbox.requests.length).toBe(2);
      expect(sandbox.transactions).toHaveLength(1);
      await page.getByRole('button', { name: 'Done' }).click();
      await button.waitFor();
    },
  );

  it('says in the row of a trigger what it did', async () => {
    const { sandbox, open } = await bench();
    const page = await open();
    const trigger = (recipient: string) => page.locator('.rows > li', { hasText: recipient });
    await trigger('08000000005').getByRole('button', { name: /^Buy/ }).click();
    await trigger('08000000005').getByText('only the sandbox knows what was bought').waitFor();
    const reference = sandbox.transactions[0]?.reference ?? 'none';
    await trigger('08000000005').getByRole('link', { name: reference }).waitFor();
    await trigger('08000000003').getByRole('button', { name: /^Buy/ }).click();
    await trigger('08000000003').getByText('503 PROVIDER_UNAVAILABLE').last().waitFor();
    await trigger('08000000003').getByText('Nothing was bought.').waitFor();
    await trigger('08000000004')
      .getByRole('button', { name: /^Validate/ })
      .click();
    await trigger('08000000004').getByText('422 VERIFICATION_FAILED').last().waitFor();
    // One line says that purchases have arrived, while the forms stay where they are.
    await page.locator('.latest', { hasText: '2 purchases so far.' }).waitFor();
    complaints = [];
  });

  it('shows a refused purchase as a row with what it failed for, counted in red on its tab', async () => {
    const { sandbox, billpay, open } = await bench();
    const { reference } = await billpay.airtime.purchase(airtime);
    await billpay.airtime.purchase({ ...airtime, amount: 200_000 }).catch(() => undefined);
    await sandbox.fetch(`${sandbox.baseUrl}/airtime/purchase`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sandbox.credentials.secretKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        client_id: sandbox.credentials.clientId,
        ...airtime,
        amount: -5,
        idempotency_key: 'k',
      }),
    });
    const page = await open();
    await page.getByRole('link', { name: 'Purchases, 2 refused' }).waitFor();
    expect(await page.title()).toContain('Purchases, 2 refused');
    const rows = await page.locator('tbody tr').allTextContents();
    expect(rows[0]).toMatch(/^Refused.*422 VALIDATION_FAILED: amount: /);
    expect(rows[1]).toMatch(/^Refused.*402 INSUFFICIENT_BALANCE: /);
    expect(rows[2]).toContain(reference);
    await page.getByLabel('State').selectOption('refused');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    await page.locator('tbody tr').first().locator('td.amount').click();
    await drawer(page).getByText('"amount": -5').waitFor();
    await drawer(page)
      .getByRole('button', { name: /^Copy as TypeScript/ })
      .waitFor();
  });

  it('asks for nothing while nothing happens, and for what it shows when something did', async () => {
    const { sandbox, context, open } = await bench({ balance: 1_000_000 });
    await buyInProcess(sandbox, 300);
    const page = await open('#purchases');
    await page.locator('tbody tr').nth(49).waitFor();
    const reference = sandbox.transactions.at(-1)?.reference ?? '';
    await row(page, reference).click();
    await drawer(page).locator('.life').waitFor();

    const requests: string[] = [];
    await page.waitForTimeout(1000);
    context.on('request', (request) => requests.push(request.url().split('/_sandbox')[1] ?? ''));
    await page.waitForTimeout(2000);
    expect(requests).toEqual([]);
    await sandbox.settle(reference, 'success');
    await row(page, reference).locator('.badge.good').waitFor();
    await drawer(page).getByText('Settled as success').waitFor();
    expect(new Set(requests)).toEqual(
      new Set(['/summary', '/purchases?limit=50&offset=0', `/transactions/${reference}`]),
    );
  });

  it('shows a new purchase with the pointer anywhere, once it rests; the focus stays on its row', async () => {
    const { billpay, open } = await bench();
    const first = await billpay.airtime.purchase(airtime);
    const page = await open('#purchases');
    await row(page, first.reference).hover();
    const second = await billpay.airtime.purchase(airtime);
    await expect.poll(() => topRow(page)).toContain(second.reference);

    await page.locator('a.row', { hasText: first.reference }).focus();
    const third = await billpay.airtime.purchase(airtime);
    await expect.poll(() => topRow(page)).toContain(third.reference);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(first.reference);
  });

  it('holds new rows back while the pointer moves over the list', async () => {
    const { billpay, open } = await bench();
    const { reference } = await billpay.airtime.purchase(airtime);
    const page = await open('#purchases');
    // In the page itself, where its moves and the time that it must rest have one order.
    const moving = await page.evaluate(() => {
      const move = () =>
        document.querySelector('.list')?.dispatchEvent(new PointerEvent('pointermove', { bubbles: true }));
      move();
      return Number(setInterval(move, 20));
    });
    const read = page.waitForResponse((response) => response.url().includes('/purchases?'));
    const other = await billpay.airtime.purchase(airtime);
    await (await read).finished();
    await page.locator('nav a', { hasText: 'Purchases 2' }).waitFor();
    expect(await topRow(page)).toContain(reference);
    await page.evaluate((timer) => clearInterval(timer), moving);
    await expect.poll(() => topRow(page)).toContain(other.reference);
  });

  it('opens a transaction in a drawer with a link of its own, which Esc closes', async () => {
    const { billpay, context, open } = await bench();
    const { reference } = await billpay.airtime.purchase(airtime);
    const other = await billpay.airtime.purchase({ ...airtime, recipient: '08039999999' });
    const page = await open('#purchases?state=pending');
    // Anywhere in the row.
    await row(page, reference).locator('td.amount').click();
    await drawer(page).getByRole('heading', { name: reference }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#purchases?state=pending&open=${reference}`);
    await drawer(page).getByRole('button', { name: 'Copy link to this' }).click();
    await notice(page, 'Copied.').waitFor();
    const link = await copied(page);
    await expect.poll(() => page.title()).toBe(`${reference} · billpay sandbox`);
    await page.keyboard.press('Escape');
    await drawer(page).waitFor({ state: 'detached' });
    expect(new URL(page.url()).hash).toBe('#purchases?state=pending');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(reference);

    const second = await context.newPage();
    await second.goto(link);
    await drawer(second).getByText('Debited 500 NGN').waitFor();
    // Another one takes its place, and "back" leads to the first.
    await row(second, other.reference).locator('td.reference').click();
    await drawer(second).getByRole('heading', { name: other.reference }).waitFor();
    await second.goBack();
    await drawer(second).getByRole('heading', { name: reference }).waitFor();
  });

  it('says in the drawer that what a link leads to is gone', async () => {
    const { billpay, open } = await bench();
    await billpay.airtime.purchase(airtime);
    const page = await open('#purchases?open=TXN-OF-YESTERDAY');
    await drawer(page).getByText('There is no transaction TXN-OF-YESTERDAY').waitFor();
    complaints = complaints.filter((text) => !text.includes('404'));
  });

  it('opens the transaction of a movement of the wallet; a funding has none', async () => {
    const { sandbox, billpay, open } = await bench();
    const { reference } = await billpay.airtime.purchase(airtime);
    await sandbox.settle(reference, 'failed');
    sandbox.client().fund(1);
    const page = await open('#wallet');
    const movement = (name: string) => page.locator('tbody tr', { hasText: name });
    await movement('Funding').first().locator('td.amount').click();
    expect(new URL(page.url()).hash).toBe('#wallet');
    for (const name of ['Debit', 'Refund']) {
      await movement(name).locator('td.amount').click();
      await drawer(page).getByRole('heading', { name: reference }).waitFor();
      expect(await page.locator('tr.open').count()).toBe(2);
      await page.keyboard.press('Escape');
      await drawer(page).waitFor({ state: 'detached' });
    }
    await page.locator('.top .balance', { hasText: '100,001.00' }).waitFor();
    await page.getByRole('button', { name: 'Fund', exact: true }).click();
    await page.locator('.top .balance', { hasText: '110,001.00' }).waitFor();
  });

  it('counts on its tabs, retries all that fail, and shows what the receiver replied', async () => {
    const { sandbox, billpay, open } = await bench();
    const statuses = [503, 503, 200, 200];
    sandbox.webhooks.subscribe({
      handler: () => new Response('the database is down', { status: statuses.shift() ?? 200 }),
    });
    for (let at = 0; at < 2; at++) {
      const { reference } = await billpay.airtime.purchase(airtime);
      await sandbox.settle(reference, 'success');
    }
    const page = await open('#webhooks');
    await page.getByRole('link', { name: 'Webhooks, 2 failing' }).waitFor();
    await page.getByRole('link', { name: 'Purchases 2' }).waitFor();
    await expect.poll(() => page.title()).toBe('Webhooks, 2 failing · billpay sandbox');
    await page.locator('.badge.bad', { hasText: '503: the database is down, again in' }).first().waitFor();
    await page.getByRole('button', { name: 'Retry all failing' }).click();
    await notice(page, 'Sent 2 webhooks again: the receiver accepted 2.').waitFor();
    await page.getByRole('link', { name: 'Webhooks 2' }).waitFor();
    expect(await page.getByRole('button', { name: 'Retry all failing' }).count()).toBe(0);
  });

  it('says what to do where nothing listens, and makes the next retry', async () => {
    const { sandbox, billpay, open } = await bench();
    const port = await freePort();
    sandbox.webhooks.subscribe({ url: `http://127.0.0.1:${port}/hooks` });
    const { reference } = await billpay.airtime.purchase(airtime);
    await sandbox.settle(reference, 'success');
    const page = await open('#purchases');
    await row(page, reference)
      .locator('td.why', { hasText: `nothing listens on port ${port}, again in` })
      .waitFor();
    await row(page, reference).click();
    await drawer(page).getByText(`Nothing listens on port ${port}: start your receiver`).waitFor();
    await drawer(page)
      .getByRole('button', { name: /^Retry now/ })
      .click();
    await expect.poll(() => sandbox.deliveries[0]?.attempts.length).toBe(2);
    await drawer(page).getByText('Webhook retry 1').waitFor();
  });

  it('shows a paused clock, and advances it', async () => {
    const { sandbox, billpay, open } = await bench({ clock: 'manual', settleAfter: '1s' });
    await billpay.airtime.purchase(airtime);
    const page = await open('#requests');
    await page.getByText('clock paused, next event in 1 s').waitFor();
    await page.getByRole('button', { name: 'Advance the clock to the next event' }).click();
    await page.getByText('clock paused, nothing is due').waitFor();
    expect(sandbox.transactions[0]?.status).toBe('success');
  });

  it('shows tokens and keys whole, and what callers send as text', async () => {
    const { sandbox, billpay, open } = await bench();
    const evil = '<img src=x onerror="document.title=1">';
    await billpay.airtime.purchase({ ...airtime, recipient: evil, idempotency_key: evil });
    const { reference } = await billpay.electricity.purchase(meter);
    await sandbox.settle(reference, 'success');
    const token = sandbox.transaction(reference)?.token ?? 'none';
    const page = await open('#purchases');
    await row(page, reference).click();
    await drawer(page).getByText(token).first().waitFor();
    await drawer(page).getByRole('button', { name: 'Copy token' }).click();
    await expect.poll(() => copied(page)).toBe(token);
    expect(await page.locator('img').count()).toBe(0);
    await page.goto(`${page.url().split('#')[0]}#settings`);
    await page.getByText(sandbox.credentials.secretKey).waitFor();
    expect(await page.title()).not.toBe('1');
  });

  it('shows an active fault on every tab until it is turned off', async () => {
    const { sandbox, billpay, open } = await bench();
    const page = await open('#settings');
    await page.getByLabel('What goes wrong').selectOption('500 after processing');
    await page.getByLabel('How often').selectOption('Until turned off');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('link', { name: 'Wallet' }).click();
    const banner = page.locator('.banner', { hasText: 'Fault on: all purchases are processed, but get 500' });
    await banner.getByText('used 0 times').waitFor();
    await expect(billpay.airtime.purchase(airtime)).rejects.toMatchObject({ status: 500 });
    await banner.getByText('used 1 time').waitFor();
    await page.getByRole('button', { name: /^Turn off/ }).click();
    await banner.waitFor({ state: 'detached' });
    expect(sandbox.faults.active).toEqual([]);
    sandbox.faults.add({ status: 503 });
    sandbox.faults.add({ status: 500 });
    await page.locator('.banner', { hasText: '2 faults on: the next call gets 503' }).waitFor();
    await page.getByRole('button', { name: 'Turn off all faults' }).click();
    await page.locator('.banner').waitFor({ state: 'detached' });
    expect(sandbox.faults.active).toEqual([]);
  });

  it('moves a manual clock, says that a real one runs by itself, and begins anew', async () => {
    const real = await bench();
    await (await real.open('#settings')).getByText('The clock runs by itself.').waitFor();
    const { sandbox, billpay, open } = await bench({ clock: 'manual', settleAfter: '1h' });
    const { reference } = await billpay.airtime.purchase(airtime);
    const page = await open('#settings');
    await page.getByRole('button', { name: '+ 15m: advance the clock' }).click();
    expect(sandbox.transaction(reference)?.status).toBe('pending');
    await page.getByRole('button', { name: 'Advance to the next event' }).click();
    await expect.poll(() => sandbox.transaction(reference)?.status).toBe('success');
    await page.getByText('none is scheduled').waitFor();
    const second = await billpay.airtime.purchase(airtime);
    const third = await billpay.airtime.purchase({ ...airtime, recipient: '08039999999' });
    await page.getByLabel('Advance by').fill('1h');
    await page.getByRole('button', { name: 'Advance', exact: true }).click();
    await expect.poll(() => sandbox.transaction(second.reference)?.status).toBe('success');
    await page.getByRole('button', { name: 'Run until idle' }).click();
    await expect.poll(() => sandbox.transaction(third.reference)?.status).toBe('success');
    await page.getByRole('button', { name: 'Reset the sandbox' }).click();
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await notice(page, 'set back to the beginning').waitFor();
    expect(sandbox.transactions).toEqual([]);
  });

  it('searches, filters and shows more, and keeps the client over a reload', async () => {
    const clients = [{ clientId: 'shop' }, { clientId: 'other', balance: 0 }];
    const { sandbox, billpay, open } = await bench({ clients, balance: 1_000_000 });
    await buyInProcess(sandbox, 260);
    const { reference } = await billpay.electricity.purchase(meter);
    const page = await open('#purchases');
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(50);
    await page.locator('.filters .count', { hasText: '50 of 261' }).waitFor();
    await page.getByRole('button', { name: 'Show 200 more' }).click();
    await expect.poll(() => rows.count()).toBe(250);
    await page.getByRole('button', { name: 'Show 200 more' }).click();
    await page.locator('.filters .count', { hasText: '261 of 261' }).waitFor();
    const search = page.getByRole('searchbox');
    for (const [text, count] of [
      ['0124000952992', 1],
      ['k-25', 11],
      ['0803 9999999', 0],
    ] as const) {
      await page.keyboard.press('/');
      await search.fill(text);
      await expect.poll(() => rows.count()).toBe(count);
    }
    await search.fill(reference.slice(4).toLowerCase());
    await row(page, reference).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    // A new purchase that does not match stays out.
    await billpay.airtime.purchase(airtime);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows.count()).toBe(50);
    expect(await search.inputValue()).toBe('');
    expect(new URL(page.url()).hash).toBe('#purchases');

    await page.getByLabel('Client').selectOption('other');
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('link', { name: 'Wallet' }).click();
    await page.getByText('Ledger of other').first().waitFor();
    await page.reload();
    await page.getByText('Ledger of other').first().waitFor();
    expect(await page.getByLabel('Client').first().inputValue()).toBe('other');
    sandbox.client('other').fund(12.5);
    await page.locator('.ledger tr', { hasText: 'Funding' }).getByText('+NGN 12.50').waitFor();
  });

  it('shows a request with its warnings and both values, copies it and sends it again', async () => {
    const { sandbox, billpay, origin, open } = await bench();
    await billpay.airtime.purchase({ ...airtime, idempotency_key: 'order-1' });
    await billpay.airtime
      .purchase({ ...airtime, recipient: '08039999999', idempotency_key: 'order-1' })
      .catch(() => undefined);
    const page = await open('#requests');
    const repeated = row(page, 'request 2:');
    await repeated.getByText('nothing new was bought').waitFor();
    await repeated.getByText('recipient: 08031234567 was bought, 08039999999 was asked for').waitFor();
    await repeated.hover();
    await repeated.getByRole('button', { name: /^Copy as curl/ }).click();
    await notice(page, 'Copied.').waitFor();
    const curl = await copied(page);
    expect(curl).toContain(`curl '${origin}/api/v1/airtime/purchase'`);
    expect(curl).toContain(`Bearer ${sandbox.credentials.secretKey}`);
    await repeated.getByRole('button', { name: /^Copy as TypeScript/ }).click();
    await expect.poll(() => copied(page)).toContain('await billpay.airtime.purchase({');
    expect(await copied(page)).toContain("idempotency_key: 'order-1'");
    expect(await copied(page)).not.toContain(sandbox.credentials.secretKey);
    await repeated.locator('td.call').click();
    await drawer(page).getByRole('button', { name: /^Send/ }).click();
    await notice(page, 'Sent again: 202 PROCESSING.').waitFor();
    expect(sandbox.requests).toHaveLength(3);
    expect(sandbox.transactions).toHaveLength(1);
    await drawer(page).getByRole('link', { name: /^TXN-/ }).click();
    await drawer(page).getByText('08039999999 was asked for').first().waitFor();
    await page.goto(`${origin}/#purchases`);
    await page.getByText('Try it').click();
    await page.getByRole('button', { name: 'Copy: .env' }).click();
    await expect.poll(() => copied(page)).toContain(`BILLPAY_API_KEY=${sandbox.credentials.secretKey}`);
  });

  it('shows a failing delivery red with its next attempt, and a redelivery that failed stays red', async () => {
    const { sandbox, billpay, open } = await bench({ clock: 'manual' });
    const { url } = await receiver(500, 500, 200, 500);
    await billpay.webhooks.subscribe({ url });
    const { reference } = await billpay.airtime.purchase(airtime);
    await sandbox.settle(reference, 'success');
    const page = await open('#webhooks');
    const line = row(page, reference);
    const state = (text: RegExp) => line.locator('.badge.bad', { hasText: text });
    await state(/^500, again in 1 min$/).waitFor();
    await line.hover();
    await line.getByRole('button', { name: /^Retry/ }).click();
    await notice(page, 'the receiver did not accept it, 500').waitFor();
    await line.locator('td.sent', { hasText: '2' }).waitFor({ state: 'attached' });
    await state(/^500, again in 5 min$/).waitFor();
    await line.locator('td.event').click();
    await drawer(page).getByRole('button', { name: 'Redeliver' }).click();
    await line.locator('.badge.good', { hasText: /^200$/ }).waitFor();
    await drawer(page).getByRole('button', { name: 'Redeliver' }).click();
    await state(/^delivered before, then 500$/).waitFor();
    await drawer(page).getByRole('button', { name: 'Send with a bad signature' }).click();
    await drawer(page).getByText('(wrong signature)').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Receiver', { exact: true }).selectOption('1');
    await page.getByText('Nothing matches these filters.').waitFor();
  });

  it('says that a lost response was never received, and puts the debit after the request that caused it', async () => {
    const { sandbox, billpay, open } = await bench();
    await billpay.airtime.purchase({ ...airtime, recipient: '08000000005' }).catch(() => undefined);
    const page = await open('#purchases');
    await row(page, sandbox.transactions[0]?.reference ?? '').click();
    await drawer(page).getByText('202 PROCESSING, never received by the caller').waitFor();
    const steps = await drawer(page).locator('.life > li > span:not(.actions)').allTextContents();
    expect(steps.map((text) => text.split(':')[0])).toEqual(['airtime.purchase', 'Debited 500 NGN']);
    const time = await drawer(page).locator('.life time').first().textContent();
    expect(time).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/);
  });

  it('audits when it is asked to', async () => {
    const { sandbox, billpay, context, open } = await bench();
    const { reference } = await billpay.airtime.purchase(airtime);
    await sandbox.settle(reference, 'failed');
    const audits: string[] = [];
    context.on('request', (request) => {
      if (request.url().endsWith('/audit')) audits.push(request.url());
    });
    const page = await open();
    expect(audits).toEqual([]);
    await page.getByRole('button', { name: 'Audit' }).click();
    await page.getByRole('dialog').getByText('The books balance.').waitFor();
    await page.getByRole('dialog').getByText('NGN 500.00').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('shows a lost connection and a restarted sandbox, and recovers from both', async () => {
    const { sandbox, listening, open } = await bench();
    const page = await open('#wallet');
    await listening.close();
    await page.locator('.connection.bad', { hasText: 'No connection' }).waitFor();
    await page.getByText('The sandbox cannot be reached.').waitFor();
    sandbox.client().fund(1);
    await sandbox.listen({ port: listening.port });
    await page.locator('.connection', { hasText: 'Connected' }).waitFor();
    await page.locator('.top .balance', { hasText: '100,001.00' }).waitFor();
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
    await page.locator('.connection', { hasText: 'Connected' }).waitFor();
    const other = await open('#settings');
    await other.getByRole('heading', { name: 'client_default' }).waitFor();
    expect(addresses.join()).not.toContain(controlToken);
    expect(await page.content()).not.toContain(controlToken);
    expect(addresses.every((address) => address.startsWith(origin))).toBe(true);
    expect(complaints.every((text) => text.includes('401'))).toBe(true);
    complaints = [];
  });

  it('changes the conditions of a client and its key', async () => {
    const { sandbox, open } = await bench();
    const { secretKey } = sandbox.credentials;
    const page = await open('#settings');
    await page.getByRole('button', { name: 'Suspend client_default' }).click();
    await page.getByText('suspended', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rotate key of client_default' }).click();
    await notice(page, 'has a new secret key').waitFor();
    expect(sandbox.credentials.secretKey).not.toBe(secretKey);
    await page.getByText(sandbox.credentials.secretKey).waitFor();
    await page.getByRole('button', { name: 'Restrict client_default' }).click();
    await page.getByText('not verified', { exact: true }).waitFor();
    expect(sandbox.client()).toMatchObject({ suspended: true, verified: false });
  });

  it('says beside a form what is wrong, and in a message what a button could not do', async () => {
    const { sandbox, billpay, open } = await bench();
    const { reference } = await billpay.airtime.purchase(airtime);
    const page = await open('#webhooks');
    await page.getByLabel('URL of the receiver').fill('http://example.com/');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByRole('alert').getByText('https').waitFor();
    await page.goto(`${page.url().split('#')[0]}#purchases`);
    await row(page, reference).waitFor();
    await page.route('**/settle', (route) =>
      route.fulfill({ status: 400, json: { detail: 'reference: is final' } }),
    );
    await row(page, reference).hover();
    await page.getByRole('button', { name: `Fail ${reference}` }).click();
    await notice(page, 'reference: is final').waitFor();
    expect(sandbox.transaction(reference)?.status).toBe('pending');
    complaints = complaints.filter((text) => !text.includes('400'));
  });

  it('can be used by keyboard alone: Enter moves the focus into the detail, Escape back to the row', async () => {
    const { billpay, sandbox, open } = await bench();
    const { reference } = await billpay.airtime.purchase(airtime);
    const page = await open('#purchases');
    await row(page, reference).waitFor();
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        if (!(element instanceof HTMLElement)) return undefined;
        const { outlineStyle } = getComputedStyle(element);
        return { text: element.ariaLabel ?? element.textContent, outline: outlineStyle };
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
    await tabTo(`Pending ${reference}`);
    await page.keyboard.press('Enter');
    await drawer(page).getByText('Timeline').waitFor();
    expect((await focused())?.text).toBe(reference);
    await tabTo('Copy as curl: request 1');
    await page.keyboard.press('Escape');
    expect((await focused())?.text).toBe(`Pending ${reference}`);
    await tabTo(`Succeed ${reference}`);
    await page.keyboard.press('Space');
    await expect.poll(() => sandbox.transaction(reference)?.status).toBe('success');
    await row(page, reference).locator('.badge.good').waitFor();
    // The button is gone with the state that it was for: its row keeps the focus.
    expect((await focused())?.text).toBe(`Success ${reference}`);
  });

  it('cannot be posted to, read or framed by a page from elsewhere', async () => {
    const { billpay, origin, sandbox, open } = await bench();
    const { reference } = await billpay.airtime.purchase(airtime);
    const elsewhere = await serve((_, response) =>
      response.setHeader('content-type', 'text/html').end(`<iframe src="${origin}/"></iframe>`),
    );
    const page = await open();
    await page.goto(`${elsewhere}/`);
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
    ['dark, 900 px', { colorScheme: 'dark', viewport: { width: 900, height: 768 } }],
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
    /** Rows of one line from 720 px on, the first one in the first screen, and targets of 24 px and more. */
    const checkFit = async (where: string) => {
      const {
        row: first,
        small,
        tabLines,
      } = await page.evaluate(() => {
        const {
          height = 0,
          top = 0,
          bottom = 0,
        } = document.querySelector('tbody tr')?.getBoundingClientRect() ?? {};
        const targets = [...document.querySelectorAll<HTMLElement>('button, select, input, nav a, a.row')];
        const tabs = [...document.querySelectorAll<HTMLElement>('nav a')].map(({ offsetTop }) => offsetTop);
        const isSmall = ({ offsetHeight: tall, offsetWidth: wide }: HTMLElement) =>
          tall > 0 && (tall < 24 || wide < 24);
        return {
          row: { height, top, bottom },
          small: targets.filter(isSmall).map(({ outerHTML }) => outerHTML),
          tabLines: new Set(tabs).size,
        };
      });
      if (look.viewport.width >= 720 && first.height > 40)
        problems.push([where, 'row of several lines', first]);
      if (first.top <= 0 || first.bottom > look.viewport.height)
        problems.push([where, 'row out of sight', first]);
      if (look.viewport.width >= 900 && tabLines > 1) problems.push([where, 'tabs on several lines']);
      if (small.length > 0) problems.push([where, 'small targets', small]);
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
    sandbox.faults.add({ when: 'after', status: 500, times: 'always' });
    for (const tab of ['purchases', 'webhooks', 'requests', 'wallet', 'settings']) {
      await page.goto(`${page.url().split('#')[0]}#${tab}`);
      await page.locator('.banner').waitFor();
      if (['purchases', 'webhooks', 'requests'].includes(tab)) {
        await check(`${tab}, the list`);
        await checkFit(tab);
        await page.locator('a.row').last().click();
        await drawer(page).locator('dl').waitFor();
      }
      await check(tab);
    }
    await page.goto(`${page.url().split('#')[0]}#purchases`);
    if (look.viewport.width > 720) {
      await page.getByRole('button', { name: 'Audit' }).click();
      await check('audit');
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: 'Try it' }).click();
    await check('try it');
    await page.getByRole('dialog').getByRole('button', { name: 'Buy airtime' }).click();
    await page.locator('.result').waitFor();
    await check('the result of a purchase');
    // The fault was meant.
    complaints = complaints.filter((text) => !text.includes('500'));
    expect(problems).toEqual([]);
  });
});
