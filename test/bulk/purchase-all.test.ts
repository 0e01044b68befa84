import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type BulkResult,
  type PurchaseAllOptions,
  type PurchaseItem,
  purchaseAll,
} from '../../src/bulk/index.js';
import { BillPay } from '../../src/client.js';
import type { PurchaseOptions } from '../../src/index.js';
import { memoryOrderStore } from '../../src/orders/index.js';
import { createSandbox, type FaultOptions, type SandboxOptions, triggers } from '../../src/sandbox/index.js';
import { storesHere } from '../orders/support/stores.js';

function open(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ settleAfter: 'manual', balance: 1_000_000, ...options });
  onTestFinished(() => sandbox.close());
  const clientOf = (fetch: typeof globalThis.fetch = sandbox.fetch) =>
    new BillPay({ ...sandbox.connection, fetch, maxRetries: 0, logLevel: 'off' });
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
    const controller = new AbortController();
    let results = 0;
    const first = await all(billpay, airtimes(5), {
      store,
      signal: controller.signal,
      onItem: () => void (++results === 2 && controller.abort()),
      concurrency: 1,
    });
    expect(first.summary).toMatchObject({
      accepted: 2,
      left: { items: 3, unknown: 0 },
      stopped: { reason: 'signal' },
    });
    const second = await all(billpay, airtimes(5), { store });
    expect(second.summary).toEqual({
      accepted: 3,
      refused: 0,
      review: 0,
      invalid: 0,
      removed: 0,
      skipped: 2,
      left: { items: 0, unknown: 0 },
    });
    expect(sandbox.transactions.map((transaction) => transaction.idempotency_key).sort()).toEqual(
      airtimes(5).map((item) => item.idempotency_key),
    );
  });

  it('is shared by two calls at the same time, with the list in two orders', async () => {
    const { sandbox, billpay } = open();
    const store = await openHere();
    const items = airtimes(30);
    const runs = await Promise.all([
      all(billpay, items, { store }),
      all(billpay, items.toReversed(), { store }),
    ]);
    expect(runs.reduce((sum, { summary }) => sum + summary.accepted, 0)).toBe(30);
    expect(outcomesOf(runs.flatMap(({ results }) => results))).toEqual(
      items.map((item) => `${item.idempotency_key} accepted`).sort(),
    );
    expect(sandbox.transactions).toHaveLength(30);
  });

  it('buys neither the old form of a changed row nor a row that is gone, and names them first', async () => {
    const { sandbox, billpay } = open({ balance: 0 });
    const store = await openHere();
    await all(billpay, [airtime('a'), airtime('b', 5000), airtime('c')], { store });
    sandbox.client().fund(10_000);
    const list = [airtime('a'), airtime('b', 500), airtime('b-corrected', 500)];
    const { summary, results } = await all(billpay, list, { store });
    expect(summary).toMatchObject({ accepted: 2, invalid: 1, removed: 1, left: { items: 0 } });
    expect(summary.stopped).toBeUndefined();
    expect(outcomesOf(results.slice(0, 2))).toEqual(['b invalid', 'c removed']);
    const changed = results.find(({ status }) => status === 'invalid');
    expect(changed?.errors?.['idempotency_key']).toMatch(/that was never bought and is not bought now/);
    expect(
      sandbox.transactions.map(({ idempotency_key, amount }) => [idempotency_key, amount]).sort(),
    ).toEqual([
      ['a', 100],
      ['b-corrected', 500],
    ]);
    // In the list again, it is bought.
    expect((await all(billpay, [airtime('c')], { store })).summary).toMatchObject({ accepted: 1 });
  });

  it('resumes what is unknown as it was sent, though its row changed or is gone, and says so', async () => {
    const { sandbox, billpay } = open();
    const store = await openHere();
    const controller = new AbortController();
    const lost = airtime('a', 100, recipientOf('response lost'));
    const gone = airtime('b', 100, recipientOf('response lost'));
    const aborting = (item: PurchaseItem, options?: PurchaseOptions) =>
      billpay.purchase(item, options).catch((error: unknown) => {
        controller.abort();
        throw error;
      });
    await purchaseAll({ purchase: aborting, transactions: billpay.transactions }, [lost, gone], {
      store,
      ...quick,
      concurrency: 2,
      signal: controller.signal,
    });
    expect((await store.stats()).count).toMatchObject({ unknown: 2 });
    const { results, summary } = await all(billpay, [airtime('a', 200)], { store });
    expect(summary).toMatchObject({ accepted: 2, invalid: 1, removed: 0 });
    expect(results[0]?.errors?.['idempotency_key']).toMatch(/may have been charged and is resumed/);
    for (const { next } of results.slice(1))
      expect(next).toMatch(/resumed under its key as it had been sent/);
    expect(sandbox.transactions.map(({ amount }) => amount)).toEqual([100, 100]);
  });

  it.each([
    ['another amount', airtime('a', 200), run],
    ['another run', airtime('a', 100), 'march'],
  ])('advises against a second purchase of what was bought: %s', async (_what, item, name) => {
    const { sandbox, billpay } = open();
    const store = await openHere();
    await all(billpay, [airtime('a', 100)], { store });
    const { results } = await all(billpay, [item], { store, run: name });
    expect(results[0]?.errors?.['idempotency_key']).toMatch(
      /under another key it would be bought a second time/,
    );
    expect(sandbox.transactions).toHaveLength(1);
  });

  it('compares the name of a run as it was given', async () => {
    const { billpay } = open({ balance: 0 });
    const store = await openHere();
    for (const name of ['payday', 'PAYDAY', 'payday '])
      await all(billpay, [airtime(`${name}/1`)], { store, run: name });
    for (const name of ['payday', 'PAYDAY', 'payday ']) {
      const { summary } = await all(billpay, [airtime(`${name}/1`)], { store, run: name });
      expect(summary).toMatchObject({ removed: 0, invalid: 0, left: { items: 1 } });
    }
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
    const { sandbox, billpay } = open({ balance: 0 });
    const store = await openHere();
    await all(billpay, [airtime('a')], { store, run: 'january' });
    sandbox.client().fund(1000);
    const { summary, results } = await all(billpay, [airtime('b'), airtime('a')], { store, run: 'february' });
    expect(summary).toMatchObject({ accepted: 1, invalid: 1, removed: 0 });
    expect(results[0]?.errors?.['idempotency_key']).toMatch(
      /^belongs to the run january: leave it to that one/,
    );
    expect(sandbox.transactions).toHaveLength(1);
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
    expect(summary).toMatchObject({ accepted: 5 });
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
    ]);
    expect(outcomesOf(results)).toEqual(['bought accepted', 'invalid invalid', 'refused refused']);
    for (const { next } of results) expect(next).toMatch(/\.$/);
    const refused = results.find(({ status }) => status === 'refused');
    expect(refused?.error).toMatchObject({ name: 'BillerNotConfiguredError', status: 422 });
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
    expect(summary).toMatchObject({ accepted: 1 });
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

  it('finds a biller of another product before anything is bought', async () => {
    const { sandbox, billpay } = open();
    const wrong: PurchaseItem = {
      product: 'airtime',
      params: { biller: 'DSTV', recipient: '08031234567', amount: 100 },
      idempotency_key: 'wrong',
    };
    let boughtBefore: number | undefined;
    await all(billpay, [airtime('a'), wrong], {
      onItem: ({ errors }) => {
        if (errors?.['biller']) boughtBefore = sandbox.transactions.length;
      },
    });
    expect(boughtBefore).toBe(0);
  });

  it('buys none of two items that have one key', async () => {
    const { sandbox, billpay } = open();
    const { summary } = await all(billpay, [airtime('a', 100), airtime('b'), airtime('a', 200)]);
    expect(summary).toMatchObject({ accepted: 1, invalid: 1, left: { items: 0 } });
    expect(sandbox.transactions.map(({ idempotency_key }) => idempotency_key)).toEqual(['b']);
  });

  it('ends when all of its list is done, though another process bought some of it', async () => {
    const { billpay } = open();
    const store = memoryOrderStore();
    const buying = await store
      .insertMany([{ id: 'a', product: 'airtime', params: airtime('a').params, run }])
      .then(() =>
        store.update(
          { id: 'a', state: 'placed', attempt: 0 },
          { state: 'buying', attempt: 1, dueInMs: 60_000 },
          undefined,
        ),
      );
    expect(buying?.state).toBe('buying');
    const ended = all(billpay, [airtime('a'), airtime('b')], { store });
    await vi.waitFor(async () => expect((await store.find('b'))?.state).toBe('accepted'));
    await store.update(
      { id: 'a', state: 'buying', attempt: 1 },
      { state: 'accepted', reference: 'TXN-1', accepted: true, dueInMs: 60_000 },
      undefined,
    );
    expect((await ended).summary).toMatchObject({ accepted: 1, skipped: 1, left: { items: 0 } });
  });

  it.each([1, 2, 3])(
    'ends with the error of onItem for result %i, after the purchases under way',
    async (wrong) => {
      const { billpay } = open();
      const store = memoryOrderStore();
      let results = 0;
      const failing = all(billpay, airtimes(10), {
        store,
        onItem: async () => {
          if (++results === wrong) throw new Error('the disk is full');
        },
      });
      await expect(failing).rejects.toThrow('the disk is full');
      expect(results).toBe(wrong);
      expect((await store.stats()).count.buying).toBe(0);
    },
  );

  it('hears its signal while its source waits', async () => {
    const { billpay } = open();
    const controller = new AbortController();
    async function* stalling() {
      yield airtime('a');
      setImmediate(() => controller.abort());
      await new Promise(() => {});
    }
    const { summary } = await all(billpay, stalling(), { signal: controller.signal });
    expect(summary).toMatchObject({ accepted: 0, stopped: { reason: 'signal' } });
  });
});

