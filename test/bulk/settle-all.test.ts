import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type BulkItem,
  type BulkRun,
  fileJournal,
  purchaseAll,
  type SettleClient,
  type SettleOutcome,
  settleAll,
} from '../../src/bulk/index.js';
import { BillPay } from '../../src/client.js';
import { AuthenticationError, ValidationError } from '../../src/errors/api-errors.js';
import { AbortError } from '../../src/errors/network-errors.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js';

let folder: string;
let path: string;
let sandbox: Sandbox;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'billpay-settle-'));
  path = join(folder, 'run.journal');
});

afterEach(async () => {
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): BillPay {
  sandbox = createSandbox({ settleAfter: 'manual', balance: 1_000_000 });
  return client();
}

const client = (fetch: typeof globalThis.fetch = sandbox.fetch) =>
  new BillPay({
    fetch,
    baseUrl: sandbox.baseUrl,
    apiKey: sandbox.credentials.secretKey,
    clientId: sandbox.credentials.clientId,
    maxRetries: 0,
    logLevel: 'off',
  });

/** The same client, which looks a transaction up every few ms. */
const polling = (billpay: BillPay): SettleClient => ({
  transactions: {
    waitUntilSettled: (reference, options = {}) =>
      billpay.transactions.waitUntilSettled(reference, { ...options, interval: 5 }),
  },
});

const airtime = (key: string, amount = 100): BulkItem => ({
  product: 'airtime',
  params: { biller: 'MTN', recipient: '08031234567', amount },
  idempotency_key: key,
});

const airtimes = (count: number): BulkItem[] => Array.from({ length: count }, (_, i) => airtime(`k-${i}`));

const all = (run: BulkRun) => run.summary();

describe('settleAll', () => {
  it('follows all sales to their end, and asks nobody twice', async () => {
    const billpay = open();
    await all(purchaseAll(billpay, [...airtimes(4), airtime('f', 250)], { journal: fileJournal(path) }));
    for (const { reference, idempotency_key } of sandbox.transactions) {
      await sandbox.settle(reference, idempotency_key === 'f' ? 'failed' : 'success');
    }
    const soon = polling(billpay);
    const report = {
      success: 4,
      failed: 1,
      open: 0,
      awaitingRefund: 0,
      successAmount: 400,
      refundedAmount: 250,
    };
    expect(await settleAll(soon, { journal: fileJournal(path) })).toEqual(report);
    const requests = sandbox.requests.length;
    expect(await settleAll(soon, { journal: fileJournal(path) })).toEqual(report);
    expect(sandbox.requests).toHaveLength(requests);
    expect(readFileSync(path, 'utf8')).not.toMatch(/token/);
  });

  it('leaves open what does not settle in time', async () => {
    const billpay = open();
    await all(purchaseAll(billpay, airtimes(2), { journal: fileJournal(path) }));
    const ended: string[] = [];
    const report = await settleAll(billpay, {
      journal: fileJournal(path),
      timeout: 20,
      onOutcome: ({ status }) => ended.push(status),
    });
    expect(report).toMatchObject({ success: 0, open: 2 });
    expect(ended).toEqual(['open', 'open']);
  });

  it('throws what would meet every look', async () => {
    const billpay = open();
    await all(purchaseAll(billpay, airtimes(1), { journal: fileJournal(path) }));
    sandbox.client().revokeKey('secret');
    await expect(settleAll(polling(billpay), { journal: fileJournal(path) })).rejects.toMatchObject({
      name: 'AuthenticationError',
    });
  });

  it('keeps a sale open that failed without a refund, and looks again in a later call', async () => {
    let refunded = false;
    open();
    const billpay = client(async (input, init) => {
      const response = await sandbox.fetch(input, init);
      const url = String(input instanceof Request ? input.url : input);
      if (!url.includes('/transactions/status')) return response;
      const body = await response.json();
      return Response.json({ ...body, data: { ...body.data, refunded } });
    });
    await all(purchaseAll(billpay, [airtime('a', 250)], { journal: fileJournal(path) }));
    for (const { reference } of sandbox.transactions) await sandbox.settle(reference, 'failed');
    const outcomes: SettleOutcome[] = [];
    const onOutcome = (outcome: SettleOutcome) => void outcomes.push(outcome);
    const first = await settleAll(polling(billpay), { journal: fileJournal(path), timeout: 200, onOutcome });
    expect(first).toEqual({
      success: 0,
      failed: 0,
      open: 1,
      awaitingRefund: 1,
      successAmount: 0,
      refundedAmount: 0,
    });
    expect(outcomes).toMatchObject([
      {
        status: 'open',
        awaitingRefund: true,
        transaction: { transaction_status: 'failed', refunded: false },
      },
    ]);
    refunded = true;
    const later = await settleAll(polling(billpay), { journal: fileJournal(path), onOutcome });
    expect(later).toMatchObject({ failed: 1, open: 0, awaitingRefund: 0, refundedAmount: 250 });
    expect(outcomes[1]).toMatchObject({ status: 'settled', transaction: { refunded: true } });
  });

  it('ends all waits after an error that every lookup would meet', async () => {
    const billpay = open();
    await all(purchaseAll(billpay, airtimes(3), { journal: fileJournal(path) }));
    const error = new AuthenticationError('the key is wrong', { status: 401 });
    const signals: AbortSignal[] = [];
    let waits = 0;
    const stubborn: SettleClient = {
      transactions: {
        waitUntilSettled(_reference, { signal } = {}) {
          if (signal) signals.push(signal);
          if (++waits === 2) return Promise.reject(error);
          return new Promise((_, reject) => {
            signal?.addEventListener('abort', () => reject(new AbortError('aborted')));
          });
        },
      },
    };
    const settling = settleAll(stubborn, { journal: fileJournal(path), concurrency: 2 });
    await expect(settling).rejects.toBe(error);
    expect(waits).toBe(2);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  it('leaves a sale open whose lookup the service refuses, and follows the others', async () => {
    const billpay = open();
    await all(purchaseAll(billpay, airtimes(3), { journal: fileJournal(path) }));
    let lookups = 0;
    const picky: SettleClient = {
      transactions: {
        waitUntilSettled(reference, options) {
          if (++lookups === 1) return Promise.reject(new ValidationError('no', { status: 422, errors: {} }));
          return billpay.transactions.waitUntilSettled(reference, options);
        },
      },
    };
    for (const { reference } of sandbox.transactions) await sandbox.settle(reference, 'success');
    const report = await settleAll(picky, { journal: fileJournal(path), concurrency: 1 });
    expect(report).toMatchObject({ success: 2, open: 1 });
  });

  it('leaves everything open when its signal aborts', async () => {
    const billpay = open();
    await all(purchaseAll(billpay, airtimes(3), { journal: fileJournal(path) }));
    const signal = AbortSignal.abort();
    expect(await settleAll(billpay, { journal: fileJournal(path), signal })).toMatchObject({ open: 3 });
  });
});
