import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { lineOf } from '../../../src/sandbox/command/lines.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { airtime, bought, buy, call, sandboxAtStart } from '../support.js';

/** The lines that a sandbox prints, without times. */
function linesOf(sandbox: Sandbox): string[] {
  const lines: string[] = [];
  onTestFinished(
    sandbox.onActivity((activity) => {
      const line = lineOf(activity, (_, text) => text);
      if (line !== undefined) lines.push(line.replace(/^\S+ /, '').replace(/TXN-\w{16}/, 'TXN'));
    }),
  );
  return lines;
}

const hook = { handler: () => new Response() };
const withHook = () => {
  const sandbox = sandboxAtStart({ settleAfter: 'manual' });
  sandbox.webhooks.subscribe(hook);
  return sandbox;
};

test.each<[what: string, act: (sandbox: Sandbox) => unknown, line: string]>([
  [
    'a purchase',
    (sandbox) => buy(sandbox, 'a'),
    '202 airtime/purchase MTN 08031234567 NGN 500.00 TXN accepted',
  ],
  [
    'fields that are wrong',
    (sandbox) => buy(sandbox, 'a', { recipient: undefined }),
    '422 airtime/purchase MTN refused VALIDATION_FAILED: recipient: is required: the phone number, such as ',
  ],
  [
    'a refusal of the service',
    (sandbox) => buy(sandbox, 'a', { amount: 1e9 }),
    '402 airtime/purchase MTN 08031234567 refused INSUFFICIENT_BALANCE: The wallet balance cannot',
  ],
  [
    'a response that was cut off',
    (sandbox) => {
      sandbox.faults.add({ cutBody: 10 });
      return buy(sandbox, 'a').catch(() => undefined);
    },
    '202 airtime/purchase MTN 08031234567 NGN 500.00 TXN accepted the response was cut off [fault: gets a response that is cut off]',
  ],
  [
    'a connection that closed before anything was done',
    (sandbox) => {
      sandbox.faults.add({ connection: 'close' });
      return buy(sandbox, 'a').catch(() => undefined);
    },
    '--- airtime/purchase MTN 08031234567 refused the connection was closed [fault: gets no connection]',
  ],
  ['a catalogue', (sandbox) => call(sandbox, 'GET', '/tv/products?biller=DSTV'), '200 tv/products DSTV'],
])('%s is one line with its outcome', async (_, act, line) => {
  const sandbox = withHook();
  const lines = linesOf(sandbox);
  await act(sandbox);
  expect(lines).toEqual([expect.stringContaining(line)]);
});

test('a repeat says that it charged nothing, and names what differs', async () => {
  const sandbox = withHook();
  await buy(sandbox, 'a');
  const lines = linesOf(sandbox);
  await buy(sandbox, 'a', { recipient: '08099999999' });
  expect(lines).toEqual([
    expect.stringMatching(/^202 .* repeated, not charged again \[key repeated with a different recipient/),
  ]);
});

test('a webhook is one line with what the receiver replied', async () => {
  const sandbox = sandboxAtStart({ settleAfter: 'manual' });
  let status = 500;
  sandbox.webhooks.subscribe({ handler: () => new Response('the database is down', { status }) });
  const reference = await bought(sandbox, 'a');
  const lines = linesOf(sandbox);
  await sandbox.settle(reference, 'failed');
  status = 200;
  await sandbox.advance('1m');
  sandbox.webhooks.subscribe({ ...hook, enabled: false });
  await sandbox.settle(await bought(sandbox, 'b'), 'success');
  await sandbox.deliveries[0]?.redeliver();
  expect(lines.filter((line) => line.includes('<-'))).toEqual([
    '500 <- transaction.failed TXN "the database is down" next at 2026-01-31T09:31:00Z',
    '200 <- transaction.failed TXN (retry, attempt 2)',
    '--- <- transaction.failed TXN (redelivery, attempt 3) not sent: the subscription is not enabled',
  ]);
});

test('no line holds a control character or a line break of a caller, or more than fits', async () => {
  const sandbox = withHook();
  const lines = linesOf(sandbox);
  const nasty = fc.string({
    unit: fc.constantFrom('\u001b', '\n', '\r', '\u202e', '\u009b', 'a', '"'),
    maxLength: 300,
  });
  await fc.assert(
    fc.asyncProperty(nasty, nasty, nasty, async (biller, recipient, key) => {
      await buy(sandbox, key, { biller, recipient });
      sandbox.faults.add({ status: 400, code: `c${key}`, message: recipient });
      await call(sandbox, 'POST', '/airtime/purchase', airtime(key, { biller }));
    }),
    { numRuns: 50 },
  );
  for (const line of lines) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not come through
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(line.length).toBeLessThan(700);
  }
});
