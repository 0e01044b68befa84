import { describe, expect, test } from 'vitest';
import { createCommand, runCommand } from '../../../src/commands/frame.js';
import { sandboxCommand } from '../../../src/sandbox/command/run.js';
import { type SandboxOptions, triggers } from '../../../src/sandbox/index.js';
import { FakeProcess } from '../../support/fake-process.js';
import { sandboxAtStart } from '../support.js';

/** A sandbox on a port, and `billpay sandbox trigger` for it. */
async function listening(options: SandboxOptions = {}, listen: object = {}) {
  const sandbox = sandboxAtStart({ settleAfter: 'manual', ...options });
  const { baseUrl } = await sandbox.listen(listen);
  const trigger = async (...args: readonly string[]) => {
    const around = new FakeProcess();
    const program = createCommand('billpay', around).addCommand(sandboxCommand(around));
    const line = ['sandbox', 'trigger', ...args, '--url', baseUrl];
    const code = await runCommand(program, line, around);
    return { code, written: around.written, complaints: around.complaints };
  };
  return { sandbox, trigger };
}

test.each(['success', ...triggers.map(({ name }) => name)])(
  '%s happens, and is as expected',
  async (name) => {
    const { sandbox, trigger } = await listening();
    expect(await trigger(name, '--key', 'order-7')).toMatchObject({ code: 0, complaints: '' });
    expect(sandbox.transactions.length).toBeLessThanOrEqual(1);
    expect(sandbox.audit().ok).toBe(true);
  },
);

test('what was bought is printed, also where the response was lost', async () => {
  const { sandbox, trigger } = await listening();
  const { written } = await trigger('response-lost', '--key', 'order-7');
  const reference = sandbox.transactions[0]?.reference;
  expect(written).toContain('the connection closed without a response');
  expect(written).toContain(`${reference}  pending; the same key returns it: order-7`);
});

test.each(['data', 'tv', 'electricity', 'edu'])('%s can be bought, as JSON on request', async (product) => {
  const { sandbox, trigger } = await listening();
  const { code, written } = await trigger('success', '--product', product, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(written)).toMatchObject({
    trigger: 'success',
    ok: true,
    status: 202,
    reference: sandbox.transactions[0]?.reference,
    settled: 'success',
  });
});

test('a key that was used before returns its first transaction, which is said', async () => {
  const { trigger } = await listening();
  expect(await trigger('success', '--key', 'order-7')).toMatchObject({ code: 0 });
  expect(await trigger('success', '--key', 'order-7')).toMatchObject({ code: 0 });
  expect(await trigger('failed', '--key', 'order-7')).toMatchObject({
    code: 1,
    written: expect.stringContaining('a key that was used before returns its first transaction'),
  });
});

describe('what is wrong is said in one line', () => {
  test.each<[args: string, code: number, message: RegExp]>([
    ['sucess', 2, /there is no trigger sucess \(did you mean success\?\)/],
    [
      'success --product dat',
      2,
      /'dat' is invalid\. Allowed choices are airtime, data, tv, electricity, edu\./,
    ],
    ['verification-failed --product data', 2, /has no validate call/],
    ['success --product tv --amount 5', 2, /the catalogue has the price of tv/],
    ['success --client nobody', 1, /there is no client nobody/],
    ['success', 1, /needs its control token/],
  ])('%s', async (args, code, message) => {
    const listen = args === 'success' ? { controlToken: 'a-token-of-my-own' } : {};
    const { trigger } = await listening({}, listen);
    const { complaints, code: exitCode } = await trigger(...args.split(' '));
    expect(exitCode).toBe(code);
    expect(complaints).toMatch(message);
    expect(complaints.trimEnd().split('\n')).toHaveLength(1);
  });

  test('no sandbox there', async () => {
    const { sandbox, trigger } = await listening();
    await sandbox.close();
    expect(await trigger('success')).toMatchObject({
      code: 2,
      complaints: expect.stringContaining('start one with npx billpay sandbox'),
    });
  });
});
