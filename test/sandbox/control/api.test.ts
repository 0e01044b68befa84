import { describe, expect, test } from 'vitest';
import type { Summary, TransactionDetail } from '../../../src/sandbox/control/types.js';
import type { SandboxDeliveryAttempt, SandboxTransaction } from '../../../src/sandbox/index.js';
import { airtime, call, referenceOf, start } from '../support.js';
import { type Control, controlled } from './support.js';

interface Listed<T = Record<string, unknown>> {
  readonly data: readonly T[];
  readonly total: number;
}

const buy = async ({ sandbox }: Control, key: string, fields: Record<string, unknown> = {}) =>
  referenceOf(await call(sandbox, 'POST', '/airtime/purchase', airtime(key, fields)));

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('what was tried', () => {
  test('transactions and refusals are one list in the order in which they were tried', async () => {
    const control = await controlled();
    const { sandbox } = control;
    sandbox.webhooks.subscribe({ handler: () => new Response('busy', { status: 503 }) });
    const first = await buy(control, 'a');
    await call(sandbox, 'POST', '/airtime/purchase', airtime('b', { amount: 900_000 }));
    await call(sandbox, 'POST', '/airtime/purchase', airtime('c', { amount: -5 }));
    const second = await buy(control, 'd');
    await sandbox.settle(first, 'success');
    const { data, total } = await control.ok<Listed>('GET', '/purchases');
    expect(total).toBe(4);
    expect(data).toMatchObject([
      { transaction: { reference: second, status: 'pending' } },
      { refusal: { status: 422, code: 'VALIDATION_FAILED', fields: ['amount'], requestId: 3 } },
      { refusal: { status: 402, code: 'INSUFFICIENT_BALANCE', amount: 900_000, idempotency_key: 'b' } },
      { transaction: { reference: first }, delivery: { attempts: [{ status: 503, reply: 'busy' }] } },
    ]);
    expect(data[0]).toEqual({ transaction: json(sandbox.transaction(second)) });
    const oldest = await control.ok<Listed>('GET', '/purchases?order=oldest&limit=2');
    expect(oldest.data).toMatchObject([{ transaction: { reference: first } }, { refusal: { status: 402 } }]);
    const page = await control.ok<Listed>('GET', '/purchases?offset=1&limit=2');
    expect(page.data).toMatchObject([{ refusal: { status: 422 } }, { refusal: { status: 402 } }]);
    const refused = await control.ok<Listed>('GET', '/purchases?state=refused');
    expect(refused).toMatchObject({ total: 2, data: [{ refusal: {} }, { refusal: {} }] });
    expect(await control.ok('GET', '/purchases?state=pending')).toMatchObject({ total: 1 });
  });

  test.each([
    ['TXN-', 1],
    ['txn-', 1],
    ['803123', 2],
    ['order-a', 1],
    ['ORDER', 2],
    ['insufficient', 1],
    ['  order-b  ', 1],
    ['mtn', 0],
    ['500', 0],
  ])('a search for %j finds %i by reference, recipient, key or code', async (q, count) => {
    const control = await controlled();
    await buy(control, 'order-a');
    await call(control.sandbox, 'POST', '/airtime/purchase', airtime('order-b', { amount: 900_000 }));
    const found = await control.ok<Listed>('GET', `/purchases?q=${encodeURIComponent(q)}`);
    expect(found).toMatchObject({ total: count });
  });

  test('transactions are listed newest first, by offset, and filtered', async () => {
    const control = await controlled();
    const references: string[] = [];
    for (const key of ['a', 'b', 'c', 'd', 'e']) references.push(await buy(control, key));
    const listed = async (query: string) =>
      (await control.ok<Listed>('GET', `/transactions?${query}`)).data.map(({ reference }) => reference);
    expect(await listed('limit=2')).toEqual([references[4], references[3]]);
    expect(await listed('limit=2&offset=2')).toEqual([references[2], references[1]]);
    expect(await listed('limit=2&offset=4')).toEqual([references[0]]);
    expect(await listed('order=oldest&limit=1&offset=1')).toEqual([references[1]]);
    await control.sandbox.settle(references[1] ?? '', 'failed');
    expect(await listed('state=failed')).toEqual([references[1]]);
    expect(await listed('client=nobody')).toEqual([]);
    expect(await control.ok('GET', '/transactions?limit=2')).toMatchObject({ total: 5 });
  });

  test('a transaction is the one of the code API, with its timeline, its requests and its delivery', async () => {
    const control = await controlled();
    const { sandbox } = control;
    sandbox.webhooks.subscribe({ handler: () => new Response() });
    sandbox.faults.add({ status: 503, code: 'QUEUE_UNAVAILABLE' });
    const meter = {
      biller: 'IKEDC',
      recipient: '0124000952992',
      meter_type: 'prepaid',
      amount: 5000,
      idempotency_key: 'meter',
    };
    await call(sandbox, 'POST', '/electricity/purchase', meter);
    const reference = referenceOf(await call(sandbox, 'POST', '/electricity/purchase', meter));
    const settle = `/transactions/${reference}/settle`;
    const settled = await control.ok<SandboxTransaction>('POST', settle, { outcome: 'success' });
    expect(settled).toEqual(json(sandbox.transaction(reference)));
    expect(settled.token).toMatch(/^\d{20}$/);
    const detail = await control.ok<TransactionDetail>('GET', `/transactions/${reference}`);
    expect(detail).toEqual({
      transaction: settled,
      commission: 100,
      timeline: json(sandbox.timeline(reference)),
      requests: json(sandbox.requestsOf(reference)),
      delivery: json(sandbox.deliveryOf(reference)),
    });
    expect(detail.requests).toMatchObject([{ response: { status: 503 } }, { reference }]);
    const again = await control.send('POST', settle, { outcome: 'failed' });
    expect(again).toMatchObject({ status: 400, body: { detail: /is success already, which is final/ } });
  });
});