describe('a run stops by itself', () => {
  it('on an empty wallet, says how much is left, and continues at once when called again', async () => {
    const { sandbox, billpay } = open({ balance: 250 });
    const store = memoryOrderStore();
    const { summary } = await all(billpay, airtimes(5), { store, concurrency: 1 });
    expect(summary).toMatchObject({
      accepted: 2,
      left: { items: 3 },
      stopped: { reason: 'account', error: { name: 'InsufficientBalanceError', status: 402 } },
    });
    sandbox.client().fund(1000);
    expect((await all(billpay, airtimes(5), { store })).summary).toMatchObject({ accepted: 3, skipped: 2 });
    expect(sandbox.transactions).toHaveLength(5);
  });

  it('but buys what the wallet covers beside an item that it does not', async () => {
    const { billpay } = open({ balance: 250 });
    const { summary } = await all(billpay, [airtime('a', 5000), airtime('b'), airtime('c')], {
      concurrency: 1,
    });
    expect(summary).toMatchObject({
      accepted: 2,
      left: { items: 1 },
      stopped: { reason: 'account' },
    });
  });

  it('but resumes what is unknown and the wallet covers, beside an item that it does not', async () => {
    const { sandbox, billpay } = open({ balance: 250 });
    const lost = airtime('lost', 100, recipientOf('response lost'));
    const { summary } = await all(billpay, [airtime('a', 5000), lost], { concurrency: 1 });
    expect(summary).toMatchObject({ accepted: 1, left: { items: 1, unknown: 0 } });
    expect(sandbox.transactions).toHaveLength(1);
  });

  it.each<[string, FaultOptions]>([
    ['the key', { status: 401, code: 'UNAUTHORIZED' }],
    ['the account', { status: 403, code: 'ACCOUNT_RESTRICTED' }],
    ['the address', { status: 404 }],
    ['the address, whatever happened before', { status: 405, code: 'METHOD_NOT_ALLOWED' }],
  ])('on a fault of %s, and buys all when called again', async (_what, fault) => {
    const { sandbox, billpay } = open();
    const store = memoryOrderStore();
    await all(billpay, [airtime('before')], { store });
    sandbox.faults.add({ ...fault, times: 'always' });
    const sent = sandbox.requests.length;
    const { summary } = await all(billpay, [airtime('before'), ...airtimes(20)], { store, concurrency: 2 });
    expect(summary).toMatchObject({ refused: 0, left: { items: 20 }, stopped: { reason: 'account' } });
    expect(sandbox.requests.length - sent).toBeLessThanOrEqual(2);
    sandbox.faults.clear();
    const { summary: mended } = await all(billpay, [airtime('before'), ...airtimes(20)], { store });
    expect(mended).toMatchObject({ accepted: 20, skipped: 1 });
  });

  it('with a public key, which cannot buy', async () => {
    const { sandbox } = open();
    const { baseUrl, fetch, credentials } = sandbox;
    const { publicKey: apiKey, clientId } = credentials;
    const billpay = new BillPay({ fetch, baseUrl, apiKey, clientId, logLevel: 'off' });
    const { summary } = await all(billpay, airtimes(20));
    expect(summary).toMatchObject({ left: { items: 20 }, stopped: { reason: 'account' } });
    expect(sandbox.requests).toHaveLength(0);
  });

  it('on a fault of the account while items are unknown, which stay so', async () => {
    const { sandbox, billpay } = open();
    const store = memoryOrderStore();
    sandbox.faults.add({ when: 'after', connection: 'close', times: 1 });
    sandbox.faults.add({ status: 401, code: 'UNAUTHORIZED', times: 'always' });
    const { summary } = await all(billpay, airtimes(1), { store });
    expect(summary).toMatchObject({ left: { items: 1, unknown: 1 }, stopped: { reason: 'account' } });
  });

  it('on a signal, also one that was aborted before, and can be continued', async () => {
    const { sandbox, billpay } = open();
    const store = memoryOrderStore();
    const controller = new AbortController();
    let results = 0;
    const { summary } = await all(billpay, airtimes(10), {
      store,
      concurrency: 1,
      signal: controller.signal,
      onItem: () => void (++results === 3 && controller.abort()),
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
    [
      'a name of a run that no store can hold',
      { store: memoryOrderStore(), run: 'a\0b' },
      /run.*must be a name of 1 to 255 bytes/,
    ],
    ['a concurrency of 0', { store: memoryOrderStore(), run, concurrency: 0 }, /concurrency.*at least 1/],
  ])('are refused before anything is stored: %s', async (_, options, problem) => {
    const { billpay, sandbox } = open();
    await expect(purchaseAll(billpay, airtimes(1), options as never)).rejects.toThrow(problem);
    expect(sandbox.requests).toHaveLength(0);
  });
});
