import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import { callSafely } from '../../src/utils/functions.js';

it('tells of what is thrown at once and of what is rejected later, and lets neither through', async () => {
  const failed = vi.fn();
  callSafely(() => {
    throw new Error('at once');
  }, failed);
  callSafely(() => Promise.reject(new Error('later')), failed);
  callSafely(() => runInNewContext('Promise.reject(new Error("elsewhere"))'), failed);
  callSafely(() => 'fine', failed);
  await new Promise((resolve) => setImmediate(resolve));
  expect(failed.mock.calls.map(([error]) => error.message)).toEqual(['at once', 'later', 'elsewhere']);
});

it('keeps a process alive whose callbacks reject in the middle of a purchase', () => {
  const source = fileURLToPath(new URL('../../src/', import.meta.url));
  const story = `
    import { BillPay } from '${source}client.ts';
    import { createSandbox } from '${source}sandbox/index.ts';
    const reject = async () => { throw new Error('callback'); };
    const sandbox = createSandbox({ settleAfter: 1 });
    const billpay = new BillPay({ ...sandbox.connection, onAttempt: reject, logLevel: 'debug',
      logger: { debug: reject, info: reject, warn: reject, error: reject } });
    const { reference } = await billpay.airtime.purchase({ biller: 'MTN', recipient: '08031234567', amount: 100 });
    const { transaction_status } = await billpay.transactions.waitUntilSettled(reference, { interval: 20, onUpdate: reject });
    console.log(transaction_status);`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', story];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()).toBe('success');
});
