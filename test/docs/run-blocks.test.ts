import { format } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as bulk from '../../src/bulk/index.js';
import * as billpay from '../../src/index.js';
import * as node from '../../src/node/index.js';
import * as orders from '../../src/orders/index.js';
import * as sandboxModule from '../../src/sandbox/index.js';
import * as webhooks from '../../src/webhooks/index.js';
import { codeBlocks, guides } from './pages.js';
import { isAsPromised, promisesOf } from './promised-output.js';
import { execute, testRunner } from './run-block.js';

/** The blocks that are marked `run`. Those of the sandbox's guide need more around them: test/sandbox/guide.test.ts runs them. */
const blocks = guides
  .filter(({ path }) => path !== 'docs/sandbox.md')
  .flatMap(codeBlocks)
  .filter(({ language, marks }) => ['ts', 'js'].includes(language) && marks.includes('run'));

const webhookSecret = 'whsec_0123456789abcdef0123456789abcdef';

let sandbox: sandboxModule.Sandbox;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  sandbox = sandboxModule.createSandbox({ settleAfter: 0 });
  const { baseUrl } = await sandbox.listen({ port: 0 });
  environment = { ...process.env };
  Object.assign(process.env, {
    BILLPAY_BASE_URL: baseUrl,
    BILLPAY_API_KEY: sandbox.credentials.secretKey,
    BILLPAY_CLIENT_ID: sandbox.credentials.clientId,
    BILLPAY_WEBHOOK_SECRET: webhookSecret,
  });
});

afterEach(async () => {
  process.env = environment;
  await sandbox.close();
});

/** A delivery of the service for a route handler that a block exports. */
function delivery(): Request {
  const data = { reference: 'TXN-1', status: 'success', token: '03600873271267716521' };
  const body = JSON.stringify({ event: 'transaction.completed', data });
  const headers = webhooks.signWebhook({ body, secret: webhookSecret });
  return new Request('https://shop.example/webhooks', { method: 'POST', body, headers });
}

describe('the code blocks that are marked run', () => {
  it.each(blocks.map((block) => [`${block.page}:${block.line} ${block.heading}`, block] as const))(
    '%s',
    async (_name, { code }) => {
      const printed: string[] = [];
      const log = (...parts: unknown[]) => {
        printed.push(format(...parts));
      };
      const { globals, run } = testRunner();
      const exported = await execute(
        code,
        {
          billpay,
          'billpay/bulk': bulk,
          'billpay/node': node,
          'billpay/orders': orders,
          'billpay/sandbox': sandboxModule,
          'billpay/webhooks': webhooks,
          vitest: globals,
        },
        { ...globals, console: { log } },
      );
      const { POST } = exported;
      if (typeof POST === 'function') expect(await POST(delivery())).toMatchObject({ status: 200 });
      const tests = await run({});

      const promised = promisesOf(code, 'ts');
      const matching = printed.filter((line, index) => isAsPromised(line, promised[index] ?? ''));
      expect({ printed, matching: matching.length }).toEqual({ printed, matching: promised.length });
      expect(tests + printed.length).toBeGreaterThan(0);
      expect(sandbox.audit().problems).toEqual([]);
    },
  );

  it('are more than a few', () => {
    expect(blocks.length).toBeGreaterThan(2);
  });
});
