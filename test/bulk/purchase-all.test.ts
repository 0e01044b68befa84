import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type BulkItem,
  type BulkOutcome,
  type BulkRun,
  fileJournal,
  purchaseAll,
  settleAll,
} from '../../src/bulk/index.js';
import { BillPay } from '../../src/client.js';
import { createSandbox, type Sandbox, type SandboxOptions, triggers } from '../../src/sandbox/index.js';

let folder: string;
let path: string;
let sandbox: Sandbox;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'billpay-bulk-'));
  path = join(folder, 'run.journal');
});

afterEach(async () => {
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(options: SandboxOptions = {}, fetch?: typeof globalThis.fetch): BillPay {
  sandbox = createSandbox({ settleAfter: 'manual', balance: 1_000_000, ...options });
  return client(fetch);
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

const airtime = (key: string, amount = 100, recipient = '08031234567'): BulkItem => ({
  product: 'airtime',
  params: { biller: 'MTN', recipient, amount },
  idempotency_key: key,
});

const airtimes = (count: number): BulkItem[] => Array.from({ length: count }, (_, i) => airtime(`k-${i}`));

async function all(run: BulkRun) {
  const outcomes: BulkOutcome[] = [];
  for await (const outcome of run) outcomes.push(outcome);
  return { outcomes, summary: await run.summary() };
}

const lines = (): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

function recipientOf(effect: string): string {
  const trigger = triggers.find((one) => one.effect === effect);
  if (!trigger) throw new Error(`no trigger recipient has the effect '${effect}'`);
  return trigger.recipient;
}

describe('a run', () => {
  it('buys from all families and sums up', async () => {
    const billpay = open();
    const [bundle] = (await billpay.data.products({ biller: 'MTN' })).products;
    const [pack] = (await billpay.tv.products({ biller: 'GOTV' })).products;
    const [pin] = (await billpay.edu.products({ biller: 'WAEC' })).products;
    if (!bundle || !pack || !pin) throw new Error('a catalogue is empty');
    const items: BulkItem[] = [
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
    const { outcomes, summary } = await all(purchaseAll(billpay, items, { journal: fileJournal(path) }));
    const spent = 150.5 + bundle.amount + pack.amount + 2000 + 2 * pin.amount;
    expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('accepted'));
    expect(summary).toEqual({ accepted: 5, refused: 0, unknown: 0, skipped: 0, spent, unknownKeys: [] });
    expect(sandbox.wallet().balance).toBe(1_000_000 - spent);
  });

  it('keeps a purchase in sight while a later row has the same key', async () => {
    const billpay = open();
    const rows = [airtime('a', 5000), airtime('a', 200), airtime('b')];
    const { outcomes, summary } = await all(purchaseAll(billpay, rows, { journal: fileJournal(path) }));
    expect(outcomes.map(({ status, item }) => `${status} ${item.idempotency_key}`).sort()).toEqual([
      'accepted a',
      'accepted b',
      'refused a',
    ]);
    expect(summary).toMatchObject({ accepted: 2, refused: 1, unknown: 0, spent: 5100 });
  });

  it('reports each of several rows without a key', async () => {
    const rows = [1, 2, 3].map(() => Object({ ...airtime(''), idempotency_key: undefined }));
    const { outcomes } = await all(purchaseAll(open(), rows, { journal: fileJournal(path) }));
    expect(outcomes.map(({ status }) => status)).toEqual(['refused', 'refused', 'refused']);
  });

  it('buys each row of a source that uses one object for all of them', async () => {
    function* rows() {
      const row = Object(airtime('', 1));
      for (let n = 1; n <= 4; n++) {
        row.idempotency_key = `k-${n}`;
        row.params.amount = n * 100;
        yield row;
      }
    }
    const { summary } = await all(purchaseAll(open(), rows(), { journal: fileJournal(path) }));
    expect(summary).toMatchObject({ accepted: 4, spent: 1000 });
    const sold = sandbox.transactions.map((one) => [one.idempotency_key, one.amount]);
    expect(sold).toEqual([1, 2, 3, 4].map((n) => [`k-${n}`, n * 100]));
  });

  it('rejects the summary of a run whose iteration threw', async () => {
    const journal = fileJournal(path);
    const held = await journal.open();
    const run = purchaseAll(open(), airtimes(1), { journal });
    await expect(all(run)).rejects.toMatchObject({ name: 'JournalBusyError' });
    await expect(run.summary()).rejects.toMatchObject({ name: 'JournalBusyError' });
    await held.close();
  });

  it('stops at an option that is wrong, and tries those items again in a later run', async () => {
    open();
    let broken = true;
    const headers = () => {
      if (broken) throw new Error('no trace context');
      return {};
    };
    const { secretKey: apiKey, clientId } = sandbox.credentials;
    const billpay = new BillPay({
      fetch: sandbox.fetch,
      baseUrl: sandbox.baseUrl,
      apiKey,
      clientId,
      headers,
    });
    const first = await all(
      purchaseAll(billpay, airtimes(10), { journal: fileJournal(path), concurrency: 1 }),
    );
    expect(first.summary).toMatchObject({
      refused: 1,
      stopped: { reason: 'configuration', left: { items: 10 } },
    });
    broken = false;
    const second = await all(purchaseAll(billpay, airtimes(10), { journal: fileJournal(path) }));
    expect(second.summary).toMatchObject({ accepted: 10 });
  });

  it('writes an item down as unknown whose error cannot be read', async () => {
    const unreadable = Object.defineProperty(new Error('x'), 'name', {
      get: () => {
        throw new Error('a getter');
      },
    });
    const purchase = () => Promise.reject(unreadable);
    const { summary } = await all(purchaseAll({ purchase }, [airtime('a')], { journal: fileJournal(path) }));
    expect(summary).toMatchObject({ unknown: 1, unknownKeys: ['a'] });
    expect(lines().at(-1)).toMatchObject({ t: 'end', state: 'unknown', key: 'a', error: 'Error' });
  });

  it('writes an item to disk before it is sent, and its outcome after', async () => {
    const seen: unknown[] = [];
    const billpay = open({}, async (input, init) => {
      seen.push(...lines());
      return sandbox.fetch(input, init);
    });
    await all(purchaseAll(billpay, [airtime('a')], { journal: fileJournal(path) }));
    const start = { t: 'start', item: airtime('a') };
    expect(seen).toEqual([start]);
    const [sale] = sandbox.transactions;
    expect(lines()).toEqual([
      start,
      { t: 'end', state: 'accepted', key: 'a', reference: sale?.reference, amount: 100 },
    ]);
  });

  it('respects its concurrency, and takes items no faster than it buys them', async () => {
    let underway = 0;
    let most = 0;
    let letGo = () => {};
    const threeAtOnce = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const billpay = open({}, async (input, init) => {
      most = Math.max(most, ++underway);
      if (underway === 3) letGo();
      await threeAtOnce;
      underway--;
      return sandbox.fetch(input, init);
    });
    let taken = 0;
    let ended = 0;
    async function* source() {
      for (const item of airtimes(30)) {
        taken++;
        expect(taken - ended).toBeLessThanOrEqual(4);
        yield item;
      }
    }
    for await (const _ of purchaseAll(billpay, source(), { journal: fileJournal(path), concurrency: 3 }))
      ended++;
    expect(most).toBe(3);
    expect(ended).toBe(30);
  });

  it.each<[string, unknown]>([
    ['no amount', undefined],
    ['null', null],
    ['text that is no number', '1,000.00'],
    ['an amount beyond all numbers', Number.POSITIVE_INFINITY],
  ])('counts %s in a response as the amount that was asked for', async (_, amount) => {
    open();
    const billpay = client(async (input, init) => {
      const response = await sandbox.fetch(input, init);
      const body = await response.json();
      return Response.json({ ...body, data: { ...body.data, amount } }, { status: response.status });
    });
    const { summary } = await all(
      purchaseAll(billpay, airtimes(10), {
        journal: fileJournal(path),
        concurrency: 1,
        stopWhen: (_, { spent }) => spent >= 300,
      }),
    );
    expect(summary).toMatchObject({ accepted: 3, spent: 300, stopped: { reason: 'stopWhen' } });
    const journal = await fileJournal(path).open();
    expect(journal.totals().acceptedAmount).toBe(300);
    await journal.close();
  });

  it('runs to its end for the summary', async () => {
    const billpay = open();
    const run = purchaseAll(billpay, airtimes(10), { journal: fileJournal(path) });
    for await (const outcome of run) {
      expect(outcome.status).toBe('accepted');
      break;
    }
    // Left by `break`: what was under way is in the journal, the rest is for the next run.
    const first = await run.summary();
    expect(first.stopped).toEqual({ reason: 'signal' });
    const second = await purchaseAll(billpay, airtimes(10), { journal: fileJournal(path) }).summary();
    expect(second.accepted + second.skipped).toBe(10);
    expect(sandbox.transactions).toHaveLength(10);
  });

  it('continues past errors of one item', async () => {
    const billpay = open();
    const items = [
      airtime('bad', 0),
      { ...airtime('worse'), product: 'water' } as unknown as BulkItem,
      {
        product: 'data',
        params: { biller: 'MTN', recipient: '0803', product_code: 'NONE' },
        idempotency_key: 'code',
      } as const,
      airtime('provider', 100, recipientOf('provider unavailable')),
      airtime('lost', 100, recipientOf('response lost')),
      airtime('good'),
    ];
    const { outcomes, summary } = await all(
      purchaseAll(billpay, items, { journal: fileJournal(path), concurrency: 1 }),
    );
    expect(outcomes.map(({ status, item }) => [item.idempotency_key, status])).toEqual([
      ['bad', 'refused'],
      ['worse', 'refused'],
      ['code', 'refused'],
      ['provider', 'refused'],
      ['lost', 'unknown'],
      ['good', 'accepted'],
    ]);
    expect(summary).toMatchObject({ accepted: 1, refused: 4, unknown: 1, unknownKeys: ['lost'] });
    expect(summary).not.toHaveProperty('stopped');
  });

  it('reports its progress', async () => {
    const billpay = open();
    const progress: object[] = [];
    const options = {
      journal: fileJournal(path),
      concurrency: 1,
      onProgress: (at: object) => progress.push(at),
    };
    await all(purchaseAll(billpay, airtimes(2), options));
    const zero = { refused: 0, unknown: 0, skipped: 0 };
    expect(progress).toEqual([
      { ...zero, accepted: 1, spent: 100 },
      { ...zero, accepted: 2, spent: 200 },
    ]);
  });
});

describe('a run on an old journal', () => {
  it('sends nothing twice', async () => {
    const billpay = open();
    await all(purchaseAll(billpay, airtimes(5), { journal: fileJournal(path) }));
    const requests = sandbox.requests.length;
    const { outcomes, summary } = await all(
      purchaseAll(billpay, airtimes(5), { journal: fileJournal(path) }),
    );
    expect(outcomes).toEqual([]);
    expect(summary).toEqual({ accepted: 0, refused: 0, unknown: 0, skipped: 5, spent: 0, unknownKeys: [] });
    expect(sandbox.requests).toHaveLength(requests);
  });

  it('resumes unknown items with the same key, even when the list no longer names them', async () => {
    const billpay = open();
    await all(
      purchaseAll(billpay, [airtime('lost', 100, recipientOf('response lost'))], {
        journal: fileJournal(path),
      }),
    );
    const { outcomes } = await all(purchaseAll(billpay, [], { journal: fileJournal(path) }));
    expect(outcomes).toMatchObject([
      { status: 'accepted', resumed: true, item: { idempotency_key: 'lost' } },
    ]);
    expect(sandbox.transactions).toHaveLength(1);
    expect(sandbox.audit().ok).toBe(true);
  });

  it('counts an item that it resumes once, although the list names it again', async () => {
    const billpay = open();
    const items = [airtime('lost', 100, recipientOf('response lost')), airtime('a')];
    await all(purchaseAll(billpay, items, { journal: fileJournal(path) }));
    const { summary } = await all(purchaseAll(billpay, items, { journal: fileJournal(path) }));
    expect(summary).toMatchObject({ accepted: 1, skipped: 1 });
  });

  it('resumes an item once, however often it was begun', async () => {
    let requests = 0;
    const billpay = open({}, (input, init) => {
      requests++;
      return sandbox.fetch(input, init);
    });
    const start = { t: 'start', item: airtime('a') };
    const deferred = { t: 'end', state: 'deferred', key: 'a', error: 'RateLimitError' };
    const history = [start, deferred, start, deferred, start];
    writeFileSync(path, history.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { outcomes, summary } = await all(
      purchaseAll(billpay, [airtime('a')], { journal: fileJournal(path) }),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['accepted']);
    expect(summary).toMatchObject({ accepted: 1, skipped: 0, spent: 100 });
    expect(requests).toBe(1);
    const journal = await fileJournal(path).open();
    expect(journal.totals().acceptedAmount).toBe(100);
    await journal.close();
  });

  it('counts a sale once that is in its journal twice', async () => {
    const reference = 'TXN-1';
    const accepted = { t: 'end', state: 'accepted', key: 'a', reference, amount: 100 };
    const history = [{ t: 'start', item: airtime('a') }, accepted, accepted];
    writeFileSync(path, history.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const journal = await fileJournal(path).open();
    expect(journal.totals()).toMatchObject({ counts: { accepted: 1 }, acceptedAmount: 100 });
    const sales = [];
    for await (const sale of journal.accepted()) sales.push(sale.reference);
    expect(sales).toEqual([reference]);
    await journal.close();
  });

  it.each([
    ['a 401', { status: 401 }],
    ['a 404 page', { status: 404, body: '<html>not found</html>' }],
    ['a 405', { status: 405, code: 'METHOD_NOT_ALLOWED' }],
    ['a 422', { status: 422, code: 'VALIDATION_FAILED' }],
    ['a 400', { status: 400, code: 'BAD_REQUEST' }],
    ['a firewall’s 403', { status: 403, body: '<html>forbidden</html>' }],
    ['an empty wallet', { status: 402, code: 'INSUFFICIENT_BALANCE' }],
  ])('keeps a resumed item unknown through %s, until the service accepts it', async (_, fault) => {
    const billpay = open();
    const lost = airtime('lost', 100, recipientOf('response lost'));
    await all(purchaseAll(billpay, [lost], { journal: fileJournal(path) }));
    sandbox.faults.add(fault);
    const refused = await all(purchaseAll(billpay, [lost], { journal: fileJournal(path) }));
    expect(refused.summary).toMatchObject({ refused: 0, unknown: 1, unknownKeys: ['lost'] });
    expect(refused.outcomes).toMatchObject([{ resumed: true, error: { mayHaveCharged: true } }]);
    const again = await all(purchaseAll(billpay, [lost], { journal: fileJournal(path) }));
    expect(again.outcomes).toMatchObject([{ status: 'accepted', resumed: true }]);
    expect(sandbox.transactions).toHaveLength(1);
  });

  it('keeps a purchase open whose key gave back another one, and never counts it as refused', async () => {
    const billpay = open();
    await billpay.airtime.purchase({
      biller: 'MTN',
      recipient: '08099999999',
      amount: 900,
      idempotency_key: 'a',
    });
    const { outcomes, summary } = await all(
      purchaseAll(billpay, [airtime('a')], { journal: fileJournal(path) }),
    );
    expect(outcomes).toMatchObject([{ status: 'unknown', error: { name: 'IdempotencyKeyReusedError' } }]);
    expect(summary).toMatchObject({ unknown: 1, unknownKeys: ['a'] });
  });

  it('stops on a refusal of the account that a resumed item meets', async () => {
    const billpay = open();
    await all(
      purchaseAll(billpay, [airtime('lost', 100, recipientOf('response lost'))], {
        journal: fileJournal(path),
      }),
    );
    sandbox.faults.add({ status: 401 });
    const { outcomes, summary } = await all(purchaseAll(billpay, [], { journal: fileJournal(path) }));
    expect(outcomes).toMatchObject([{ status: 'unknown', error: { name: 'AuthenticationError' } }]);
    expect(summary.stopped?.reason).toBe('access');
    expect((await all(purchaseAll(billpay, [], { journal: fileJournal(path) }))).summary.accepted).toBe(1);
  });

  it('tries an item again that was certainly not charged and may succeed later', async () => {
    const billpay = open();
    sandbox.faults.add({ status: 503, code: 'PROVIDER_UNAVAILABLE' });
    const first = await all(purchaseAll(billpay, [airtime('a')], { journal: fileJournal(path) }));
    expect(first.summary.refused).toBe(1);
    const second = await all(purchaseAll(billpay, [airtime('a')], { journal: fileJournal(path) }));
    expect(second.summary.accepted).toBe(1);
  });

  it('refuses a changed item under an old key, before anything is sent', async () => {
    const billpay = open();
    await all(purchaseAll(billpay, [airtime('a', 100)], { journal: fileJournal(path) }));
    const requests = sandbox.requests.length;
    const { outcomes } = await all(purchaseAll(billpay, [airtime('a', 200)], { journal: fileJournal(path) }));
    expect(outcomes).toMatchObject([
      {
        status: 'refused',
        error: { name: 'ValidationError', attempts: 0, errors: { idempotency_key: expect.any(String) } },
      },
    ]);
    expect(sandbox.requests).toHaveLength(requests);
  });

  it('ignores the order of an item’s fields', async () => {
    const billpay = open();
    await all(purchaseAll(billpay, [airtime('a', 100)], { journal: fileJournal(path) }));
    const turned: BulkItem = {
      idempotency_key: 'a',
      params: { amount: 100, recipient: '08031234567', biller: 'MTN' },
      product: 'airtime',
    };
    expect((await all(purchaseAll(billpay, [turned], { journal: fileJournal(path) }))).summary.skipped).toBe(
      1,
    );
  });

  it('buys the same line once, however often it is in the list', async () => {
    const billpay = open();
    const { summary } = await all(
      purchaseAll(billpay, [airtime('a'), airtime('a'), airtime('b'), airtime('a')], {
        journal: fileJournal(path),
      }),
    );
    expect(summary).toMatchObject({ accepted: 2, skipped: 2 });
    expect(sandbox.transactions).toHaveLength(2);
  });
});

describe('a run stops by itself', () => {
  it('on an empty wallet, and says how much is left to buy', async () => {
    const billpay = open({ balance: 350 });
    const run = purchaseAll(billpay, airtimes(10), { journal: fileJournal(path), concurrency: 2 });
    const { summary } = await all(run);
    expect(summary.accepted).toBe(3);
    expect(summary.stopped).toMatchObject({
      reason: 'wallet',
      error: { name: 'InsufficientBalanceError' },
      left: { items: 7, amount: 700 },
    });
    sandbox.client().fund(1000);
    const again = await all(purchaseAll(billpay, airtimes(10), { journal: fileJournal(path) }));
    expect(again.summary).toMatchObject({ accepted: 7, skipped: 3 });
    expect(sandbox.wallet().balance).toBe(350);
  });

  it.each([
    ['access', 'AuthenticationError', { status: 401 }],
    ['access', 'AccountRestrictedError', { status: 403, code: 'ACCOUNT_RESTRICTED' }],
    ['access', 'PermissionError', { status: 403, code: 'GATEWAY_ERROR' }],
  ])('on %s (%s)', async (reason, name, fault) => {
    const billpay = open();
    sandbox.faults.add({ ...fault, times: Number.POSITIVE_INFINITY });
    const { summary } = await all(
      purchaseAll(billpay, airtimes(10), { journal: fileJournal(path), concurrency: 1 }),
    );
    expect(summary).toMatchObject({
      accepted: 0,
      refused: 1,
      stopped: { reason, error: { name }, left: { items: 10 } },
    });
    sandbox.faults.clear();
    expect(
      (await all(purchaseAll(billpay, airtimes(10), { journal: fileJournal(path) }))).summary.accepted,
    ).toBe(10);
  });

  it.each([
    [404, '<html>not found</html>'],
    [404, { status: 'error', code: 'NOT_FOUND', message: 'no such path' }],
    [405, '<html>not allowed</html>'],
    [405, { status: 'error', code: 'METHOD_NOT_ALLOWED', message: 'wrong method' }],
  ])(
    'when every item meets a %d (%j), and buys all of them once the address is right',
    async (status, body) => {
      const billpay = open();
      sandbox.faults.add({ status, body, times: Number.POSITIVE_INFINITY });
      const { summary } = await all(
        purchaseAll(billpay, airtimes(10), { journal: fileJournal(path), concurrency: 1 }),
      );
      expect(summary).toMatchObject({ accepted: 0, stopped: { reason: 'endpoint', error: { status } } });
      expect(summary.refused + summary.unknown).toBe(1);
      sandbox.faults.clear();
      const again = await all(purchaseAll(billpay, airtimes(10), { journal: fileJournal(path) }));
      expect(again.summary).toMatchObject({ accepted: 10, skipped: 0 });
    },
  );

  it('but not on a 404 of one item among others', async () => {
    const billpay = open();
    const run = purchaseAll(billpay, airtimes(5), {
      journal: fileJournal(path),
      concurrency: 1,
      onProgress: ({ accepted, refused, unknown }) => {
        if (accepted === 1 && refused + unknown === 0) sandbox.faults.add({ status: 404, body: 'not found' });
      },
    });
    const { summary } = await all(run);
    expect(summary).toMatchObject({ accepted: 4 });
    expect(summary.refused + summary.unknown).toBe(1);
    expect(summary.stopped).toBeUndefined();
  });

  it('on a signal, and stays resumable', async () => {
    const billpay = open();
    const controller = new AbortController();
    const run = purchaseAll(billpay, airtimes(20), {
      journal: fileJournal(path),
      signal: controller.signal,
      onProgress: ({ accepted }) => {
        if (accepted === 5) controller.abort();
      },
    });
    const { summary } = await all(run);
    expect(summary.stopped).toEqual({ reason: 'signal' });
    const again = await all(purchaseAll(billpay, airtimes(20), { journal: fileJournal(path) }));
    expect(again.summary.accepted + again.summary.skipped).toBe(20);
    expect(sandbox.transactions).toHaveLength(20);
  });

  it('on a signal that was aborted before', async () => {
    const billpay = open();
    const { summary } = await all(
      purchaseAll(billpay, airtimes(5), { journal: fileJournal(path), signal: AbortSignal.abort() }),
    );
    expect(summary).toMatchObject({ accepted: 0, stopped: { reason: 'signal' } });
    expect(sandbox.requests).toHaveLength(0);
  });

  it('when its caller says so', async () => {
    const billpay = open();
    const stopWhen = (_: BulkOutcome, { spent }: { spent: number }) => spent >= 300;
    const { summary } = await all(
      purchaseAll(billpay, airtimes(9), { journal: fileJournal(path), concurrency: 1, stopWhen }),
    );
    expect(summary).toMatchObject({
      accepted: 3,
      stopped: { reason: 'stopWhen', left: { items: 6, amount: 600 } },
    });
  });
});

describe('the journal', () => {
  it('excludes a second run, and is free after the first', async () => {
    const billpay = open();
    const first = purchaseAll(billpay, airtimes(3), { journal: fileJournal(path) })[Symbol.asyncIterator]();
    await first.next();
    await expect(purchaseAll(billpay, [], { journal: fileJournal(path) }).summary()).rejects.toMatchObject({
      name: 'JournalBusyError',
      pid: process.pid,
    });
    await first.return?.();
    await expect(
      purchaseAll(billpay, airtimes(3), { journal: fileJournal(path) }).summary(),
    ).resolves.toBeDefined();
  });

  it.each(['{"t":"end","state":"acc', '{', '{"t":"start","item":{"product":"airtime"'])(
    'tolerates a torn last line: %s',
    async (torn) => {
      const billpay = open();
      await all(purchaseAll(billpay, airtimes(2), { journal: fileJournal(path) }));
      appendFileSync(path, torn);
      const { summary } = await all(purchaseAll(billpay, airtimes(3), { journal: fileJournal(path) }));
      expect(summary).toMatchObject({ accepted: 1, skipped: 2 });
      expect(lines()).toHaveLength(6);
    },
  );

  it('tolerates a torn line that is the whole file', async () => {
    const billpay = open();
    writeFileSync(path, '{"t":"sta');
    expect(
      (await all(purchaseAll(billpay, airtimes(1), { journal: fileJournal(path) }))).summary.accepted,
    ).toBe(1);
  });

  it.each(['nonsense', '{"t":"start","item":{}}', '{"t":"end","key":"a"}', '7'])(
    'refuses a broken line that is whole: %s',
    async (line) => {
      const billpay = open();
      writeFileSync(path, `${line}\n`);
      await all(purchaseAll(billpay, [], { journal: fileJournal(path) })).then(
        () => expect.unreachable(),
        (error: unknown) => expect(error).toMatchObject({ name: 'JournalCorruptError', line: 1 }),
      );
      writeFileSync(path, '');
      await expect(purchaseAll(billpay, [], { journal: fileJournal(path) }).summary()).resolves.toBeDefined();
    },
  );

  it('sends nothing that cannot be written down', async () => {
    const billpay = open();
    const journal = fileJournal(path);
    const broken = {
      open: async () => {
        const opened = await journal.open();
        return Object.assign(Object.create(opened), opened, {
          begin: () => Promise.reject(new Error('disk full')),
        });
      },
    };
    await expect(all(purchaseAll(billpay, airtimes(3), { journal: broken }))).rejects.toThrow('disk full');
    expect(sandbox.requests).toHaveLength(0);
  });
});

describe('wrong options', () => {
  it.each([
    ['journal', {}],
    ['concurrency', { concurrency: 0 }],
    ['onProgress', { onProgress: 5 }],
    ['stopWhen', { stopWhen: 'never' }],
    ['signal', { signal: new AbortController() }],
    ['paralel', { paralel: 3 }],
  ])('purchaseAll: %s', (option, options) => {
    const billpay = open();
    const journal = option === 'journal' ? {} : { journal: fileJournal(path) };
    expect(() => purchaseAll(billpay, [], { ...journal, ...options } as never)).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', option }),
    );
  });

  it.each([
    ['journal', {}],
    ['concurrency', { concurrency: 1.5 }],
    ['timeout', { timeout: -1 }],
    ['onOutcome', { onOutcome: 5 }],
    ['event', { event: 3 }],
  ])('settleAll: %s', async (option, options) => {
    const billpay = open();
    const journal = option === 'journal' ? {} : { journal: fileJournal(path) };
    await expect(settleAll(billpay, { ...journal, ...options } as never)).rejects.toMatchObject({ option });
  });

  it('fileJournal: path', () => {
    expect(() => fileJournal('')).toThrow(expect.objectContaining({ option: 'path' }));
  });
});
