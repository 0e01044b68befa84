import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium } from '../../test/integration/sandbox/chromium.js';
import { guides, root } from './guides.js';

/**
 * Looks at the built site in Chromium, by axe and by searching: `npm run docs:check`. Pictures go into the folder that is given.
 */

const site = `${root}docs/api`;
const [pictures] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** What readers search for, and the guide that has to lead. */
const searches: Readonly<Record<string, string>> = {
  express: 'webhooks',
  idempotency: 'purchases',
  orders: 'orders',
};

const problems: string[] = [];
const expect = (holds: boolean, problem: string): void => {
  if (!holds) problems.push(problem);
};

const server = createServer(({ url = '/' }, response) => {
  const path = normalize(decodeURIComponent(new URL(url, 'http://site').pathname));
  const file = join(site, path.endsWith('/') ? `${path}index.html` : path);
  if (!existsSync(file)) return void response.writeHead(404).end();
  response
    .writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' })
    .end(readFileSync(file));
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** What axe finds wrong with the page that is shown. */
async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found: string =
    await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    JSON.stringify(violations.map(({ id, nodes }) => id + ' (' + nodes.length + '): ' + nodes[0].html.slice(0, 120))))`);
  return JSON.parse(found);
}

async function look(page: Page, address: string, scheme: string): Promise<void> {
  await page.goto(`${origin}/${address}`);
  await page.locator('#tsd-nav-container details').first().waitFor({ state: 'attached' });
  const where = `${address} (${scheme})`;
  for (const fault of await faults(page)) problems.push(`${where}: ${fault}`);
  expect((await page.locator('main').count()) === 1, `${where}: there is not one main`);
  const wide: number = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(wide <= 0, `${where}: the page is ${wide} px too wide`);
  if (pictures)
    await page.screenshot({ path: join(pictures, `${address.replace(/\W/g, '-')}-${scheme}.png`) });
}

const browser = await launchChromium();
try {
  const reference = ['classes/index.BillPay.html', 'modules/orders.html'].filter((file) =>
    existsSync(join(site, file)),
  );
  const addresses = ['index.html', ...guides.map(({ slug }) => `${slug}.html`), ...reference];
  // Every guide once; the looks of all are the same, so a few pages are enough for dark and for a phone.
  const few = ['index.html', 'orders.html', 'errors.html', ...reference];
  for (const [scheme, width, shown] of [
    ['light', 1280, addresses],
    ['dark', 1280, few],
    ['light', 390, few],
  ] as const) {
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 800 } });
    for (const address of shown) await look(page, address, `${scheme}-${width}`);
    await page.close();
  }

  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${origin}/errors.html`);
  await page.locator('#tsd-nav-container details').first().waitFor({ state: 'attached' });
  expect(
    await page.locator('#tsd-nav-container a', { hasText: 'Orders' }).first().isVisible(),
    'the navigation is closed',
  );
  const neighbours: (string | null)[] = [];
  for (const link of await page.locator('nav.neighbours a').all())
    neighbours.push(await link.getAttribute('href'));
  const at = guides.findIndex(({ slug }) => slug === 'errors');
  const around = [guides[at - 1], guides[at + 1]].map((guide) => `${guide?.slug}.html`);
  expect(String(neighbours) === String(around), `previous and next of errors.html are ${neighbours}`);
  for (const [query, slug] of Object.entries(searches)) {
    await page.goto(`${origin}/index.html`);
    await page.locator('#tsd-search-trigger').click();
    await page.locator('#tsd-search-input').fill(query);
    const first = page.locator('#tsd-search-results li a').first();
    await first.waitFor();
    const href = String(await first.getAttribute('href'));
    expect(
      href.split('#')[0]?.endsWith(`/${slug}.html`) || href.split('#')[0] === `${slug}.html`,
      `"${query}" leads to ${href}, not to ${slug}.html`,
    );
    if (pictures) await page.screenshot({ path: join(pictures, `search-${query.replace(' ', '-')}.png`) });
  }
} finally {
  await browser.close();
  server.close();
}

problems.push(`${problems.length} problems in ${guides.length} guides`);
process.stdout.write(`${problems.join('\n')}\n`);
if (problems.length > 1) process.exitCode = 1;