describe('problems', () => {
  test.each([
    ['GET', '/transactions/TXN-NONE', undefined, 404, /no transaction TXN-NONE/],
    ['POST', '/transactions/TXN-NONE/settle', { outcome: 'success' }, 404, /no transaction/],
    ['GET', '/transactions?limit=0', undefined, 400, /limit: must be a whole number from 1 to 500/],
    ['GET', '/transactions?offset=x', undefined, 400, /offset: must be a whole number/],
    ['GET', '/purchases?state=lost', undefined, 400, /state: must be one of/],
    ['GET', '/deliveries/none', undefined, 404, /no delivery none/],
    ['GET', '/requests/99', undefined, 404, /not in the log/],
    ['GET', '/wallets/nobody', undefined, 404, /no client nobody/],
    ['POST', '/wallets/client_default/fund', { amount: -1 }, 400, /amount: must be a number of NGN/],
    ['POST', '/wallets/client_default/fund', {}, 400, /amount/],
    ['POST', '/faults', {}, 400, /does nothing/],
    ['DELETE', '/faults/7', undefined, 404, /Fault 7 is not active/],
    ['POST', '/clock/advance', { by: 'soon' }, 400, /by: must be a length of time/],
    ['PATCH', '/clients/client_default', { verified: 'yes' }, 400, /verified: must be true or false/],
    ['POST', '/clients/client_default/revoke-key', { kind: 'all' }, 400, /kind/],
    ['POST', '/clients/client_default/subscribe', {}, 400, /url: or handler is needed/],
    ['POST', '/deliveries/corrupt', { how: 'burn' }, 400, /must be one of/],
    ['PUT', '/catalogue/data/MTN/NONE', { amount: 5 }, 400, /not in the catalogue/],
    ['PUT', '/catalogue/airtime/MTN/NONE', { amount: 5 }, 400, /product: must be one of/],
    ['GET', '/nothing', undefined, 404, /There are: GET \/_sandbox\/purchases, /],
    ['DELETE', '/transactions', undefined, 404, /There is no DELETE \/_sandbox\/transactions/],
    ['GET', '', undefined, 404, /There is no GET \/_sandbox/],
  ] as const)('%s %s', async (method, path, body, status, detail) => {
    const control = await controlled();
    const reply = await control.send(method, path, body);
    expect(reply).toMatchObject({ status, body: { type: 'about:blank', status } });
    expect((reply.body as { detail: string }).detail).toMatch(detail);
  });

  test.each([
    ['POST', '/faults', { status: 503, tims: 1 }, 'tims', 'times'],
    ['POST', '/deliveries/corrupt', { how: 'duplicate', time: 5 }, 'time', 'times'],
    ['GET', '/transactions?stat=pending', undefined, 'stat', 'state'],
    ['GET', '/requests?warning=1', undefined, 'warning', 'warnings'],
    ['POST', '/wallets/client_default/fund', { amount: 1, amont: 2 }, 'amont', 'amount'],
    ['POST', '/clock/advance', { by: '1s', bi: '2s' }, 'bi', 'by'],
    ['PATCH', '/clients/client_default', { alowedIps: [] }, 'alowedIps', 'allowedIps'],
    ['POST', '/reset', { all: true }, 'all', undefined],
  ])('%s %s %o: a misspelt name is refused', async (method, path, body, name, meant) => {
    const { send, sandbox } = await controlled();
    const reply = await send(method, path, body);
    expect(reply).toMatchObject({ status: 400, body: { detail: expect.stringContaining(name) } });
    if (meant)
      expect(reply.body).toMatchObject({ detail: expect.stringContaining(`did you mean ${meant}?`) });
    expect([sandbox.wallet().balance, sandbox.now.toISOString()]).toEqual([100_000, start]);
  });

  test.each(['{', '[]', '"x"', '7'])('a body that is no JSON object: %s', async (body) => {
    const { origin } = await controlled();
    const response = await fetch(`${origin}/_sandbox/faults`, { method: 'POST', body });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json',
    ]);
  });

  test('a body of more than 1 MiB', async () => {
    const { send } = await controlled();
    const reply = await send('POST', '/faults', { status: 500, message: 'x'.repeat(1024 * 1024) });
    expect(reply.status).toBe(413);
  });
});

