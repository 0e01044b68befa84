import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { airtime, call, referenceOf, start } from '../support.js';
import { type Control, controlled } from './support.js';

interface Listed<T = Record<string, unknown>> {
  readonly data: readonly T[];
  readonly next: string | null;
}

const buy = async ({ sandbox }: Control, key: string, fields: Record<string, unknown> = {}) =>
  referenceOf(await call(sandbox, 'POST', '/airtime/purchase', airtime(key, fields)));

describe('transactions', () => {
  test('are listed newest first, by page, and filtered', async () => {
    const control = await controlled();
    const references: string[] = [];
    for (const key of ['a', 'b', 'c', 'd', 'e']) references.push(await buy(control, key));
    const first = await control.ok<Listed>('GET', '/transactions?limit=2');
    expect(first.data.map(({ reference }) => reference)).toEqual([references[4], references[3]]);
    await buy(control, 'f');
    const second = await control.ok<Listed>('GET', `/transactions?limit=2&after=${first.next}`);
    expect(second.data.map(({ reference }) => reference)).toEqual([references[2], references[1]]);
    const last = await control.ok<Listed>('GET', `/transactions?limit=2&after=${second.next}`);
    expect(last).toEqual({
      data: [expect.objectContaining({ reference: references[0] })],
      total: null,
      next: null,
    });
    expect(await control.ok('GET', '/transactions?limit=2')).toMatchObject({ total: 6 });
    const oldest = await control.ok<Listed>('GET', '/transactions?order=oldest&limit=1');
    expect(oldest.data[0]).toMatchObject({
      reference: references[0],
      idempotency_key: 'a',
      state: 'pending',
    });

    await control.sandbox.settle(references[1] ?? '', 'failed');
    const failed = await control.ok<Listed>('GET', '/transactions?state=failed');
    expect(failed.data).toEqual([expect.objectContaining({ reference: references[1], refunded: true })]);
    expect(failed).toMatchObject({ total: 1, next: null });
    expect((await control.ok<Listed>('GET', '/transactions?client=client_empty')).data).toEqual([]);
    const words = await control.ok<Listed>(
      'GET',
      `/transactions?q=${encodeURIComponent('mtn +234 803 NGN 500.00')}`,
    );
    expect(words.data).toHaveLength(6);
    const found = await control.ok<Listed>('GET', `/transactions?q=${references[2]?.slice(6).toLowerCase()}`);
    expect(found.data).toHaveLength(1);
  });

  test('settle, and are read with their token, timeline and delivery', async () => {
    const control = await controlled();
    control.sandbox.webhooks.subscribe({ handler: () => new Response() });
    const reference = referenceOf(
      await call(control.sandbox, 'POST', '/electricity/purchase', {
        biller: 'IKEDC',
        recipient: '0124000952992',
        meter_type: 'prepaid',
        amount: 5000,
        idempotency_key: 'meter',
      }),
    );
    const settled = await control.ok<Record<string, unknown>>('POST', `/transactions/${reference}/settle`, {
      outcome: 'success',
    });
    expect(settled).toMatchObject({
      state: 'success',
      token: expect.stringMatching(/^\d{20}$/),
      delivery: { state: 'delivered', attempts: [{ status: 200 }] },
    });
    expect(await control.ok('GET', `/transactions/${reference}`)).toEqual(settled);
    const list = await control.ok<Listed>('GET', '/transactions');
    expect(JSON.stringify(list)).not.toContain(settled['token']);
    expect(list.data[0]).toMatchObject({ has_token: true });

    const again = await control.send('POST', `/transactions/${reference}/settle`, { outcome: 'failed' });
    expect(again).toMatchObject({ status: 400, body: { detail: /is success already, which is final/ } });
  });
});

