import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium'];

/** Where a Chromium is; undefined where there is none, and then the tests in it are skipped. */
export const chromiumPath = places.find((place): place is string => place !== undefined && existsSync(place));

/** Goes into the title of what is skipped without it. */
export const needsChromium = chromiumPath === undefined ? ' (skipped: no Chromium, set CHROMIUM_PATH)' : '';

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
