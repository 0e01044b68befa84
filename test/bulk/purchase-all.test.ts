import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type BulkResult,
  type PurchaseAllOptions,
  type PurchaseItem,
  purchaseAll,
} from '../../src/bulk/index.js';
import { BillPay } from '../../src/client.js';
import { memoryOrderStore } from '../../src/orders/index.js';
import { createSandbox, type SandboxOptions, triggers } from '../../src/sandbox/index.js';
import { storesHere } from '../orders/support/stores.js';

function open(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ settleAfter: 'manual', balance: 1_000_000, ...options });
  onTestFinished(() => sandbox.close());
  const { secretKey: apiKey, clientId } = sandbox.credentials;
  const clientOf = (fetch: typeof globalThis.fetch = sandbox.fetch) =>
    new BillPay({ fetch, baseUrl: sandbox.baseUrl, apiKey, clientId, maxRetries: 0, logLevel: 'off' });
  return { sandbox, clientOf, billpay: clientOf() };
}

const airtime = (key: string, amount = 100, recipient = '08031234567'): PurchaseItem => ({
  product: 'airtime',
  params: { biller: 'MTN', recipient, amount },
  idempotency_key: key,
});

const airtimes = (count: number): PurchaseItem[] =>
  Array.from({ length: count }, (_, i) => airtime(`k-${i}`));

const run = 'payday';
const quick = { run, retryDelay: () => 1 };

/** Runs to the end and collects the results. */
async function all(
  billpay: BillPay,
  items: Iterable<PurchaseItem> | AsyncIterable<PurchaseItem>,
  options: Partial<PurchaseAllOptions<unknown>> = {},
) {
  const results: BulkResult[] = [];
  const summary = await purchaseAll(billpay, items, {
    store: memoryOrderStore(),
    ...quick,
    onItem: (result) => results.push(result),
    ...options,
  });
  return { results, summary };
}

const outcomesOf = (results: readonly BulkResult[]) =>
  results.map(({ item, status }) => `${item.idempotency_key} ${status}`).sort();

const recipientOf = (effect: string): string =>
  triggers.find((trigger) => trigger.effect === effect)?.recipient ?? `no trigger: ${effect}`;

describe.each(storesHere())('a run on %s', (_name, openStore) => {
  const openHere = async () => {
    const { store, close } = await openStore();
    onTestFinished(close);
    return store;
  };

  it('buys every item once, continues where it stopped, and skips what was bought', async () => {
    const { sandbox, billpay } = open();
    const store = await openHere();
    const first = await all(billpay, airtimes(5), {
      store,
      stopWhen: (_result, { accepted }) => accepted === 2,
      concurrency: 1,
    });
    expect(first.summary).toMatchObject({
      accepted: 2,
      left: { items: 3, amount: 300, unknown: 0 },
      stopped: { reason: 'stopWhen' },
    });
    const second = await all(billpay, airtimes(5), { store });
    expect(second.summary).toEqual({
      accepted: 3,
      refused: 0,
      review: 0,
      invalid: 0,
      skipped: 2,
      spent: 300,
      left: { items: 0, amount: 0, unknown: 0 },
    });
    expect(sandbox.transactions.map((transaction) => transaction.idempotency_key).sort()).toEqual(
      airtimes(5).map((item) => item.idempotency_key),
    );
  });

  it('is shared by two calls at the same time', async () => {
    const { sandbox, billpay } = open();
    const store = await openHere();
    const items = airtimes(30);
    const runs = await Promise.all([all(billpay, items, { store }), all(billpay, items, { store })]);
    expect(runs.reduce((sum, { summary }) => sum + summary.accepted, 0)).toBe(30);
    expect(outcomesOf(runs.flatMap(({ results }) => results))).toEqual(
      items.map((item) => `${item.idempotency_key} accepted`).sort(),
    );
    expect(sandbox.transactions).toHaveLength(30);
  });

  it('names a changed item before anything is bought', async () => {
    const { sandbox, billpay } = open();
    const store = await openHere();
    await all(billpay, [airtime('a', 100)], { store });
    const seen: string[] = [];
    const { results } = await all(billpay, [airtime('b'), airtime('a', 200)], {
      store,
      onItem: ({ item, errors }) =>
        seen.push(
          `${item.idempotency_key} ${errors?.['idempotency_key'] ?? ''} ${sandbox.transactions.length}`,
        ),
    });
    expect(results).toEqual([]);
    expect(seen[0]).toMatch(/^a was stored with other parameters before.* 1$/);
    expect(seen[1]).toMatch(/^b /);
  });

  it('names an item that no store can hold, and buys the others', async () => {
    const { sandbox, billpay } = open();
    const store = await openHere();
    const items = [airtime('x'.repeat(256)), airtime('a\0b'), airtime('c', 100, '0803\ud83d'), airtime('d')];
    const { summary, results } = await all(billpay, items, { store });
    expect(summary).toMatchObject({ accepted: 1, invalid: 3 });
    const problems = results.flatMap(({ errors }) => Object.keys(errors ?? {}));
    expect(problems).toEqual(['idempotency_key', 'idempotency_key', 'recipient']);
    expect(sandbox.transactions).toHaveLength(1);
  });

  it('keeps runs on one store apart', async () => {
    const { sandbox, billpay } = open();
    const store = await openHere();
    await all(billpay, [airtime('a')], { store, run: 'january', stopWhen: () => true });
    const { summary } = await all(billpay, [airtime('b'), airtime('a')], { store, run: 'february' });
    expect(summary).toMatchObject({ accepted: 1, invalid: 1 });
    expect(sandbox.transactions).toHaveLength(2);
  });
});