describe('problems', () => {
  test.each([
    ['GET', '/transactions/TXN-NONE', undefined, 404, /no transaction TXN-NONE/],
    ['POST', '/transactions/TXN-NONE/settle', { outcome: 'success' }, 404, /no transaction/],
    ['GET', '/transactions?limit=0', undefined, 400, /limit: must be a whole number from 1 to 500/],
    ['GET', '/transactions?after=x', undefined, 400, /"next" of the page before/],
    ['GET', '/deliveries/none', undefined, 404, /no delivery none/],
    ['GET', '/requests/99', undefined, 404, /not in the log/],
    ['GET', '/wallets/nobody', undefined, 404, /no client nobody/],
    ['POST', '/wallets/client_default/fund', { amount: -1 }, 400, /amount: must be a number of NGN/],
    ['POST', '/wallets/client_default/fund', {}, 400, /amount/],
    ['POST', '/faults', {}, 400, /does nothing/],
    ['POST', '/faults', { status: 503, tims: 1 }, 400, /tims/],
    ['DELETE', '/faults/7', undefined, 404, /Fault 7 is not active/],
    ['POST', '/clock/advance', { by: 'soon' }, 400, /by: must be a length of time/],
    ['PATCH', '/clients/client_default', { verified: 'yes' }, 400, /verified: must be true or false/],
    ['PATCH', '/clients/client_default', { allowedIps: [] }, 400, /allowedIps.*did you mean allowed_ips/],
    [
      'PATCH',
      '/clients/client_default',
      { allowed_ips: ['a', 1] },
      400,
      /allowed_ips: must be a list of addr/,
    ],
    ['POST', '/clients/client_default/revoke-key', { kind: 'all' }, 400, /kind/],
    ['POST', '/clients/client_default/subscribe', {}, 400, /url: is missing/],
    ['POST', '/deliveries/corrupt', { how: 'burn' }, 400, /must be one of/],
    ['PUT', '/catalogue/data/MTN/NONE', { amount: 5 }, 400, /not in the catalogue/],
    ['PUT', '/catalogue/airtime/MTN/NONE', { amount: 5 }, 400, /product: must be one of .data., .tv., .edu./],
    ['GET', '/nothing', undefined, 404, /openapi.json lists every route/],
    ['DELETE', '/transactions', undefined, 405, /takes GET, not DELETE/],
    ['POST', '/openapi.json', {}, 405, /takes GET, not POST/],
    ['GET', '', undefined, 404, /openapi.json/],
  ] as const)('%s %s', async (method, path, body, status, detail) => {
    const control = await controlled();
    const reply = await control.send(method, path, body);
    expect(reply).toMatchObject({ status, body: { type: 'about:blank', status } });
    expect((reply.body as { detail: string }).detail).toMatch(detail);
  });

  test.each([
    ['POST', '/deliveries/corrupt', { how: 'duplicate', time: 5 }, 'time', 'times'],
    ['GET', '/transactions?stat=pending', undefined, 'stat', 'state'],
    ['GET', '/requests?warning=1', undefined, 'warning', 'warnings'],
    ['POST', '/wallets/client_default/fund', { amount: 1, amont: 2 }, 'amont', 'amount'],
    ['POST', '/clock/advance', { by: '1s', bi: '2s' }, 'bi', 'by'],
    ['POST', '/reset', { all: true }, 'all', undefined],
    ['GET', '/events?clint=a', undefined, 'clint', 'client'],
    ['POST', '/clients/client_default/listen', { secrt: 'x' }, 'secrt', 'secret'],
  ])('%s %s %o: a misspelt name is refused', async (method, path, body, name, meant) => {
    const { send, sandbox } = await controlled();
    const reply = await send(method, path, body);
    expect(reply).toMatchObject({ status: 400, body: { detail: expect.stringContaining(name) } });
    if (meant)
      expect(reply.body).toMatchObject({ detail: expect.stringContaining(`did you mean ${meant}?`) });
    expect([sandbox.wallet().balance, sandbox.now.toISOString()]).toEqual([100_000, start]);
  });

  test.each([['{'], ['[]'], ['"x"'], ['7']])('a body that is no JSON object: %s', async (body) => {
    const { origin } = await controlled();
    const response = await fetch(`${origin}/_sandbox/faults`, { method: 'POST', body });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json',
    ]);
  });
});

