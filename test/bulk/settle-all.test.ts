import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { purchaseAll, settleAll } from '../../src/bulk/index.js';
import { BillPay } from '../../src/client.js';
import { ServerError } from '../../src/index.js';
import { memoryOrderStore, type Order } from '../../src/orders/index.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { airtimeOrder } from '../orders/support/store-contract.js';

const run = 'payday';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function bought(count: number) {
  const sandbox = createSandbox({ settleAfter: 'manual', clock: 'manual' });
  const billpay = new BillPay({ ...sandbox.connection, maxRetries: 0, logLevel: 'off' });
  const store = memoryOrderStore();
  const items = Array.from({ length: count }, (_, n) => ({
    product: 'airtime' as const,
    params: { biller: 'MTN', recipient: '08031234567', amount: 100 + n },
    idempotency_key: `k-${n}`,
  }));
  const buying = purchaseAll(billpay, items, { store, run });
  await vi.advanceTimersByTimeAsync(1000);
  await buying;
  const references = sandbox.transactions.map(({ reference }) => reference);
  return { sandbox, billpay, store, references };
}

describe('settleAll', () => {
  it('follows all sales to their end', async () => {
    const { sandbox, billpay, store, references } = await bought(3);
    const ended: Order[] = [];
    const settling = settleAll(billpay, { store, run, onItem: (order) => ended.push(order) });
    await sandbox.settle(String(references[0]), 'success');
    await sandbox.settle(String(references[1]), 'failed');
    await vi.advanceTimersByTimeAsync(60_000);
    await sandbox.settle(String(references[2]), 'success');
    await vi.advanceTimersByTimeAsync(300_000);
    expect(await settling).toEqual({
      delivered: 2,
      failed: 1,
      open: 0,
      review: 0,
      awaitingRefund: 0,
    });
    expect(ended.map(({ state }) => state).sort()).toEqual(['delivered', 'delivered', 'failed']);
  });

  it('follows sales behind any number of orders of the run that are still to buy', async () => {
    const { sandbox, billpay, store, references } = await bought(1);
    await store.insertMany(Array.from({ length: 250 }, (_, n) => ({ ...airtimeOrder(`left-${n}`), run })));
    await sandbox.settle(String(references[0]), 'success');
    const settling = settleAll(billpay, { store, run, timeout: 90_000 });
    await vi.advanceTimersByTimeAsync(100_000);
    expect(await settling).toMatchObject({ delivered: 1, open: 0 });
  });

  it('leaves open what is not over in time, and looks again in a later call', async () => {
    const { sandbox, billpay, store, references } = await bought(2);
    const first = settleAll(billpay, { store, run, timeout: 90_000 });
    await sandbox.settle(String(references[0]), 'success');
    await vi.advanceTimersByTimeAsync(100_000);
    expect(await first).toMatchObject({ delivered: 1, open: 1 });
    await sandbox.settle(String(references[1]), 'success');
    const second = settleAll(billpay, { store, run });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await second).toMatchObject({ delivered: 2, open: 0 });
  });

  it('checks an order again whose status check failed, and follows the others meanwhile', async () => {
    const { sandbox, billpay, store, references } = await bought(3);
    for (const reference of references) await sandbox.settle(reference, 'success');
    let failures = 3;
    const flaky = {
      purchase: billpay.purchase,
      transactions: {
        status: async (reference: string) => {
          if (reference === references[1] && failures-- > 0) throw new ServerError('down', { status: 502 });
          return billpay.transactions.status(reference);
        },
      },
    };
    const settling = settleAll(flaky, { store, run });
    await vi.advanceTimersByTimeAsync(590_000);
    expect(await settling).toMatchObject({ delivered: 3, open: 0 });
    expect(failures).toBeLessThan(0);
  });

  it('ends with the error of onItem', async () => {
    const { sandbox, billpay, store, references } = await bought(3);
    for (const reference of references) await sandbox.settle(reference, 'success');
    const settling = settleAll(billpay, {
      store,
      run,
      onItem: async () => {
        throw new Error('the disk is full');
      },
    });
    const ended = expect(settling).rejects.toThrow('the disk is full');
    await vi.advanceTimersByTimeAsync(60_000);
    await ended;
  });

  it('leaves everything open when its signal aborts', async () => {
    const { billpay, store } = await bought(2);
    expect(await settleAll(billpay, { store, run, signal: AbortSignal.abort() })).toMatchObject({ open: 2 });
  });

  it('refuses to have no run', async () => {
    const options = { store: memoryOrderStore() };
    await expect(settleAll({} as never, options as never)).rejects.toThrow(/run.*is missing/);
  });
});
