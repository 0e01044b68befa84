import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { type Check, passedIn, placeEnv, reportIn, template } from '../check.js';
import type { Place, Report } from '../suite.js';
import { run, toolFolder, versionOf } from '../tools.js';

/** Bundled as wrangler does it. Only with the flag there is a node:crypto. */
const workers = [
  { name: 'no node:crypto', flags: [] },
  { name: 'nodejs_compat, node:crypto', flags: ['nodejs_compat'] },
] as const;

const workerChecks = workers.map(
  ({ name, flags }): Check => ({
    name: `workerd (miniflare ${versionOf('miniflare')}), ${name}`,
    run: async ({ packed, service, suite }) => {
      const folder = packed.consumer(`workerd-${flags.join()}`, {
        files: {
          'worker.mjs': template('worker.mjs'),
          'suite.mjs': suite.esm,
          'main.mjs': template('miniflare.mjs'),
        },
        links: { miniflare: toolFolder('miniflare') },
      });
      await build({
        entryPoints: [join(folder, 'worker.mjs')],
        outfile: join(folder, 'worker.bundle.mjs'),
        bundle: true,
        format: 'esm',
        target: 'es2022',
        platform: 'neutral',
        conditions: ['workerd', 'worker', 'browser'],
        external: ['node:*'],
      });
      const place = service.place({ knowsRefusal: false });
      const printed = await run(
        join(toolFolder('node-24'), 'bin/node'),
        ['main.mjs', ...flags],
        folder,
        placeEnv(place),
      );
      return passedIn(reportIn(printed), place, service);
    },
  }),
);

const browserPlaces = [
  process.env['BILLPAY_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The global variable that consumers/page.mjs sets. */
declare function runList(place: Place): Promise<Report>;

const chromiumCheck: Check = {
  name: 'Chromium, headless: public key, catalogues, no node:crypto',
  run: async ({ packed, service, suite }) => {
    const executablePath = browserPlaces.find((path) => path && existsSync(path));
    if (!executablePath) throw new Error('no Chromium here: install it, or set BILLPAY_CHROMIUM to its path');
    const folder = packed.consumer('chromium', {
      files: { 'page.mjs': template('page.mjs'), 'suite.mjs': suite.esm },
    });
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'page.mjs')],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    });
    const place = service.place({ browser: true });
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(service.servePage(outputFiles[0]?.text ?? ''));
      await page.waitForFunction('globalThis.runList');
      const report = await page.evaluate((where) => runList(where), place);
      return passedIn(report, place, service);
    } finally {
      await browser.close();
    }
  },
};

export const edgeChecks: readonly Check[] = [...workerChecks, chromiumCheck];