describe('everything else that code can do', () => {
  test('faults: every field, listed, removed', async () => {
    const control = await controlled();
    const added = await control.ok<{ id: number }>('POST', '/faults', {
      operation: ['airtime.purchase', 'tv.purchase'],
      when: 'after',
      connection: 'close',
      times: 'always',
    });
    expect(added).toMatchObject({ id: 1, when: 'after', times: 'always', remaining: 'always', used: 0 });
    await expect(buy(control, 'a')).rejects.toThrow('fetch failed');
    expect((await control.ok<Listed>('GET', '/faults')).data).toEqual([{ ...added, used: 1 }]);
    expect(await control.ok('DELETE', `/faults/${added.id}`)).toEqual({ ok: true });
    await control.ok('POST', '/faults', { status: 500 });
    await control.ok('DELETE', '/faults');
    expect((await control.ok<Listed>('GET', '/faults')).data).toEqual([]);
  });

  test('the clock: advance, next, run', async () => {
    const control = await controlled();
    control.sandbox.webhooks.subscribe({ handler: () => new Response(undefined, { status: 500 }) });
    await buy(control, 'a');
    expect(await control.ok('GET', '/clock')).toEqual({
      kind: 'manual',
      now: '2026-01-31T09:30:00.000Z',
      next_event_at: '2026-01-31T09:30:01.000Z',
    });
    expect(await control.ok('POST', '/clock/next')).toMatchObject({ now: '2026-01-31T09:30:01.000Z' });
    expect(await control.ok('POST', '/clock/advance', { by: '5m' })).toMatchObject({
      now: '2026-01-31T09:35:01.000Z',
    });
    expect(await control.ok('POST', '/clock/run')).toMatchObject({ next_event_at: null });
  });

  test('wallets, clients and keys', async () => {
    const control = await controlled();
    const wallet = '/wallets/client_empty';
    expect(await control.ok('GET', wallet)).toEqual({ client_id: 'client_empty', balance: 0, entries: 0 });
    expect(await control.ok('POST', `${wallet}/fund`, { amount: 250.5 })).toMatchObject({ balance: 250.5 });
    const ledger = await control.ok<Listed>('GET', `${wallet}/ledger`);
    expect(ledger.data).toEqual([
      expect.objectContaining({ kind: 'funding', amount: 250.5, reference: null }),
    ]);

    const path = '/clients/client_default';
    const before = await control.ok<{ secret_key: string }>('GET', path);
    const after = await control.ok<{ secret_key: string }>('POST', `${path}/rotate-key`);
    expect(after.secret_key).not.toBe(before.secret_key);
    await control.ok('POST', `${path}/revoke-key`, { kind: 'secret' });
    expect((await call(control.sandbox, 'POST', '/airtime/purchase', airtime('a'))).status).toBe(401);
    const changed = { verified: false, suspended: true, allowed_ips: ['203.0.113.9'] };
    expect(await control.ok('PATCH', path, changed)).toMatchObject(changed);
    expect((await control.ok<Listed>('GET', '/clients')).data).toHaveLength(5);
  });

  test('requests stay readable after a body that is nested too deeply', async () => {
    const control = await controlled();
    const { sandbox } = control;
    const body = `{"recipient":${'['.repeat(6000)}${']'.repeat(6000)}}`;
    await sandbox.fetch(`${sandbox.baseUrl}/airtime/purchase`, { method: 'POST', body });
    const { data } = await control.ok<{ data: { id: number }[] }>('GET', '/requests?q=recipient');
    expect(data).toHaveLength(1);
    expect(await control.ok('GET', `/requests/${data[0]?.id}`)).toMatchObject({ body });
  });

  test('webhooks: subscribe, corrupt, list, redeliver', async () => {
    const control = await controlled();
    const secret = 'whsec_0123456789abcdef0123456789abcdef';
    const url = `${control.origin}/nowhere`;
    expect(await control.ok('POST', '/clients/client_default/subscribe', { url, secret })).toEqual({
      url,
      secret,
      enabled: true,
    });
    await control.ok('POST', '/deliveries/corrupt', { how: 'bad-signature' });
    await buy(control, 'a');
    await control.ok('POST', '/clock/advance', { by: 1000 });
    const { data } = await control.ok<Listed>('GET', '/deliveries?state=pending');
    expect(data).toEqual([expect.objectContaining({ attempts: 1, last_status: 404, last_delivered: false })]);
    const id = String(data[0]?.['id']);
    const attempt = await control.ok('POST', `/deliveries/${id}/redeliver`, { corrupt: 'old-timestamp' });
    expect(attempt).toMatchObject({ reason: 'redelivery', corruption: 'old-timestamp', delivered: false });
    expect(await control.ok('GET', `/deliveries/${id}`)).toMatchObject({
      body: expect.stringContaining('transaction.completed'),
      attempts: [{ corruption: 'bad-signature' }, { number: 2 }],
    });
  });

  test('requests: list, filter, read, send again', async () => {
    const control = await controlled();
    await buy(control, 'a');
    await call(control.sandbox, 'POST', '/airtime/purchase', airtime('b', { amount: 'x' }));
    const list = await control.ok<Listed>('GET', '/requests');
    expect(list.data.map(({ status, code }) => [status, code])).toEqual([
      [422, 'VALIDATION_FAILED'],
      [202, 'PROCESSING'],
    ]);
    const filtered = async (query: string) =>
      (await control.ok<Listed>('GET', `/requests?${query}`)).data.length;
    expect(await filtered('status=4')).toBe(1);
    expect(await filtered('operation=airtime.purchase')).toBe(2);
    expect(await filtered('client=nobody')).toBe(0);
    expect(await filtered('warnings=1')).toBe(1);
    expect(await filtered('q=08031234567')).toBe(2);
    expect(await filtered('product=airtime')).toBe(2);
    expect(await filtered('product=tv')).toBe(0);
    expect(await control.ok('GET', '/requests/1')).toMatchObject({
      body: { recipient: '08031234567' },
      response: { status: 202 },
    });
    expect(await control.ok('POST', '/requests/1/send')).toMatchObject({
      id: 3,
      replayed: true,
      status: 202,
    });
    expect(control.sandbox.transactions).toHaveLength(1);
  });

  test('requests: one is sent again to its own path, and one that could not be read is refused', async () => {
    const control = await controlled();
    const { port } = new URL(control.origin);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('GET //elsewhere/info HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'data');
    expect(await control.ok('POST', '/requests/1/send')).toMatchObject({
      path: '//elsewhere/info',
      status: 404,
    });
    socket.write('nonsense\r\n\r\n');
    await once(socket, 'close');
    expect(await control.send('POST', '/requests/3/send')).toMatchObject({
      status: 400,
      body: { detail: 'This request could not be read, so there is nothing to send again.' },
    });
    expect(control.sandbox.requests).toHaveLength(3);
  });

  test('requests: send a call in the name of a client', async () => {
    const control = await controlled();
    const params = { biller: 'MTN', recipient: '08000000005', amount: 500 };
    const lost = await control.ok<Record<string, unknown>>('POST', '/requests', {
      operation: 'airtime.purchase',
      params,
    });
    expect(lost).toMatchObject({
      client_id: control.sandbox.credentials.clientId,
      outcome: 'closed',
      reference: control.sandbox.transactions[0]?.reference,
      idempotency_key: expect.stringMatching(/^[\w-]{36}$/),
    });
    const key = 'of-the-caller';
    expect(
      await control.ok('POST', '/requests', {
        operation: 'airtime.purchase',
        params: { ...params, recipient: '08031234567', idempotency_key: key },
        client_id: 'client_empty',
      }),
    ).toMatchObject({ client_id: 'client_empty', status: 402, idempotency_key: key });
    expect(
      await control.ok('POST', '/requests', { operation: 'tv.products', params: { biller: 'GOTV' } }),
    ).toMatchObject({ status: 200, query: { biller: 'GOTV' } });
    const wrong: readonly [unknown, RegExp][] = [
      [{ operation: 'airtime.sell' }, /operation: must be one of airtime.purchase/],
      [{ operation: 'tv.products', params: [] }, /params: must be an object/],
      [{ operation: 'tv.products', client_id: 7 }, /client_id: must be the id of a client/],
      [{ operation: 'tv.products', client_id: 'nobody' }, /is not a client/],
    ];
    for (const [body, detail] of wrong) {
      expect(await control.send('POST', '/requests', body)).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(detail) },
      });
    }
  });

  test('transactions: the requests under the key belong to them, refused ones included', async () => {
    const control = await controlled();
    control.sandbox.faults.add({ status: 503, code: 'QUEUE_UNAVAILABLE' });
    await call(control.sandbox, 'POST', '/airtime/purchase', airtime('a'));
    const reference = await buy(control, 'a');
    await call(control.sandbox, 'POST', '/airtime/purchase', airtime('a', { recipient: '08030000000' }));
    await buy(control, 'b');
    const { requests } = await control.ok<{ requests: object[] }>('GET', `/transactions/${reference}`);
    expect(requests).toMatchObject([
      { status: 503, reference: null },
      { status: 202, reference },
      {
        replayed: true,
        warnings: [
          {
            code: 'key-repeated-with-other-payload',
            differences: [{ field: 'recipient', original: '08031234567', repeated: '08030000000' }],
          },
        ],
      },
    ]);
  });

  test('a request that waits when the sandbox is reset has no entry to return', async () => {
    const control = await controlled();
    const params = { biller: 'MTN', recipient: '08000000006', amount: 500 };
    const waiting = control.send('POST', '/requests', { operation: 'airtime.purchase', params });
    await expect.poll(() => control.sandbox.nextEvent).toBeDefined();
    control.sandbox.reset();
    expect(await waiting).toMatchObject({ status: 409 });
  });

  test('prices, triggers, audit, info, reset', async () => {
    const control = await controlled();
    const price = await control.ok('PUT', '/catalogue/data/MTN/MTN-2.5GB-1D', { amount: 950 });
    expect(price).toEqual({ product: 'data', biller: 'MTN', product_code: 'MTN-2.5GB-1D', amount: 950 });
    expect(await control.ok('GET', '/catalogue')).toMatchObject({ data: {}, tv: {}, edu: {} });
    expect((await control.ok<Listed>('GET', '/triggers')).data).toHaveLength(9);
    await buy(control, 'a');
    expect(await control.ok('GET', '/audit')).toMatchObject({
      ok: true,
      problems: [],
      debits: 1,
      refunds: 0,
    });
    expect(await control.ok('GET', '/info')).toMatchObject({
      base_url: `${control.origin}/api/v1`,
      seed: 'rules',
      run_id: expect.any(String),
    });
    await control.ok('POST', '/reset');
    expect(control.sandbox.transactions).toEqual([]);
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
