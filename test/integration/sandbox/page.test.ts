import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BillPay } from '../../../src/index.js';
import {
  createSandbox,
  type Listening,
  type Sandbox,
  type SandboxOptions,
} from '../../../src/sandbox/index.js';
import { verifyWebhook } from '../../../src/webhooks/index.js';
import { chromiumPath, launchChromium, needsChromium } from './chromium.js';

/** The page as a person meets it: a real Chromium, the client over a port, a receiver of its own. */
describe.skipIf(chromiumPath === undefined)(`the console page in Chromium${needsChromium}`, () => {
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

  interface Desk {
    readonly sandbox: Sandbox;
    readonly listening: Listening;
    readonly billpay: BillPay;
    readonly origin: string;
    readonly page: Page;
  }

  async function desk(options: SandboxOptions = {}, look: BrowserContextOptions = {}): Promise<Desk> {
    const sandbox = createSandbox({ settleAfter: 'manual', ...options });
    cleanups.push(() => sandbox.close());
    const listening = await sandbox.listen();
    const { baseUrl } = listening;
    const { secretKey: apiKey, clientId } = sandbox.credentials;
    const billpay = new BillPay({ apiKey, clientId, baseUrl, maxRetries: 0, logLevel: 'off' });
    const { origin } = new URL(baseUrl);
    const context = await browser.newContext(look);
    cleanups.push(() => context.close());
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(`${origin}/`);
    await page.locator('#live.good').waitFor();
    return { sandbox, listening, billpay, origin, page };
  }

  interface Received {
    readonly body: string;
    readonly headers: NodeJS.Dict<string | string[]>;
  }

  async function receiver(): Promise<{ url: string; received: Received[] }> {
    const received: Received[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      received.push({ body, headers: request.headers });
      response.end();
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
  const row = (page: Page, text: string) => page.locator('tr:not(.panel)', { hasText: text });

  it('shows a purchase without reload, settles it by a button, and shows its webhook delivered', async () => {
    const { sandbox, billpay, page } = await desk();
    const { url, received } = await receiver();
    const { secret } = await billpay.webhooks.subscribe({ url });
    await page.evaluate(() => {
      document.title = 'not reloaded';
    });

    const { reference } = await billpay.electricity.purchase({ ...meter, idempotency_key: 'order-1' });
    const line = page.locator('#transactions tr:not(.panel)', { hasText: reference });
    await line.locator('.wait', { hasText: 'pending' }).waitFor();
    expect(await page.locator('#balance').textContent()).toBe('95,000.00');

    await line.getByRole('button', { name: 'Succeed' }).click();
    await line.locator('.good', { hasText: 'success' }).waitFor();
    const delivery = page.locator('#deliveries tr:not(.panel)', { hasText: reference });
    await delivery.locator('.good', { hasText: 'delivered' }).waitFor();
    expect(sandbox.transaction(reference)?.status).toBe('success');
    const [{ body, headers }] = received as [Received];
    expect(verifyWebhook({ body, headers, secret })).toMatchObject({ event: 'transaction.completed' });

    await delivery.getByRole('button', { name: 'Redeliver' }).click();
    await delivery.getByText('2, last 200').waitFor();
    expect(received).toHaveLength(2);
    expect(await page.title()).toBe('not reloaded');
  });

  it('hides a token until it is asked for', async () => {
    const { sandbox, billpay, page } = await desk();
    const { reference } = await billpay.electricity.purchase(meter);
    await sandbox.settle(reference, 'success');
    await billpay.transactions.status(reference);
    const token = sandbox.transaction(reference)?.token ?? 'none';
    const line = page.locator('#transactions tr:not(.panel)', { hasText: reference });
    await line.locator('.disclosure').click();
    await page.locator('.panel dd', { hasText: '••••' }).waitFor();
    expect(await page.content()).not.toContain(token);
    await line.getByRole('button', { name: 'Show token' }).click();
    await page.locator('.panel dd', { hasText: token }).waitFor();
    await line.locator('.disclosure').click();
    await line.locator('.disclosure').click();
    await page.locator('.panel dd', { hasText: '••••' }).waitFor();

    const lookup = page.locator('#requests tr:not(.panel)', { hasText: '/transactions/status' });
    await lookup.locator('.disclosure').click();
    await page.locator('#requests .panel pre', { hasText: '"token": "••••' }).waitFor();
    await page.locator('#requests .panel').getByRole('button', { name: 'Show token' }).click();
    await page.locator('#requests .panel pre', { hasText: token }).waitFor();
  });

  it('shows what callers send as text, never as markup', async () => {
    const { billpay, page } = await desk();
    const evil = '<img src=x onerror="document.title=1">';
    await billpay.airtime.purchase({ ...airtime, recipient: evil, idempotency_key: evil });
    const line = row(page, evil.slice(0, 20)).first();
    await line.locator('.disclosure').click();
    await page.locator('.panel dd', { hasText: evil }).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('billpay sandbox');
  });

  it('turns faults on and off', async () => {
    const { sandbox, billpay, page } = await desk();
    await page.getByLabel('What goes wrong').selectOption('provider');
    await page.getByLabel('Calls').selectOption('airtime.purchase');
    await page.getByLabel('How often').selectOption('always');
    await page.getByRole('button', { name: 'Turn on' }).click();
    const fault = page.locator('#faults tr:not(.panel)');
    await fault.getByText('503 PROVIDER_UNAVAILABLE').waitFor();
    await expect(billpay.airtime.purchase(airtime)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    await fault.getByText('until off, met 1').waitFor();
    await fault.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('None: everything works.').waitFor();
    expect(sandbox.faults.active).toEqual([]);
    expect((await billpay.airtime.purchase(airtime)).status).toBe('pending');
  });

  it('moves a manual clock, and shows none that is real', async () => {
    const real = await desk();
    expect(await real.page.locator('#clock').isVisible()).toBe(false);
    const { sandbox, billpay, page } = await desk({ clock: 'manual', settleAfter: '1h' });
    const { reference } = await billpay.airtime.purchase(airtime);
    const before = await page.locator('#now').textContent();
    await page.getByRole('button', { name: '+ 1h' }).click();
    await row(page, reference).locator('.good', { hasText: 'success' }).waitFor();
    expect(sandbox.transaction(reference)?.status).toBe('success');
    expect(await page.locator('#now').textContent()).not.toBe(before);
  });

  it('shows the wallet of each client', async () => {
    const { page, sandbox } = await desk();
    await page.getByLabel('Client').selectOption('client_empty');
    await page.locator('#balance', { hasText: /^0\.00$/ }).waitFor();
    sandbox.client('client_empty').fund(12.5);
    await page.locator('#balance', { hasText: '12.50' }).waitFor();
    await page.locator('#ledger tr', { hasText: 'funding' }).waitFor();
  });

  it('copies what works when it is pasted', async () => {
    const { billpay, origin, page, sandbox } = await desk();
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole('button', { name: 'Copy a first purchase as curl' }).click();
    await page.locator('#said', { hasText: 'Copied.' }).waitFor();
    expect(await clipboard()).toContain(`curl '${origin}/api/v1/airtime/purchase'`);
    await page.getByRole('button', { name: 'Copy .env' }).click();
    await expect.poll(clipboard).toContain(`BILLPAY_API_KEY=${sandbox.credentials.secretKey}`);
    await billpay.airtime.purchase({ ...airtime, idempotency_key: 'pasted' });
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await expect.poll(clipboard).toContain('"idempotency_key":"pasted"');
  });

  it('says what went wrong with a button', async () => {
    const { billpay, page, sandbox } = await desk();
    const { reference } = await billpay.airtime.purchase(airtime);
    const line = page.locator('#transactions tr:not(.panel)', { hasText: reference });
    await line.waitFor();
    await page.route('**/_console/settle', (route) =>
      route.fulfill({ status: 400, body: 'reference: is final\n' }),
    );
    await line.getByRole('button', { name: 'Fail' }).click();
    await page.locator('#said', { hasText: 'reference: is final' }).waitFor();
    expect(sandbox.transaction(reference)?.status).toBe('pending');
    expect(complaints.join()).toMatch(/400/);
    complaints = [];
  });

  it('can be used by keyboard alone, with the focus in sight and in its place', async () => {
    const { billpay, page, sandbox } = await desk();
    const { reference } = await billpay.airtime.purchase(airtime);
    await row(page, reference).first().waitFor();
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        return element instanceof HTMLElement
          ? {
              text: element.textContent,
              outline: getComputedStyle(element).outlineStyle,
              tag: element.tagName,
            }
          : undefined;
      });
    const tabTo = async (text: string) => {
      for (let press = 0; press < 40; press++) {
        await page.keyboard.press('Tab');
        const now = await focused();
        expect(now?.outline).toBe('solid');
        if (now?.text === text) return;
      }
      throw new Error(`Tab never reached ${text}`);
    };

    await tabTo(reference);
    await page.keyboard.press('Enter');
    await page.locator('.panel', { hasText: 'What happened' }).waitFor();
    const disclosure = page.locator('#transactions .disclosure');
    expect(await disclosure.getAttribute('aria-expanded')).toBe('true');

    // Another purchase comes in above: the focus stays where it is.
    const other = await billpay.airtime.purchase(airtime);
    await row(page, other.reference).first().waitFor();
    expect((await focused())?.text).toBe(reference);

    await tabTo('Succeed');
    await page.keyboard.press('Space');
    await expect.poll(() => sandbox.transaction(reference)?.status).toBe('success');
    // The button is gone with the state that it was for; its row keeps the focus.
    await expect.poll(async () => (await focused())?.text).toBe(reference);
  });

  it('finds the sandbox again after the connection broke', async () => {
    const { listening, page, sandbox } = await desk();
    await listening.close();
    await page.locator('#live.bad', { hasText: 'no connection' }).waitFor();
    sandbox.client().fund(1);
    await sandbox.listen({ port: listening.port });
    await page.locator('#live.good', { hasText: 'live' }).waitFor();
    await page.locator('#balance', { hasText: '100,001.00' }).waitFor();
    expect(complaints.every((text) => text.includes('net::ERR_'))).toBe(true);
    complaints = [];
  });

  it('cannot be posted to, read or framed by a page from elsewhere', async () => {
    const { billpay, origin, page, sandbox } = await desk();
    const { reference } = await billpay.airtime.purchase(airtime);
    const elsewhere = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end(`<iframe src="${origin}/"></iframe>`),
    );
    elsewhere.listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    cleanups.push(() => elsewhere.close());
    const address = elsewhere.address();
    if (typeof address !== 'object' || address === null) throw new Error('no port');
    await page.goto(`http://127.0.0.1:${address.port}/`);
    const outcomes = await page.evaluate(
      async ([target, body]) => {
        const attempt = (path: string, init: RequestInit) =>
          fetch(`${target}${path}`, init).then(
            (response) => (response.type === 'opaque' ? 'opaque' : String(response.status)),
            () => 'refused',
          );
        return Promise.all([
          attempt('/_console/settle', { method: 'POST', body, mode: 'no-cors' }),
          attempt('/_console/settle', {
            method: 'POST',
            body,
            headers: { 'content-type': 'application/json' },
          }),
          attempt('/_console/env', {}),
          attempt('/_console/env', { mode: 'no-cors' }),
        ]);
      },
      [origin, JSON.stringify({ reference, outcome: 'success' })] as const,
    );
    expect(outcomes.slice(1, 3)).toEqual(['refused', 'refused']);
    expect(sandbox.transaction(reference)?.status).toBe('pending');
    expect(page.frames()[1]?.url()).not.toBe(`${origin}/`);
    expect(complaints.join('\n')).toMatch(/frame-ancestors|CORS/);
    complaints = [];
  });

  it.each([
    ['light', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
    ['390 px wide', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ] as const)('has no sideways scrolling and readable colours: %s', async (_, look) => {
    const { billpay, page, sandbox } = await desk({}, look);
    const { reference } = await billpay.electricity.purchase(meter);
    await sandbox.settle(reference, 'success');
    await billpay.airtime.purchase({ ...airtime, recipient: '9'.repeat(60), amount: 12_345.67 });
    await page.locator('#transactions .disclosure', { hasText: reference }).click();
    await page.locator('.panel', { hasText: 'What happened' }).waitFor();
    const measured = await page.evaluate(() => {
      const luminance = (colour: string) => {
        const canvas = document.createElement('canvas').getContext('2d');
        if (!canvas) throw new Error('no canvas');
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => {
          const share = part / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const card = luminance(
        getComputedStyle(document.querySelector('.card') ?? document.body).backgroundColor,
      );
      const contrast = (selector: string) => {
        const element = document.querySelector(selector);
        if (!element) throw new Error(`no ${selector}`);
        const ink = luminance(getComputedStyle(element).color);
        return (Math.max(ink, card) + 0.05) / (Math.min(ink, card) + 0.05);
      };
      return {
        sideways: document.documentElement.scrollWidth - window.innerWidth,
        cards: [...document.querySelectorAll('.card')].map((one) => one.scrollWidth - one.clientWidth),
        contrasts: ['body', '.soft', '.count', '.badge.good', '.badge.wait', '.disclosure'].map(contrast),
      };
    });
    expect(measured.sideways).toBeLessThanOrEqual(0);
    for (const overflow of measured.cards) expect(overflow).toBeLessThanOrEqual(0);
    for (const contrast of measured.contrasts) expect(contrast).toBeGreaterThanOrEqual(4.5);
  });
});
