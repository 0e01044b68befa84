import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { bundledBytes } from '../support/weigh.js';
import { root } from './consumer.js';

const kB = 1000;

/** Of a purchase, zod's core is 3.7 kB, pacing 1.5, the words of errors and options 4.4. */
it.each([
  {
    what: 'one purchase',
    budget: 22 * kB,
    code: `import { BillPay } from 'billpay';
      await new BillPay().airtime.purchase({ biller: 'MTN', recipient: '08031234567', amount: 500 });`,
  },
  {
    what: 'verifyWebhook alone',
    budget: 4.4 * kB,
    code: `import { verifyWebhook } from 'billpay/webhooks';
      console.log(verifyWebhook({ body: '', headers: {}, secret: 'whsec_4f9c1d7e8b2a0c3d' }).event);`,
  },
])('a bundle of $what stays within its budget', async ({ what, budget, code }) => {
  const size = await bundledBytes(code, root);
  console.log(`${what}: ${size} bytes min+gz, budget ${budget}`);
  expect(size).toBeLessThanOrEqual(budget);
});

it('the published files stay within 400 kB, source maps aside', () => {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: root, encoding: 'utf8' }),
  ) as [{ files: { path: string; size: number }[] }];
  const files = packed.files.filter(({ path }) => !path.endsWith('.map'));
  const size = files.reduce((sum, file) => sum + file.size, 0);
  console.log(`published: ${size} bytes in ${files.length} files, budget ${400 * kB}`);
  expect(size).toBeLessThanOrEqual(400 * kB);
});
