import * as http from 'node:http';
import * as msw from 'msw';
import * as mswNode from 'msw/node';
import { describe, expect, test, vi } from 'vitest';
import * as billpay from '../../src/index.js';
import * as sandboxModule from '../../src/sandbox/index.js';
import { codeBlocks, readPage } from '../docs/pages.js';
import { promisesOf } from '../docs/promised-output.js';
import { execute, needsMore, testRunner } from '../docs/run-block.js';

/** Snippets of the guide, run as they stand: those that test/package/guides.test.ts cannot run in an empty folder, and the lists of faults. */

const page = readPage('docs/sandbox.md');
const guide = page.text;
const snippets = codeBlocks(page).filter(({ marks }) => marks.includes('run'));
const faults = codeBlocks(page).filter(({ marks }) => marks.includes('faults'));

/** A sandbox that takes any free port, whichever the guide says. */
const anyPort = {
  ...sandboxModule,
  createSandbox: (options?: sandboxModule.SandboxOptions) => {
    const sandbox = sandboxModule.createSandbox(options);
    return Object.create(sandbox, { listen: { value: () => sandbox.listen() } });
  },
};

/** A shop with one button, which buys electricity from the sandbox that listens. */
function shopPage(sandbox: () => sandboxModule.Sandbox) {
  const buy = () => {
    const { clientId, secretKey: apiKey } = sandbox().credentials;
    const { baseUrl, fetch } = sandbox();
    const client = new billpay.BillPay({ apiKey, clientId, baseUrl, fetch });
    return client.electricity.purchase({
      biller: 'IKEDC',
      recipient: '0124000952992',
      meter_type: 'prepaid',
      amount: 1000,
    });
  };
  return {
    goto: async () => undefined,
    getByLabel: () => ({ fill: async () => undefined }),
    getByRole: () => ({ click: buy }),
    getByText: (text: string) => ({ text }),
  };
}

describe('the guide', () => {
  test('has snippets of every kind', () => {
    expect(snippets.filter(needsMore)).toHaveLength(3);
    expect(faults).toHaveLength(2);
  });

  test.each(snippets.filter(needsMore))('$heading', async ({ code }) => {
    const { globals, run } = testRunner();
    const printed: string[] = [];
    const console = { log: (...parts: unknown[]) => void printed.push(parts.join(' ')) };
    let made: sandboxModule.Sandbox | undefined;
    const playwrightExpect = Object.assign(
      (value: unknown) => ({
        toBeVisible: async () => expect(value).toEqual({ text: expect.stringMatching(/^\d{20}$/) }),
      }),
      { poll: expect.poll },
    );
    await execute(
      code,
      {
        billpay,
        'billpay/sandbox': {
          ...anyPort,
          createSandbox: (options?: sandboxModule.SandboxOptions) => {
            made = anyPort.createSandbox(options);
            return made;
          },
        },
        vitest: globals,
        '@playwright/test': { test: globals.test, expect: playwrightExpect },
        'node:http': http,
        msw,
        'msw/node': mswNode,
      },
      { ...globals, console },
    );
    const page = shopPage(() => made ?? sandboxModule.createSandbox());
    const tests = await run({ page });

    expect(printed).toEqual(promisesOf(code, 'ts'));
    expect(tests + printed.length).toBeGreaterThan(0);
  });

  test.each(faults)('$heading', async ({ code }) => {
    const sandbox = sandboxModule.createSandbox();
    const add = vi.spyOn(sandbox.faults, 'add');
    const corrupt = vi.spyOn(sandbox, 'corruptDeliveries');
    await execute(code, { 'billpay/sandbox': { createSandbox: () => sandbox } }, {});
    expect(add.mock.calls.length + corrupt.mock.calls.length).toBeGreaterThan(3);
    await sandbox.close();
  });

  test('lists every trigger recipient as the sandbox has it', () => {
    const rows = [...guide.matchAll(/^\| `(0800\d{7})` \| (.*) \|$/gm)].map(([, recipient, description]) => ({
      recipient,
      description,
    }));
    expect(rows).toEqual(
      sandboxModule.triggers.map(({ recipient, description }) => ({ recipient, description })),
    );
  });

  test('lists every option', () => {
    const table = guide.slice(guide.indexOf('### Options'), guide.indexOf('### Flags of the command'));
    const names = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(names).toEqual([
      'clients',
      'catalogue',
      'balance',
      'settleAfter',
      'rateLimits',
      'clock',
      'startAt',
      'seed',
      'references',
      'state',
      'webhookTimeout',
      'webhookSends',
      'allowWebhookHosts',
    ]);
  });
});
