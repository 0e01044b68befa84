import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Program } from '../../support/program.js';
import { freePort } from '../../support/sockets.js';
import { chromiumPath, launchChromium, needsChromium } from '../sandbox/chromium.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'billpay-shop-'));
const patience = { timeout: 60_000 };

/** The shop as its README starts it. */
const startShop = (database: string, port: number) =>
  new Program(process.execPath, ['--import', 'tsx', 'examples/shop/main.ts'], {
    cwd: root,
    env: { SHOP_DB: join(folder, database), PORT: String(port), DATABASE_URL: '' },
  });

/** A shop on a port and a file of its own, which can be started again. */
class ShopProcess {
  #program: Program | undefined;
  /** Where the sandbox in the shop's process listens. */
  sandbox = '';
  origin = '';

  constructor(readonly port: number) {}

  async start(): Promise<void> {
    this.#program = startShop('shop.db', this.port);
    [, this.sandbox = ''] = await this.#program.prints(/^sandbox +(\S+)/m);
    [, this.origin = ''] = await this.#program.prints(/^shop +(\S+)/m);
  }

  async end(signal: NodeJS.Signals): Promise<number | string | undefined> {
    return this.#program?.end(signal);
  }

  /** Asks the sandbox's control API. */
  async control(path: string, init?: RequestInit) {
    const response = await fetch(`${this.sandbox}/_sandbox/${path}`, init);
    expect(response.ok, path).toBe(true);
    return response.json();
  }
}

