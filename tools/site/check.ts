import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium } from '../../test/integration/sandbox/chromium.js';
import { guides, root } from './guides.js';

/** Looks at the built site in Chromium: `npx tsx tools/site/check.ts`. Pictures go into the folder that is given. */

const site = `${root}docs/api`;
const [pictures] = process.argv.slice(2);
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** What readers search for: guides come before the members of the API. */
const searches = ['express', 'idempotency', 'settle', 'duplicate charge'];

const problems: string[] = [];

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

const addressOf = (title: string): string => `documents/${title.replace(/\W/g, '_')}.html`;

async function look(page: Page, address: string, name: string): Promise<void> {
  const response = await page.goto(`${origin}/${address}`);
  if (response?.status() !== 200) problems.push(`${address} is not there`);
  await page.locator('#tsd-nav-container a').first().waitFor({ state: 'attached' });
  const wide: number = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  if (wide > 0) problems.push(`${address} (${name}) is ${wide} px too wide`);
  if (pictures) await page.screenshot({ path: join(pictures, `${address.replace(/\W/g, '-')}-${name}.png`) });
}

const browser = await launchChromium();
try {
  const addresses = ['index.html', ...guides.map(({ title }) => addressOf(title))];
  for (const [scheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 800 } });
    for (const address of addresses) await look(page, address, `${scheme}-${width}`);
    await page.close();
  }

  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${origin}/index.html`);
  await page.locator('#tsd-nav-container a').first().waitFor({ state: 'attached' });
  const listed = await page.locator('#tsd-nav-container a').allTextContents();
  const titles = guides.map(({ title }) => title);
  const inOrder = listed.map((text) => text.trim()).filter((text) => titles.includes(text));
  if (String(inOrder) !== String(titles)) problems.push(`the navigation lists ${inOrder.join(', ')}`);
  for (const query of searches) {
    await page.goto(`${origin}/index.html`);
    await page.locator('#tsd-search-trigger').click();
    await page.locator('#tsd-search-input').fill(query);
    const first = page.locator('#tsd-search-results li a').first();
    await first.waitFor();
    const href = String(await first.getAttribute('href'));
    if (!href.includes('documents/')) problems.push(`"${query}" leads to ${href}, which is not a guide`);
    if (pictures) await page.screenshot({ path: join(pictures, `search-${query.replace(' ', '-')}.png`) });
  }
} finally {
  await browser.close();
  server.close();
}

problems.push(`${problems.length} problems in ${guides.length} guides`);
process.stdout.write(`${problems.join('\n')}\n`);
if (problems.length > 1) process.exitCode = 1;
