/**
 * How the sandbox's page bears 5,000 sales, eight tabs and traffic, in Chromium: how much moves under the reader (the layout shift
 * score of the browser), what a further page of a list costs at 50 rows and at 5,000, and which requests the page makes by itself.
 * Run: npx tsx test/bench/sandbox-page.ts [sales] [tabs]. It ends with exit code 1 where a target is missed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { createSandbox } from '../../src/sandbox/index.js';
import { launchChromium } from '../integration/sandbox/chromium.js';

const sales = Number(process.argv[2] ?? 5000);
const tabs = Number(process.argv[3] ?? 8);
/** How long traffic is watched, in ms, and how many sales a second it has. */
const trafficMs = 10_000;
const salesASecond = 20;

const sandbox = createSandbox({ settleAfter: '300ms', balance: 1e9, seed: 'bench', rateLimits: false });
sandbox.webhooks.subscribe({
  handler: () => new Response(null, { status: Math.random() < 0.3 ? 503 : 200 }),
});
const { clientId, secretKey } = sandbox.credentials;
let sold = 0;
async function buy(): Promise<void> {
  sold += 1;
  const order = { biller: 'MTN', recipient: '08031234567', amount: 100 + (sold % 900) };
  await sandbox.fetch(`${sandbox.baseUrl}/airtime/purchase`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: clientId, ...order, idempotency_key: `order-${sold}` }),
  });
}

/** In the page: the largest sum of layout shifts within one session window, as web-vitals defines it. */
const watchShifts = `
  window.shifts = { worst: 0, sum: 0, first: 0, last: 0 };
  new PerformanceObserver((list) => {
    for (const { value, startTime, hadRecentInput } of list.getEntries()) {
      if (hadRecentInput) continue;
      const s = window.shifts;
      if (startTime - s.last > 1000 || startTime - s.first > 5000) Object.assign(s, { sum: 0, first: startTime });
      s.last = startTime;
      s.sum += value;
      s.worst = Math.max(s.worst, s.sum);
    }
  }).observe({ type: 'layout-shift', buffered: false });
`;

/** ms of the page's own work (script, style and layout) that something costs. */
async function workOf(page: Page, act: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const total = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return value('TaskDuration') * 1000;
  };
  const before = await total();
  await act();
  const cost = (await total()) - before;
  await session.detach();
  return cost;
}

const rowsOf = (page: Page) => page.evaluate(() => document.querySelectorAll('tbody tr').length);

/** Shows 50 more, and waits until they are drawn. */
async function showMore(page: Page): Promise<void> {
  const before = await rowsOf(page);
  await page.evaluate(() => document.querySelector<HTMLButtonElement>('.pager button')?.click());
  await page.waitForFunction((rows) => document.querySelectorAll('tbody tr').length > rows, before, {
    polling: 'raf',
  });
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

for (let sale = 0; sale < sales; sale++) await buy();
await delay(1000);
const { baseUrl } = await sandbox.listen();
const browser = await launchChromium();
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const requests: string[] = [];
  context.on('request', (request) => requests.push(new URL(request.url()).pathname));
  const names = ['transactions', 'webhooks', 'requests', 'wallet', 'faults', 'clients'];
  const pages: Page[] = [];
  for (let at = 0; at < tabs; at++) {
    const page = await context.newPage();
    await page.goto(`${new URL(baseUrl).origin}/#${names[at % names.length]}`);
    await page.locator('main').waitFor();
    pages.push(page);
  }
  const [first] = pages;
  if (!first) throw new Error('no tab');
  await first.bringToFront();
  await first.locator('tbody tr').nth(49).waitFor();
  await delay(2000);
  for (const page of pages) await page.evaluate(watchShifts);

  requests.length = 0;
  const end = performance.now() + trafficMs;
  while (performance.now() < end) {
    await buy();
    await delay(1000 / salesASecond);
  }
  await delay(500);
  const streamed = requests.length;
  const shifts = await Promise.all(
    pages.map((page) => page.evaluate('window.shifts.worst') as Promise<number>),
  );
  const worst = Math.max(...shifts);

  await first.reload();
  await first.locator('tbody tr').nth(49).waitFor();
  await delay(1500);
  const costs: number[] = [];
  while (await first.locator('.pager button').count()) {
    costs.push(await workOf(first, () => showMore(first)));
  }
  const atStart = median(costs.slice(0, 10));
  const atEnd = median(costs.slice(-11, -1));
  const figures: readonly (readonly [name: string, target: string, value: string, ok: boolean])[] = [
    [
      `layout shift, worst of ${tabs} tabs, ${salesASecond} sales a second`,
      '< 0.1',
      worst.toFixed(4),
      worst < 0.1,
    ],
    ['requests that the tabs made meanwhile', '0', String(streamed), streamed === 0],
    ['"show 50 more" at 50 rows, ms', '', atStart.toFixed(1), true],
    [
      `"show 50 more" at ${(await rowsOf(first)).toLocaleString('en')} rows, ms`,
      '<= 2 x',
      atEnd.toFixed(1),
      atEnd <= 2 * atStart + 5,
    ],
  ];
  console.log('| | target | |\n|---|---|---:|');
  for (const [name, target, value] of figures) console.log(`| ${name} | ${target} | ${value} |`);
  if (!figures.every(([, , , ok]) => ok)) process.exitCode = 1;
} finally {
  await browser.close();
  await sandbox.close();
}
