import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { bundledBytes } from '../support/weigh.js';
import { root } from './consumer.js';

const kB = 1000;

it.each([
  {
    what: 'one purchase',
    budget: 42.4 * kB,
    code: `import { BillPay } from 'billpay';
      await new BillPay().airtime.purchase({ biller: 'MTN', recipient: '08031234567', amount: 500 });`,
  },
  {
    what: 'verifyWebhook alone',
    budget: 8.01 * kB,
    code: `import { verifyWebhook } from 'billpay/webhooks';
      console.log(verifyWebhook({ body: '', headers: {}, secret: 'whsec_4f9c1d7e8b2a0c3d' }).event);`,
  },
  {
    what: 'verifyWebhook of the client',
    budget: 8.01 * kB,
    code: `import { verifyWebhook } from 'billpay';
      console.log(verifyWebhook({ body: '', headers: {}, secret: 'whsec_4f9c1d7e8b2a0c3d' }).event);`,
  },
])('the bundle of a consumer, minified and gzipped: $what', async ({ what, budget, code }) => {
  const size = await bundledBytes(code, root);
  console.log(`${what}: ${size} bytes min+gz, budget ${budget}`);
  expect(size).toBeLessThanOrEqual(budget);
});

it('the tarball and what it unpacks to stay within their budgets', () => {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: root, encoding: 'utf8' }),
  ) as [{ size: number; unpackedSize: number; files: { path: string; size: number }[] }];
  const code = packed.files.filter(({ path }) => path.startsWith('dist/'));
  const sizes = {
    tarball: packed.size,
    unpacked: packed.unpackedSize,
    'unpacked code': code.reduce((sum, { size }) => sum + size, 0),
  };
  const budgets = { tarball: 640 * kB, unpacked: 2200 * kB, 'unpacked code': 1750 * kB };
  for (const [what, budget] of Object.entries(budgets)) {
    const size = sizes[what as keyof typeof budgets];
    console.log(`${what}: ${size} bytes, budget ${budget}`);
    expect.soft(size, what).toBeLessThanOrEqual(budget);
  }
});
