import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kB = 1000;

/** What a consumer's bundle weighs, minified and gzipped, in bytes. */
async function bundled(code: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root },
    // Else the paths of our own tsconfig would lead to the sources instead of to dist.
    tsconfigRaw: '{}',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    external: ['node:*'],
  });
  const [file] = outputFiles;
  if (!file) throw new Error('esbuild wrote nothing');
  return gzipSync(file.contents).length;
}

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
      console.log(verifyWebhook({ body: '', headers: {}, secret: 'whsec_x' }).event);`,
  },
])('a bundle of $what stays within its budget', async ({ what, budget, code }) => {
  const size = await bundled(code);
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