describe('a run', () => {
  it('buys from all families and sums up', async () => {
    const { sandbox, billpay } = open();
    const [bundle] = (await billpay.data.products({ biller: 'MTN' })).products;
    const [pack] = (await billpay.tv.products({ biller: 'GOTV' })).products;
    const [pin] = (await billpay.edu.products({ biller: 'WAEC' })).products;
    if (!bundle || !pack || !pin) throw new Error('a catalogue is empty');
    const items: PurchaseItem[] = [
      airtime('a', 150.5),
      {
        product: 'data',
        params: { biller: 'MTN', recipient: '0803', product_code: bundle.product_code },
        idempotency_key: 'b',
      },
      {
        product: 'tv',
        params: { biller: 'GOTV', recipient: '2011', product_code: pack.product_code },
        idempotency_key: 'c',
      },
      {
        product: 'electricity',
        params: { biller: 'AEDC', recipient: '0124', meter_type: 'prepaid', amount: 2000 },
        idempotency_key: 'd',
      },
      {
        product: 'edu',
        params: { biller: 'WAEC', recipient: '0803', product_code: pin.product_code, quantity: 2 },
        idempotency_key: 'e',
      },
    ];
    const { summary } = await all(billpay, items);
    const spent = 150.5 + bundle.amount + pack.amount + 2000 + 2 * pin.amount;
    expect(summary).toMatchObject({ accepted: 5, spent });
    expect(sandbox.wallet().balance).toBe(1_000_000 - spent);
  });

  it('says of each item what happened and what to do', async () => {
    const { billpay } = open();
    const { results } = await all(billpay, [
      airtime('bought'),
      {
        product: 'data',
        params: { biller: 'MTN', recipient: '0803', product_code: 'NONE' },
        idempotency_key: 'refused',
      },
      airtime('invalid', -1),
      airtime('invalid', -2),
    ]);
    expect(outcomesOf(results)).toEqual([
      'bought accepted',
      'invalid invalid',
      'invalid invalid',
      'refused refused',
    ]);
    for (const { next } of results) expect(next).toMatch(/\.$/);
    const refused = results.find(({ status }) => status === 'refused');
    expect(refused?.error).toMatchObject({ name: 'UnresolvableFieldError', status: 422 });
    const invalid = results.find(({ status }) => status === 'invalid');
    expect(invalid?.errors).toMatchObject({ amount: expect.any(String) });
  });

  it('buys each row of a source that uses one object for all of them', async () => {
    const { sandbox, billpay } = open();
    async function* rows() {
      const row = {
        product: 'airtime' as const,
        params: { biller: 'MTN', recipient: '08031234567', amount: 1 },
        idempotency_key: '',
      };
      for (let n = 1; n <= 3; n++) {
        row.idempotency_key = `row-${n}`;
        row.params.amount = n * 100;
        yield row;
      }
    }
    await all(billpay, rows());
    expect(sandbox.transactions.map(({ amount }) => amount).sort()).toEqual([100, 200, 300]);
  });

  it.each([
    ['a lost response', 'response lost'],
    ['a 500 after the debit', 'error after the debit'],
    ["a proxy's page", 'proxy page'],
  ])('buys again under the same key after %s, and charges once', async (_what, effect) => {
    const { sandbox, billpay } = open();
    const { summary } = await all(billpay, [airtime('a', 100, recipientOf(effect))]);
    expect(summary).toMatchObject({ accepted: 1, spent: 100 });
    expect(sandbox.transactions).toHaveLength(1);
  });

  it('respects its concurrency', async () => {
    const { sandbox, clientOf } = open();
    let underway = 0;
    let most = 0;
    const slow: typeof fetch = async (input, init) => {
      most = Math.max(most, ++underway);
      await new Promise(setImmediate);
      const response = await sandbox.fetch(input, init);
      underway--;
      return response;
    };
    await all(clientOf(slow), airtimes(20), { concurrency: 3 });
    expect(most).toBe(3);
  });

  it('ends with the error of onItem, after the purchases under way', async () => {
    const { billpay } = open();
    const store = memoryOrderStore();
    const failing = all(billpay, airtimes(10), {
      store,
      onItem: () => {
        throw new Error('the disk is full');
      },
    });
    await expect(failing).rejects.toThrow('the disk is full');
    expect((await store.stats()).count.buying).toBe(0);
  });
});