describe('everything else that code can do', () => {
  test('faults: every field, listed, removed', async () => {
    const control = await controlled();
    const options = {
      operation: ['airtime.purchase', 'tv.purchase'],
      when: 'after',
      connection: 'close',
      times: 'always',
    };
    const added = await control.ok<{ id: number }>('POST', '/faults', options);
    expect(added).toEqual({ id: 1, options, remaining: 'always', used: 0 });
    await expect(buy(control, 'a')).rejects.toThrow('fetch failed');
    expect(await control.ok('GET', '/faults')).toEqual([{ ...added, used: 1 }]);
    expect(await control.ok('DELETE', `/faults/${added.id}`)).toEqual({ ok: true });
    await control.ok('POST', '/faults', { status: 500 });
    await control.ok('DELETE', '/faults');
    expect(await control.ok('GET', '/faults')).toEqual([]);
  });

  test('the clock: advance, next, run', async () => {
    const control = await controlled();
    control.sandbox.webhooks.subscribe({ handler: () => new Response(undefined, { status: 500 }) });
    await buy(control, 'a');
    expect(await control.ok('GET', '/clock')).toEqual({
      kind: 'manual',
      now: '2026-01-31T09:30:00.000Z',
      nextEvent: '2026-01-31T09:30:01.000Z',
    });
    expect(await control.ok('POST', '/clock/next')).toMatchObject({ now: '2026-01-31T09:30:01.000Z' });
    expect(await control.ok('POST', '/clock/advance', { by: '5m' })).toMatchObject({
      now: '2026-01-31T09:35:01.000Z',
    });
    expect(await control.ok('POST', '/clock/run')).not.toHaveProperty('nextEvent');
  });

  test('wallets, clients and keys', async () => {
    const control = await controlled({ clients: [{ clientId: 'shop' }, { clientId: 'other', balance: 0 }] });
    const { sandbox } = control;
    expect(await control.ok('GET', '/wallets/other')).toEqual({ clientId: 'other', balance: 0 });
    expect(await control.ok('POST', '/wallets/other/fund', { amount: 250.5 })).toMatchObject({
      balance: 250.5,
    });
    const ledger = await control.ok<Listed>('GET', '/wallets/other/ledger?kind=funding');
    expect(ledger.data).toEqual(json(sandbox.wallet('other').ledger));
    expect(await control.ok('GET', '/wallets/other/ledger?kind=debit')).toMatchObject({ total: 0 });

    expect(await control.ok('GET', '/clients/shop')).toEqual(json(sandbox.client('shop')));
    const { secretKey } = sandbox.credentials;
    expect(await control.ok('POST', '/clients/shop/rotate-key')).toMatchObject({
      secretKey: sandbox.credentials.secretKey,
    });
    expect(sandbox.credentials.secretKey).not.toBe(secretKey);
    await control.ok('POST', '/clients/shop/revoke-key', { kind: 'secret' });
    expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('a'))).status).toBe(401);
    const changed = { verified: false, suspended: true, allowedIps: ['203.0.113.9'] };
    expect(await control.ok('PATCH', '/clients/shop', changed)).toMatchObject(changed);
    expect(await control.ok('GET', '/clients')).toEqual(json(sandbox.clients));
  });

  test('webhooks: subscribe, corrupt, list, retry, redeliver, and retry all that fail', async () => {
    const control = await controlled();
    const { sandbox } = control;
    const subscribed = await control.ok('POST', '/clients/client_default/subscribe', {
      url: 'http://127.0.0.1:9/hooks',
    });
    expect(subscribed).toMatchObject({ secret: expect.stringMatching(/^whsec_/), enabled: true });
    let status = 500;
    sandbox.webhooks.subscribe({ handler: () => new Response('down', { status }) });
    await control.ok('POST', '/deliveries/corrupt', { how: 'bad-signature' });
    for (const key of ['a', 'b']) await sandbox.settle(await buy(control, key), 'success');
    const { data } = await control.ok<Listed<{ id: string }>>('GET', '/deliveries?failing=1');
    expect(data).toEqual(json([...sandbox.deliveries].reverse()));
    const [newest, oldest] = data;
    expect(await control.ok('GET', '/deliveries?q=803123&limit=1')).toMatchObject({ total: 2 });
    const retry = `/deliveries/${newest?.id}/retry`;
    expect(await control.ok<SandboxDeliveryAttempt>('POST', retry)).toMatchObject({
      reason: 'retry',
      status: 500,
      reply: 'down',
    });
    const attempt = await control.ok('POST', `/deliveries/${oldest?.id}/redeliver`, {
      corrupt: 'old-timestamp',
    });
    expect(attempt).toMatchObject({ reason: 'redelivery', corruption: 'old-timestamp', delivered: false });
    status = 200;
    expect(await control.ok('POST', '/deliveries/retry')).toEqual({ sent: 2, delivered: 2 });
    expect(await control.ok('GET', '/deliveries?failing=1')).toMatchObject({ total: 0 });
    expect(await control.ok('POST', '/deliveries/retry')).toEqual({ sent: 0, delivered: 0 });
  });

  test('requests: list, filter, read', async () => {
    const control = await controlled();
    await buy(control, 'a');
    await call(control.sandbox, 'POST', '/airtime/purchase', airtime('b', { amount: 'x' }));
    const list = await control.ok<Listed>('GET', '/requests');
    expect(list.data).toEqual(json([...control.sandbox.requests].reverse()));
    const filtered = async (query: string) =>
      (await control.ok<Listed>('GET', `/requests?${query}`)).data.length;
    expect(await filtered('status=4')).toBe(1);
    expect(await filtered('client=nobody')).toBe(0);
    expect(await filtered('warnings=1')).toBe(1);
    expect(await filtered('q=08031234567')).toBe(2);
    expect(await filtered('q=validation_failed')).toBe(1);
    expect(await control.ok('GET', '/requests/1')).toEqual(json(control.sandbox.request(1)));
  });

  test('prices, triggers, audit, reset', async () => {
    const control = await controlled();
    const price = await control.ok('PUT', '/catalogue/data/MTN/MTN-2.5GB-1D', { amount: 950 });
    expect(price).toEqual({ product: 'data', biller: 'MTN', product_code: 'MTN-2.5GB-1D', amount: 950 });
    expect(await control.ok('GET', '/catalogue')).toEqual(json(control.sandbox.catalogue));
    expect(await control.ok('GET', '/triggers')).toHaveLength(9);
    await buy(control, 'a');
    expect(await control.ok('GET', '/audit')).toEqual(control.sandbox.audit());
    await control.ok('POST', '/idle');
    await control.ok('POST', '/reset');
    expect(control.sandbox.transactions).toEqual([]);
  });

  test('the summary has everything that is in sight on every tab, and audits nothing', async () => {
    const control = await controlled();
    const { sandbox } = control;
    sandbox.faults.add({ status: 503, times: 'always' });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    const summary = await control.ok<Summary>('GET', '/summary');
    expect(summary).toEqual({
      version: expect.any(String),
      runId: expect.any(String),
      baseUrl: `${control.origin}/api/v1`,
      seed: 'rules',
      clock: { kind: 'manual', now: start },
      counts: json(sandbox.counts),
      clients: json(sandbox.clients),
      faults: [{ id: 1, options: { status: 503, times: 'always' }, remaining: 'always', used: 1 }],
    });
    expect(summary.counts).toMatchObject({ refused: 1, transactions: { total: 0 } });
  });

  test('health needs nothing', async () => {
    const { origin } = await controlled();
    const health = await fetch(`${origin}/health`, { headers: { host: 'elsewhere' } });
    expect([health.status, await health.json()]).toEqual([
      200,
      { status: 'ok', version: expect.any(String), now: '2026-01-31T09:30:00.000Z' },
    ]);
    expect((await fetch(`${origin}/health`, { method: 'POST' })).status).toBe(405);
  });
});
