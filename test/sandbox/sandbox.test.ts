import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.js';
import { airtime, call, receiver, referenceOf, sandboxAtStart } from './support.js';

const authorized = (sandbox: ReturnType<typeof createSandbox>) => ({
  authorization: `Bearer ${sandbox.credentials.secretKey}`,
});

describe('fetch', () => {
  const path = '/api/v1/data/products?biller=GLO&client_id=client_default';

  test('takes what the global fetch takes: text, URL, Request, with or without init', async () => {
    const sandbox = sandboxAtStart();
    const headers = authorized(sandbox);
    const url = `https://any.example${path}`;
    const { fetch } = sandbox;
    const replies = [
      await fetch(url, { headers }),
      await fetch(new URL(url), { headers: new Headers(headers) }),
      await fetch(new Request(url, { headers })),
      await fetch(new Request(url), { headers: Object.entries(headers) }),
      await fetch(url, { method: 'get', headers }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  test('reads a body that is no text', async () => {
    const sandbox = sandboxAtStart();
    const body = new TextEncoder().encode(JSON.stringify({ client_id: 'client_default', ...airtime('a') }));
    const reply = await sandbox.fetch('https://any.example/api/v1/airtime/purchase', {
      method: 'POST',
      headers: authorized(sandbox),
      body,
    });
    expect(reply.status).toBe(202);
  });

  test('of a repeated query parameter the first counts', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'GET', '/data/products?biller=GLO&biller=MTN');
    expect(reply.body).toMatchObject({ biller: 'GLO' });
  });

  test('a signal that is aborted already sends nothing', async () => {
    const sandbox = sandboxAtStart();
    const signal = AbortSignal.abort(new Error('changed my mind'));
    for (const sent of [
      sandbox.fetch(`https://any.example${path}`, { signal }),
      sandbox.fetch(new Request(`https://any.example${path}`, { signal })),
    ]) {
      await expect(sent).rejects.toThrow('changed my mind');
    }
    expect(sandbox.requests).toHaveLength(0);
  });

  test('an abort is heard at once; the service works on', async () => {
    const sandbox = sandboxAtStart();
    const controller = new AbortController();
    const sent = sandbox.fetch('https://any.example/api/v1/airtime/purchase', {
      method: 'POST',
      headers: authorized(sandbox),
      body: JSON.stringify({ client_id: 'client_default', ...airtime('a', { recipient: '08000000006' }) }),
      signal: controller.signal,
    });
    controller.abort(new Error('too slow'));
    await expect(sent).rejects.toThrow('too slow');
    await sandbox.advance('3s');
    expect(sandbox.transactions).toHaveLength(1);
  });
});

describe('listen', () => {
  test('serves the same world on a port of this machine', async () => {
    const sandbox = createSandbox({ settleAfter: 'manual' });
    const { baseUrl, port, close } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
    expect(baseUrl).toBe(`http://127.0.0.1:${port}/api/v1`);
    const purchase = await fetch(`${baseUrl}/airtime/purchase`, {
      method: 'POST',
      headers: authorized(sandbox),
      body: JSON.stringify({ client_id: 'client_default', ...airtime('a') }),
    });
    expect(purchase.status).toBe(202);
    expect(purchase.headers.get('content-type')).toBe('application/json');
    expect(sandbox.transactions).toHaveLength(1);
    expect(sandbox.requests[0]).toMatchObject({
      ip: '127.0.0.1',
      method: 'POST',
      path: '/api/v1/airtime/purchase',
    });
    const get = await fetch(`${baseUrl}/tv/products`, { method: 'PATCH' });
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'GET']);
    await close();
    await close();
    await expect(fetch(`${baseUrl}/tv/products`)).rejects.toThrow();
    expect((await call(sandbox, 'GET', '/data/products?biller=MTN')).status).toBe(200);
    await sandbox.close();
  });

  test('another host only with `allowRemote`', async () => {
    const sandbox = sandboxAtStart();
    await expect(sandbox.listen({ host: '0.0.0.0' })).rejects.toThrow(
      'host: lets other machines in; use 127.0.0.1, or allow it: allowRemote, --allow-remote',
    );
    const { baseUrl, port } = await sandbox.listen({ host: '0.0.0.0', allowRemote: true });
    expect(baseUrl).toBe(`http://0.0.0.0:${port}/api/v1`);
    expect((await fetch(`http://127.0.0.1:${port}/x`)).status).toBe(404);
  });

  test('IPv6 loopback', async ({ skip }) => {
    const sandbox = sandboxAtStart();
    const listening = await sandbox.listen({ host: '::1' }).catch(() => skip('no IPv6 on this machine'));
    expect(listening.baseUrl).toBe(`http://[::1]:${listening.port}/api/v1`);
    expect((await fetch(`${listening.baseUrl}/x`)).status).toBe(404);
    expect(sandbox.requests[0]?.ip).toBe('::1');
  });

  test('a port in use is refused with the system’s own code', async () => {
    const sandbox = sandboxAtStart();
    const { port } = await sandbox.listen();
    await expect(sandbox.listen({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('a caller that goes away in mid-request disturbs nothing', async () => {
    const sandbox = sandboxAtStart();
    const { baseUrl, port } = await sandbox.listen();
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          'POST /api/v1/airtime/purchase HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"half',
          () => {
            socket.destroy();
            resolve();
          },
        );
      });
    });
    expect((await fetch(`${baseUrl}/nothing`)).status).toBe(404);
  });

  test('the console page stands at /, and is none of the requests to the service', async () => {
    const sandbox = sandboxAtStart();
    const { port } = await sandbox.listen();
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toContain(
      '<title>billpay sandbox</title>',
    );
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/nothing`)).status).toBe(404);
    expect(sandbox.requests.map(({ path }) => path)).toEqual(['/api/v1/nothing']);
  });
});

describe('close', () => {
  test('ends ports and held requests; later ones are refused like a connection', async () => {
    const sandbox = createSandbox();
    const { baseUrl } = await sandbox.listen();
    const held = sandbox
      .fetch(`${sandbox.baseUrl}/airtime/purchase`, {
        method: 'POST',
        headers: authorized(sandbox),
        body: JSON.stringify({ client_id: 'client_default', ...airtime('a', { recipient: '08000000006' }) }),
      })
      .catch((error: unknown) => error);
    // By then the one before has arrived.
    await call(sandbox, 'GET', '/data/products?biller=MTN');
    await sandbox.close();
    expect(await held).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
    expect(sandbox.transactions).toHaveLength(0);
    await expect(sandbox.fetch(`${sandbox.baseUrl}/x`)).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { code: 'ECONNREFUSED' },
    });
    await expect(fetch(`${baseUrl}/x`)).rejects.toThrow();
    await expect(sandbox.listen()).rejects.toMatchObject({ option: 'listen' });
    await sandbox.close();
  });

  test.each([
    ['a pending settlement does not keep a process running', "await buy('08031234567');", 0],
    ['a held request does', "console.log((await buy('08000000006')).status);", 202],
    [
      'closing frees a process that listened',
      "await sandbox.listen(); await buy('0803'); await sandbox.close();",
      0,
    ],
  ])('%s', async (_, script, printed) => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const code = `
      import { createSandbox } from './src/sandbox/index.ts';
      const sandbox = createSandbox({ settleAfter: '1h' });
      const { clientId: client_id, secretKey } = sandbox.credentials;
      const buy = (recipient) => sandbox.fetch(sandbox.baseUrl + '/airtime/purchase', {
        method: 'POST',
        headers: { authorization: 'Bearer ' + secretKey },
        body: JSON.stringify({ client_id, biller: 'MTN', recipient, amount: 5, idempotency_key: 'a' }),
      });
      ${script}`;
    const run = promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', code],
      {
        cwd: root,
        timeout: 15_000,
      },
    );
    expect((await run).stdout.trim()).toBe(printed === 0 ? '' : String(printed));
  });
});

describe('reset', () => {
  test('goes back to the beginning, with the same credentials and references', async () => {
    const sandbox = sandboxAtStart({ rateLimits: { purchases: 1 }, settleAfter: 'manual' });
    const hook = await receiver();
    const client = sandbox.client();
    const { credentials, faults } = sandbox;
    await call(sandbox, 'POST', '/webhooks/subscribe', { url: hook.url });
    const first = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await sandbox.settle(referenceOf(first), 'success');
    client.update({ verified: false });
    client.rotateSecretKey();
    faults.add({ status: 500 });
    sandbox.reset();

    expect(sandbox.credentials).toEqual(credentials);
    expect(client).toMatchObject({
      verified: true,
      subscription: undefined,
      secretKey: credentials.secretKey,
    });
    expect([sandbox.transactions, sandbox.requests, sandbox.deliveries, faults.active]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect(sandbox.wallet()).toMatchObject({
      balance: 100_000,
      ledger: [{ kind: 'funding', amount: 100_000 }],
    });
    const again = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(sandbox.transactions).toHaveLength(1);
  });

  test('a request that was held is closed, and leaves no trace', async () => {
    const sandbox = sandboxAtStart();
    const slow = airtime('a', { recipient: '08000000006' });
    const held = call(sandbox, 'POST', '/airtime/purchase', slow).catch((error: unknown) => error);
    await call(sandbox, 'GET', '/data/products?biller=MTN');
    sandbox.reset();
    expect(await held).toMatchObject({ message: 'fetch failed' });
    await sandbox.advance('1h');
    expect([sandbox.transactions, sandbox.requests]).toEqual([[], []]);
  });
});

describe('requests', () => {
  test('tell what came in and what came of it', async () => {
    const sandbox = sandboxAtStart({ settleAfter: 'manual' });
    sandbox.faults.add({ when: 'after', connection: 'close' });
    const options = { headers: { 'x-shop': '7' } };
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'), options).catch(() => undefined);
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'), options);
    const reference = sandbox.transactions[0]?.reference;
    await call(sandbox, 'GET', `/transactions/status?reference=${reference}`);
    const common = {
      at: new Date('2026-01-31T09:30:00Z'),
      ip: '127.0.0.1',
      clientId: 'client_default',
      reference,
      durationMs: 0,
    };
    expect(sandbox.requests).toMatchObject([
      {
        ...common,
        id: 1,
        method: 'POST',
        path: '/api/v1/airtime/purchase',
        query: {},
        body: { client_id: 'client_default', ...airtime('a') },
        operation: 'airtime.purchase',
        idempotency_key: 'a',
        replayed: false,
        fault: { when: 'after', connection: 'close' },
        outcome: 'closed',
        response: { status: 202 },
      },
      { ...common, id: 2, replayed: true, fault: undefined, outcome: 'complete', response: { status: 202 } },
      {
        ...common,
        id: 3,
        method: 'GET',
        query: { client_id: 'client_default', reference },
        body: undefined,
        operation: 'transactions.status',
        idempotency_key: undefined,
        replayed: false,
        response: { status: 200, body: { data: { reference, transaction_status: 'pending' } } },
      },
    ]);
    expect(sandbox.requests[1]?.headers).toMatchObject({
      authorization: `Bearer ${sandbox.credentials.secretKey}`,
      'x-shop': '7',
    });
  });

  test('a purchase that bought nothing is listed with its reason, and counted', async () => {
    const sandbox = sandboxAtStart({ settleAfter: 'manual' });
    const fields = { recipient: undefined, amount: -5 };
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a', fields));
    await call(sandbox, 'POST', '/airtime/purchase', airtime('b'));
    await call(sandbox, 'POST', '/airtime/purchase', airtime('c', { amount: 1e9 }));
    sandbox.faults.add({ connection: 'close' });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('d')).catch(() => undefined);
    await call(sandbox, 'GET', '/tv/products?biller=MTN');
    const { requests } = sandbox;
    expect(sandbox.refusals).toMatchObject([
      { requestId: 1, idempotency_key: 'a', status: 422, code: 'VALIDATION_FAILED', position: 0 },
      { requestId: 3, idempotency_key: 'c', status: 402, code: 'INSUFFICIENT_BALANCE', position: 1 },
      { requestId: 4, idempotency_key: 'd', status: undefined, position: 1 },
    ]);
    expect(sandbox.refusals[0]?.fields).toEqual(['recipient', 'amount']);
    expect(sandbox.refusals[0]?.reason).toContain('recipient: ');
    expect(sandbox.refusals[1]).toMatchObject({ recipient: '08031234567', biller: 'MTN', amount: 1e9 });
    expect(sandbox.counts).toEqual({
      transactions: { total: 1, pending: 1, success: 0, failed: 0 },
      refused: 3,
      deliveries: { total: 0, pending: 0, failing: 0 },
      requests: requests.length,
    });
  });
});

test('an error of a listener is written to the console, and the change stands', async () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => written.mockRestore());
  const sandbox = sandboxAtStart();
  const seen: string[] = [];
  const trouble = new Error('expected 1 to be 2');
  sandbox.onActivity(() => {
    throw trouble;
  });
  sandbox.onActivity(async () => {
    throw trouble;
  });
  sandbox.onActivity(({ type }) => seen.push(type));
  sandbox.client().fund(5);
  await Promise.resolve();
  expect(written.mock.calls.map(([, error]) => error)).toEqual([trouble, trouble]);
  expect(seen).toEqual(['wallet']);
  expect(sandbox.wallet().balance).toBe(100_005);
});

describe('timeline', () => {
  test('lists what happened to one transaction', async () => {
    const sandbox = sandboxAtStart();
    const hook = await receiver();
    await call(sandbox, 'POST', '/webhooks/subscribe', { url: hook.url });
    sandbox.faults.add({ when: 'after', connection: 'close' });
    const order = airtime('a', { recipient: '08000000001' });
    await call(sandbox, 'POST', '/airtime/purchase', order).catch(() => undefined);
    await call(sandbox, 'POST', '/airtime/purchase', airtime('b'));
    await sandbox.advance(400);
    await call(sandbox, 'POST', '/airtime/purchase', order);
    const reference = sandbox.transactions[0]?.reference ?? '';
    hook.state.status = 500;
    await sandbox.advance(600);
    await call(sandbox, 'GET', `/transactions/status?reference=${reference}`);
    hook.state.status = 200;
    await sandbox.advance('1m');
    expect(
      sandbox.timeline(reference).map(({ at, text }) => `${at.toISOString().slice(14, 23)} ${text}`),
    ).toEqual([
      '30:00.000 accepted, the response was lost',
      '30:00.000 debited 500 NGN',
      '30:00.400 repeated, response 202',
      '30:01.000 settled as failed',
      '30:01.000 refunded 500 NGN',
      '30:01.000 transaction.failed sent (first), response 500',
      '30:01.000 status check, response 200',
      '31:01.000 transaction.failed sent (retry), response 200',
    ]);
    const ids = sandbox.timeline(reference).map(({ requestId, attempt }) => requestId ?? attempt);
    const asked = sandbox.requests.filter((request) => request.reference === reference).map(({ id }) => id);
    expect(ids).toEqual([asked[0], undefined, asked[1], undefined, undefined, 1, asked[2], 2]);
    expect(sandbox.timeline('TXN-NONE')).toEqual([]);
  });
});

test('idle resolves when no webhook is being sent', async () => {
  const sandbox = createSandbox({ settleAfter: 0 });
  const hook = await receiver();
  await call(sandbox, 'POST', '/webhooks/subscribe', { url: hook.url });
  await sandbox.idle();
  await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
  await new Promise<void>((resolve) => {
    sandbox.onActivity(({ type }) => {
      if (type === 'transaction') resolve();
    });
  });
  await sandbox.idle();
  expect(hook.received).toHaveLength(1);
  await sandbox.close();
});

test('subscriptions show on the client, without their secret', async () => {
  const sandbox = sandboxAtStart();
  expect(sandbox.client().subscription).toBeUndefined();
  await call(sandbox, 'POST', '/webhooks/subscribe', { url: 'https://shop.example/', enabled: false });
  expect(sandbox.client().subscription).toEqual({ url: 'https://shop.example/', enabled: false });
});

test('the recipient that stays pending does so until it is settled by command', async () => {
  const sandbox = sandboxAtStart();
  const order = airtime('a', { recipient: '08000000002' });
  const reference = referenceOf(await call(sandbox, 'POST', '/airtime/purchase', order));
  await sandbox.advance('30d');
  expect(sandbox.transaction(reference)?.status).toBe('pending');
  await sandbox.settle(reference, 'success');
  expect(sandbox.transaction(reference)?.status).toBe('success');
});
