import { writeFileSync } from 'node:fs';
import * as billpay from 'billpay';
import { signWebhook } from 'billpay/webhooks';
import { expect, test } from 'vitest';
import { runSuite } from './suite.mjs';

test('the list', async () => {
  const report = await runSuite({ ...billpay, signWebhook }, JSON.parse(process.env.PLACE));
  expect(report.failed).toEqual([]);
  writeFileSync('report.txt', `REPORT ${JSON.stringify(report)}`);
}, 60_000);
