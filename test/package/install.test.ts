import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedConsumer, root } from './consumer.js';

/** An empty project with the packed tarball installed. */
let consumer: string;
/** The files of the tarball, as installed. */
let files: string[];

/** The output of a command in the consumer's folder, errors included. */
const run = (command: string, ...args: string[]): string => {
  const { stdout, stderr } = spawnSync(command, args, { cwd: consumer, encoding: 'utf8' });
  return `${stdout}${stderr}`;
};

beforeAll(() => {
  consumer = installedConsumer();
  files = readdirSync(join(consumer, 'node_modules/billpay'), { recursive: true, encoding: 'utf8' });
});

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

const story = `
  const sandbox = createSandbox({ settleAfter: 'manual' });
  const billpay = new BillPay(sandbox.connection);
  const run = async () => {
    const purchase = await billpay.airtime.purchase({ biller: 'MTN', recipient: '08031234567', amount: 500 });
    await sandbox.settle(purchase.reference, 'success');
    const settled = await billpay.transactions.status(purchase.reference);
    const refused = await billpay.airtime.purchase({ biller: 'MTN' }).catch((error) => error);
    const body = '{"event":"transaction.failed","data":{"reference":"R"}}';
    const secret = 'whsec_4f9c1d7e8b2a0c3d';
    const event = verifyWebhook({ body, headers: signWebhook({ body, secret }), secret });
    console.log(JSON.stringify({
      status: settled.transaction_status, refused: refused instanceof ValidationError, event: event.event,
      // Two copies of the class, each of which recognises the errors of the other.
      sameErrors: [new WebhookVerificationError('stale', 'x'), new fromWebhooks('stale', 'x')].every(
        (error) => error instanceof WebhookVerificationError && error instanceof fromWebhooks,
      ),
    }));
    await sandbox.close();
  };
  run();`;

const said = '{"status":"success","refused":true,"event":"transaction.failed","sameErrors":true}';

describe('the packed package', () => {
  it('is one package with no dependencies', () => {
    expect(readdirSync(join(consumer, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'billpay',
    ]);
  });

  it('works by import', () => {
    writeFileSync(
      join(consumer, 'story.mjs'),
      `import { BillPay, ValidationError, verifyWebhook, WebhookVerificationError } from 'billpay';
       import { createSandbox } from 'billpay/sandbox';
       import { signWebhook, WebhookVerificationError as fromWebhooks } from 'billpay/webhooks';${story}`,
    );
    expect(run('node', 'story.mjs').trim()).toBe(said);
  });

  it('works by require', () => {
    writeFileSync(
      join(consumer, 'story.cjs'),
      `const { BillPay, ValidationError, verifyWebhook, WebhookVerificationError } = require('billpay');
       const { createSandbox } = require('billpay/sandbox');
       const { signWebhook, WebhookVerificationError: fromWebhooks } = require('billpay/webhooks');${story}`,
    );
    expect(run('node', 'story.cjs').trim()).toBe(said);
  });

  it.each([
    ['import', 'page.mjs', "import { createSandbox } from 'billpay/sandbox';"],
    ['require', 'page.cjs', "const { createSandbox } = require('billpay/sandbox');"],
  ])("serves the sandbox's page after %s", (_, file, load) => {
    writeFileSync(
      join(consumer, file),
      `${load}
       const show = async () => {
         const sandbox = createSandbox();
         const { baseUrl } = await sandbox.listen();
         const read = async (path) => (await (await fetch(new URL(path, baseUrl))).text()).length;
         console.log((await read('/page.js')) > 40_000, (await read('/page.css')) > 5000);
         await sandbox.close();
       };
       show();`,
    );
    expect(run('node', file).trim()).toBe('true true');
  });

  it('recognises errors across the ESM and CommonJS copies', () => {
    writeFileSync(
      join(consumer, 'copies.mjs'),
      `import { createRequire } from 'node:module';
       import { BillPayError, isBillPayError, ValidationError } from 'billpay';
       const copy = createRequire(import.meta.url)('billpay');
       const error = new copy.ValidationError('x');
       console.log(copy.ValidationError !== ValidationError, error instanceof ValidationError, error instanceof BillPayError,
         isBillPayError(error), error instanceof copy.RateLimitError);`,
    );
    expect(run('node', 'copies.mjs').trim()).toBe('true true true true false');
  });

  it.each([
    ["import { nodeTransport } from 'billpay/node'", 'import'],
    [
      "import { createRequire } from 'node:module'; const { nodeTransport } = createRequire(import.meta.url)('billpay/node')",
      'require',
    ],
  ])('lets nodeTransport of either copy tell the client what never left: %#', (line, how) => {
    writeFileSync(
      join(consumer, `node-${how}.mjs`),
      `import { BillPay } from 'billpay'; ${line};
       const waits = [];
       const billpay = new BillPay({ apiKey: 'sk_x', clientId: 'c', baseUrl: 'http://127.0.0.1:1/api/v1', maxRetries: 1,
         transport: nodeTransport(), onAttempt: ({ retryInMs }) => waits.push(retryInMs) });
       await billpay.airtime.purchase({ biller: 'MTN', recipient: '08031234567', amount: 500 }).catch((error) =>
         console.log(error.name, error.mayHaveCharged, waits[0]));`,
    );
    expect(run('node', `node-${how}.mjs`).trim()).toBe('ConnectionError false 0');
  });

  it('brings its commands', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(run(join(consumer, 'node_modules/.bin/billpay'), '--version').trim()).toBe(version);
    expect(run(join(consumer, 'node_modules/.bin/billpay'), 'doctor')).toContain('FAILED   credentials');
    expect(run(join(consumer, 'node_modules/.bin/billpay'), 'sandbox', '--help')).toContain(
      'Usage: billpay sandbox',
    );
    const help = run(join(consumer, 'node_modules/.bin/billpay'), 'sandbox', 'trigger', '--help');
    expect(help).toMatch(/^Usage: billpay sandbox trigger [\s\S]*provider-unavailable/);
  });

  it('brings the licences of what it bundles', () => {
    const notices = readFileSync(join(consumer, 'node_modules/billpay/THIRD_PARTY_NOTICES'), 'utf8');
    for (const name of ['ky', 'zod', '@noble/hashes', 'hono', 'commander', 'csv-parse'])
      expect(notices).toContain(name);
    expect(notices).toContain('MIT');
  });

  it('holds what is published and nothing else', () => {
    const top = readdirSync(join(consumer, 'node_modules/billpay')).sort();
    expect(top).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'THIRD_PARTY_NOTICES',
      'dist',
      'docs',
      'examples',
      'package.json',
    ]);
    expect(files).toContain(join('dist', 'index.d.cts'));
  });

  it('has no scripts, tools and overrides of its developers in package.json', () => {
    const published = JSON.parse(readFileSync(join(consumer, 'node_modules/billpay/package.json'), 'utf8'));
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const { scripts, devDependencies, allowScripts, overrides, ...rest } = own;
    expect([scripts, devDependencies].every((value) => typeof value === 'object')).toBe(true);
    expect(published).toEqual(rest);
  });

  it('shows no type of a bundled library in its declarations', () => {
    const declarations = files.filter((file) => /\.d\.c?ts$/.test(file));
    expect(declarations.length).toBeGreaterThan(5);
    for (const file of declarations) {
      const text = readFileSync(join(consumer, 'node_modules/billpay', file), 'utf8');
      expect(text, file).not.toMatch(/from ['"](zod|ky|@noble)|\bzod\b|\bZodMini/);
    }
  });
});