describe('a run stops by itself', () => {
  it('on an empty wallet, says how much is left, and continues at once when called again', async () => {
    const { sandbox, billpay } = open({ balance: 250 });
    const store = memoryOrderStore();
    const { summary } = await all(billpay, airtimes(5), { store, concurrency: 1 });
    expect(summary).toMatchObject({
      accepted: 2,
      left: { items: 3, amount: 300 },
      stopped: { reason: 'wallet', error: { name: 'InsufficientBalanceError', status: 402 } },
    });
    sandbox.client().fund(1000);
    expect((await all(billpay, airtimes(5), { store })).summary).toMatchObject({ accepted: 3, skipped: 2 });
    expect(sandbox.transactions).toHaveLength(5);
  });

  it.each([
    ['access', { status: 401, code: 'UNAUTHORIZED' }],
    ['access', { status: 403, code: 'ACCOUNT_RESTRICTED' }],
    ['endpoint', { status: 404 }],
  ])('on %s (%o)', async (reason, fault) => {
    const { sandbox, billpay } = open();
    sandbox.faults.add({ ...fault, times: Number.POSITIVE_INFINITY });
    const { summary } = await all(billpay, airtimes(20), { concurrency: 2 });
    expect(summary.stopped?.reason).toBe(reason);
    expect(summary.left.items + summary.refused).toBe(20);
    expect(sandbox.requests.length).toBeLessThanOrEqual(2);
  });

  it('but not on a 404 of one item among others', async () => {
    const { sandbox, billpay } = open();
    const store = memoryOrderStore();
    sandbox.faults.add({ recipient: '08039999999', status: 404, times: 2 });
    const items = [...airtimes(3), airtime('missing', 100, '08039999999'), airtime('last')];
    const { summary } = await all(billpay, items, { store, concurrency: 1 });
    expect(summary).toMatchObject({ accepted: 5 });
    expect(summary.stopped).toBeUndefined();
  });

  it('on a signal, also one that was aborted before, and can be continued', async () => {
    const { sandbox, billpay } = open();
    const store = memoryOrderStore();
    const controller = new AbortController();
    const { summary } = await all(billpay, airtimes(10), {
      store,
      concurrency: 1,
      signal: controller.signal,
      onProgress: ({ accepted }) => accepted === 3 && controller.abort(),
    });
    expect(summary).toMatchObject({ accepted: 3, left: { items: 7 }, stopped: { reason: 'signal' } });
    const none = await all(billpay, airtimes(10), { store, signal: AbortSignal.abort() });
    expect(none.summary).toMatchObject({ accepted: 0, stopped: { reason: 'signal' } });
    await all(billpay, airtimes(10), { store });
    expect(sandbox.transactions).toHaveLength(10);
  });
});

describe('wrong options', () => {
  it.each<[string, object, RegExp]>([
    ['no store', { run }, /store.*must be an order store/],
    ['no run', { store: memoryOrderStore() }, /run.*is missing/],
    ['a concurrency of 0', { store: memoryOrderStore(), run, concurrency: 0 }, /concurrency.*at least 1/],
    [
      'an unknown name',
      { store: memoryOrderStore(), run, concurency: 2 },
      /concurency.*did you mean concurrency/,
    ],
  ])('are refused before anything is stored: %s', async (_, options, problem) => {
    const { billpay, sandbox } = open();
    await expect(purchaseAll(billpay, airtimes(1), options as never)).rejects.toThrow(problem);
    expect(sandbox.requests).toHaveLength(0);
  });
});