describe.skipIf(chromiumPath === undefined)(`the shop in Chromium${needsChromium}`, () => {
  let browser: Browser;
  let page: Page;
  let shop: ShopProcess;
  const complaints: string[] = [];
  /** Orders that were never bought. */
  const cancelled: string[] = [];

  beforeAll(async () => {
    shop = new ShopProcess(await freePort());
    await shop.start();
    browser = await launchChromium();
    page = await browser.newPage();
    page.setDefaultTimeout(patience.timeout);
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterAll(async () => {
    await browser?.close();
    await shop?.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Buys as a customer does; gives the id of the order, whose page is then shown. */
  async function buy(product: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
    await page.goto(`${shop.origin}/buy/${product}`);
    for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: /^Pay/ }).click();
    await page.waitForURL(/\/orders\/[0-9a-f-]+$/);
    return page.url().slice(-36);
  }

  /** The page follows its order by itself. */
  const becomes = (state: string) => page.locator(`#status[data-state=${state}]`).waitFor();

  it('sells electricity: the name behind the meter, the order settling live, the token when asked', async () => {
    await page.goto(`${shop.origin}/`);
    await page.getByRole('link', { name: 'Electricity' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.locator('dt:has-text("Name") + dd').textContent()).toMatch(/[A-Z]{3,}/);
    await page.getByRole('button', { name: /^Pay/ }).click();
    await becomes('delivered');
    expect(await page.locator('#token').textContent()).toMatch(/^•••• •••• •••• \d{4}$/);
    await page.getByRole('button', { name: 'Show the token' }).click();
    expect(await page.locator('.whole').textContent()).toMatch(/^(\d{4} ){4}\d{4}$/);
    expect(await page.locator('.whole').getAttribute('data-token')).toMatch(/^\d{20}$/);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^\d{20}$/);
  });

  it('takes no payment for what is no phone number, and says so beside the field', async () => {
    await page.goto(`${shop.origin}/buy/airtime`);
    await page.fill('[name=recipient]', '12');
    await page.getByRole('button', { name: 'Continue' }).click();
    const field = page.locator('[name=recipient]');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator(`#${await field.getAttribute('aria-describedby')}`).textContent()).toContain(
      '11 digits',
    );
    expect(await field.inputValue()).toBe('12');
    await field.fill('+234 803 123 4567');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.locator('dt:has-text("Phone number") + dd').textContent()).toBe('08031234567');
  });

  it('shows a meter that nobody is known under beside its field, and a page for what does not exist', async () => {
    await page.goto(`${shop.origin}/buy/electricity`);
    await page.fill('[name=recipient]', '08000000004');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.locator('#recipient-problem').textContent()).toContain('Nobody is known');
    const response = await page.goto(`${shop.origin}/buy/nothing`);
    expect(response?.status()).toBe(404);
    expect(await page.locator('h1').textContent()).toBe('There is nothing at this address');
  });

  it('ends in one line where the port is taken', async () => {
    const second = startShop('second.db', shop.port);
    expect([await second.ended, second.printed.trim().split('\n')]).toEqual([
      1,
      [expect.stringMatching(/cannot listen on port \d+ \(EADDRINUSE\)/)],
    ]);
  });

  it('sells a data bundle of the provider that was chosen', async () => {
    await page.goto(`${shop.origin}/buy/data`);
    await page.selectOption('[name=biller]', 'GLO');
    await page.waitForURL(/biller=GLO/);
    expect(await page.inputValue('[name=biller]')).toBe('GLO');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.locator('dt:has-text("Product") + dd').textContent()).toMatch(/^GLO /);
  });

  it('shows a failed purchase as refunded', async () => {
    await buy('airtime', { recipient: '08000000001' });
    await becomes('failed');
    const said = await page.locator('#status .state').textContent();
    await page.goto(`${shop.origin}/orders`);
    expect(await page.locator('tbody tr').first().locator('.state').textContent()).toBe(said);
    expect(said).toBe('Not delivered, refunded');
  });

  it('buys once where the response is lost, and once where the form is sent twice', async () => {
    const id = await buy('airtime', { recipient: '08000000005' });
    await page.goBack();
    await page.getByRole('button', { name: /^Pay/ }).click();
    await page.waitForURL(`**/orders/${id}`);
    await becomes('delivered');
    const { data } = await shop.control(`transactions?q=${id}`);
    expect(data).toHaveLength(1);
  });

  it('buys once where a customer orders the same again, and twice where it is wanted twice', async () => {
    const fields = { recipient: '08037654321', amount: '150' };
    const first = await buy('airtime', fields);
    await page.goto(`${shop.origin}/buy/airtime`);
    for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: /^Pay/ }).click();
    await page.getByRole('heading', { name: 'You ordered this a moment ago' }).waitFor();
    expect(await page.getByRole('link', { name: 'Show my order' }).getAttribute('href')).toBe(
      `/orders/${first}`,
    );
    const sold = async () => (await shop.control('transactions?q=08037654321')).data;
    expect(await sold()).toHaveLength(1);
    await page.getByRole('button', { name: 'Buy it once more' }).click();
    await page.waitForURL(/\/orders\/[0-9a-f-]+$/);
    await becomes('delivered');
    expect(await sold()).toHaveLength(2);
  });

  it('says that an order which was bought cannot be cancelled any more', async () => {
    const id = await buy('airtime', { amount: '175' });
    await becomes('delivered');
    expect(await page.getByRole('button', { name: 'Cancel the order' }).count()).toBe(0);
    const { status, text } = await page.evaluate(async (path) => {
      const response = await fetch(path, { method: 'POST' });
      return { status: response.status, text: await response.text() };
    }, `/orders/${id}/cancel`);
    expect([status, text]).toEqual([409, expect.stringContaining('can no longer be cancelled')]);
  });

  it('compares its orders with the service when the operator asks for it', async () => {
    await page.goto(`${shop.origin}/operator`);
    await page.getByRole('link', { name: 'The books at the end of the day' }).click();
    const compared = async () => {
      await page.getByRole('button', { name: /^Compare/ }).click();
      const status = page.getByRole('status');
      await vi.waitFor(async () => {
        await page.goto(`${shop.origin}/operator/books`);
        expect(await status.count()).toBe(1);
      }, patience);
      return status.textContent();
    };
    // An order whose webhook is on its way is a difference for a moment.
    const text = await compared();
    const settled = text?.includes(' 0 differences') ? text : await compared();
    expect(settled).toMatch(/[1-9]\d* orders compared, 0 differences/);
    await page.getByRole('cell', { name: 'MTN airtime' }).waitFor();
  }, 180_000);

  it('holds orders while the account is at fault, and continues when the operator says so', async () => {
    const [client] = await shop.control('clients');
    const verified = (value: boolean) =>
      shop.control(`clients/${client.clientId}`, {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ verified: value }),
      });
    await verified(false);
    const id = await buy('airtime');
    await becomes('held');
    await page.goto(`${shop.origin}/operator`);
    expect(await page.locator('h1').textContent()).toBe('Needs you: 1');
    expect(await page.locator('[data-state=held] b').textContent()).toBe('1');
    const row = page.locator('tbody tr', { hasText: id.slice(0, 8) });
    expect(await row.textContent()).toContain('AccountRestrictedError (403)');
    expect(await page.locator('.problem').textContent()).toContain('Buying has stopped');
    const unwanted = await buy('airtime', { amount: '300' });
    await becomes('held');
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await becomes('refused');
    cancelled.push(unwanted);
    await page.goto(`${shop.origin}/operator`);
    await verified(true);
    await page.getByRole('button', { name: /^The account is in order again/ }).click();
    await page.goto(`${shop.origin}/orders/${id}`);
    await becomes('delivered');
  });

  it('survives kill -9 in the middle of a purchase and of a delivery', async () => {
    const accepted = await buy('electricity', { amount: '2500' });
    await becomes('accepted');
    const buying = await buy('airtime', { recipient: '08000000006' });
    await becomes('buying');
    await shop.end('SIGKILL');
    await shop.start();
    for (const id of [accepted, buying]) {
      await page.goto(`${shop.origin}/orders/${id}`);
      await becomes('delivered');
    }
  }, 120_000);

  it('has every order right at the end, and stops on SIGTERM', async () => {
    await page.goto(`${shop.origin}/orders`);
    const links = await page.locator('tbody a').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    const { data } = await shop.control('transactions');
    const bought = links.map((href) => href?.slice(-36) ?? '').filter((id) => !cancelled.includes(id));
    expect(bought.sort()).toEqual(data.map((one: { idempotency_key: string }) => one.idempotency_key).sort());
    expect(await shop.control('audit')).toMatchObject({ ok: true });
    expect(complaints).toEqual([]);
    expect(await shop.end('SIGTERM')).toBe(0);
  });
});
