import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createSandbox, type FaultOptions, type Sandbox } from '../../../src/sandbox/index.js';
import { airtime, call, sandboxAtStart } from '../support.js';

const body = { biller: 'MTN', recipient: '08031234567', amount: 500 };

describe('faults in process', () => {
  test('meets the next request once, then is gone', async () => {
    const sandbox = sandboxAtStart();
    const fault = sandbox.faults.add({ status: 500 });
    expect(sandbox.faults.active).toEqual([fault]);
    const reply = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect([reply.status, reply.body]).toEqual([
      500,
      { status: 'error', code: 'GATEWAY_ERROR', message: 'This fault was configured to respond with 500.' },
    ]);
    expect(fault).toMatchObject({ remaining: 0, used: 1 });
    expect(sandbox.faults.active).toEqual([]);
    expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('a'))).status).toBe(202);
    expect(sandbox.transactions).toHaveLength(1);
  });

  test('before processing nothing happens; after it the debit stands', async () => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ when: 'before', status: 500 });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect(sandbox.transactions).toHaveLength(0);
    sandbox.faults.add({ when: 'after', status: 500 });
    const lost = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect(lost.status).toBe(500);
    expect(sandbox.transactions).toHaveLength(1);
    expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('a'))).status).toBe(202);
    expect(sandbox.transactions).toHaveLength(1);
  });

  test('matches by operation, recipient and client; one fault a request, the oldest first', async () => {
    const sandbox = sandboxAtStart();
    const elsewhere: FaultOptions[] = [
      { status: 500, operation: 'tv.purchase' },
      { status: 500, operation: ['data.products', 'edu.products'] },
      { status: 500, recipient: '08099999999' },
      { status: 500, clientId: 'client_empty' },
    ];
    for (const fault of elsewhere) sandbox.faults.add(fault);
    expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('a'))).status).toBe(202);
    sandbox.faults.add({ status: 501, operation: 'airtime.purchase' });
    sandbox.faults.add({ status: 504, clientId: 'client_default', recipient: '08031234567' });
    expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('b'))).status).toBe(501);
    expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('b'))).status).toBe(504);
    expect((await call(sandbox, 'GET', '/nowhere')).status).toBe(404);
    expect((await call(sandbox, 'GET', '/edu/products?biller=WAEC')).status).toBe(500);
    sandbox.faults.clear();
    expect(sandbox.faults.active).toEqual([]);
  });

  test("times, 'always' and remove", async () => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ status: 503, code: 'QUEUE_UNAVAILABLE', message: 'Busy.', times: 2 });
    const statuses = async (count: number) => {
      const seen: number[] = [];
      while (seen.length < count) seen.push((await call(sandbox, 'GET', '/data/products?biller=MTN')).status);
      return seen;
    };
    expect(await statuses(3)).toEqual([503, 503, 200]);
    const lasting = sandbox.faults.add({ status: 500, times: 'always' });
    expect(await statuses(20)).toEqual(Array.from({ length: 20 }, () => 500));
    expect(lasting.remaining).toBe('always');
    lasting.remove();
    lasting.remove();
    expect(await statuses(1)).toEqual([200]);
  });

  test.each([
    [{ status: 503, code: 'QUEUE_UNAVAILABLE', message: 'Busy.' }, 'QUEUE_UNAVAILABLE', 'Busy.'],
    [{ status: 503 }, 'PROVIDER_UNAVAILABLE', 'This fault was configured to respond with 503.'],
    [{ status: 418 }, 'GATEWAY_ERROR', 'This fault was configured to respond with 418.'],
  ])('the envelope of %o', async (fault, code, message) => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add(fault);
    const reply = await call(sandbox, 'GET', '/data/products?biller=MTN');
    expect([reply.status, reply.body]).toEqual([fault.status, { status: 'error', code, message }]);
  });

  test.each([
    ['<html>gone</html>', 'text/html', '<html>gone</html>'],
    ['gone', 'text/plain', 'gone'],
    [{ any: 1 }, 'application/json', { any: 1 }],
    [[1, 2], 'application/json', [1, 2]],
    ['', 'text/plain', ''],
  ])('a body of its own: %j', async (own, type, seen) => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ body: own });
    const reply = await call(sandbox, 'GET', '/data/products?biller=MTN');
    expect([reply.status, reply.headers.get('content-type'), reply.body]).toEqual([200, type, seen]);
  });

  test.each([
    [2, '2', 2],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT', undefined],
    ['soon', 'soon', undefined],
    [0, '0', 0],
    [1.5, '1.5', undefined],
  ])('Retry-After %s', async (retryAfter, header, inBody) => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ status: 429, retryAfter });
    const reply = await call(sandbox, 'GET', '/data/products?biller=MTN');
    expect(reply.headers.get('retry-after')).toBe(header);
    expect(reply.body).toEqual({
      status: 'error',
      code: 'RATE_LIMITED',
      message: 'This fault was configured to respond with 429.',
      ...(inBody === undefined ? {} : { retry_after_seconds: inBody }),
    });
  });

  test('headers alone are added to the service’s own response', async () => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ headers: { 'X-Request-Id': '7' } });
    const reply = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect([reply.status, reply.headers.get('x-request-id')]).toEqual([202, '7']);
    expect(sandbox.transactions).toHaveLength(1);
  });

  test('a delay before processing holds the debit; a repeat meanwhile gets 409', async () => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ operation: 'airtime.purchase', delay: '5s' });
    const held = call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('a'))).status).toBe(409);
    await sandbox.advance('4999ms');
    expect(sandbox.transactions).toHaveLength(0);
    await sandbox.advance(1);
    expect(sandbox.transactions).toHaveLength(1);
    expect((await held).status).toBe(202);
    expect(sandbox.requests.map(({ durationMs }) => durationMs)).toEqual([5000, 0]);
  });

  test('a delay after processing holds the response; the key stays in flight until it is sent', async () => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ operation: 'airtime.purchase', when: 'after', delay: 2000 });
    const order = airtime('a', { recipient: '08000000006' });
    const held = call(sandbox, 'POST', '/airtime/purchase', order);
    await sandbox.advance('3s');
    expect(sandbox.transactions).toHaveLength(1);
    expect((await call(sandbox, 'POST', '/airtime/purchase', order)).status).toBe(409);
    await sandbox.advance('2s');
    expect((await held).status).toBe(202);
    expect((await call(sandbox, 'POST', '/airtime/purchase', order)).status).toBe(202);
  });

  test('a delay with a status responds late, and processes nothing', async () => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ delay: '1s', status: 504 });
    const held = call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await sandbox.advance('1s');
    expect((await held).status).toBe(504);
    expect(sandbox.transactions).toHaveLength(0);
  });

  test.each(['before', 'after'] as const)('connection closed %s processing', async (when) => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ connection: 'close', when });
    const failure: unknown = await call(sandbox, 'POST', '/airtime/purchase', airtime('a')).catch((e) => e);
    expect(failure).toBeInstanceOf(TypeError);
    expect(failure).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
    expect(sandbox.transactions).toHaveLength(when === 'before' ? 0 : 1);
    expect(sandbox.requests).toMatchObject([
      { outcome: 'closed', response: when === 'before' ? undefined : { status: 202 } },
    ]);
  });

  test.each([
    [true, 0.5],
    [10, 10],
    [0, 0],
  ])('a body cut at %s', async (cutBody, expected) => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ cutBody });
    const response = await sandbox.fetch(`${sandbox.baseUrl}/airtime/purchase`, post(sandbox, airtime('a')));
    expect(response.status).toBe(202);
    const announced = Number(response.headers.get('content-length'));
    let got = 0;
    const reading = (async () => {
      for await (const chunk of response.body ?? []) got += chunk.length;
    })();
    await expect(reading).rejects.toThrow('fetch failed');
    expect(got).toBe(expected < 1 ? Math.floor(announced * expected) : expected);
    expect(sandbox.transactions).toHaveLength(1);
  });

  test('cutBody: false cuts nothing', async () => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ cutBody: false, headers: {} });
    expect((await call(sandbox, 'GET', '/data/products?biller=MTN')).status).toBe(200);
  });
});

const post = (sandbox: Sandbox, fields: object) => ({
  method: 'POST',
  headers: { authorization: `Bearer ${sandbox.credentials.secretKey}`, 'content-type': 'application/json' },
  body: JSON.stringify({ client_id: sandbox.credentials.clientId, ...fields }),
});

describe('faults over a port are real socket faults', () => {
  /** What a bare node:http client sees: no library between it and the socket. */
  const raw = (sandbox: Sandbox, url: string, key: string) =>
    new Promise<{ status?: number; announced?: string; text: string; error?: string; complete?: boolean }>(
      (resolve) => {
        const { method, headers, body: sent } = post(sandbox, { ...body, idempotency_key: key });
        const request = httpRequest(url, { method, headers, agent: false }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          const end = (error?: Error & { code?: string }) =>
            resolve({
              status: response.statusCode ?? 0,
              announced: String(response.headers['content-length']),
              text,
              complete: response.complete,
              ...(error ? { error: String(error.code) } : {}),
            });
          response.on('end', () => end()).on('error', end);
        });
        request.on('error', (error: Error & { code?: string }) =>
          resolve({ text: '', error: String(error.code) }),
        );
        request.end(sent);
      },
    );

  test.each([
    ['closed before processing', { connection: 'close' }, { error: 'ECONNRESET', text: '' }, 0],
    ['closed after processing', { connection: 'close', when: 'after' }, { error: 'ECONNRESET', text: '' }, 1],
    ['cut', { cutBody: 12 }, { status: 202, text: '{"status":"p', error: 'ECONNRESET', complete: false }, 1],
    ['cut at once', { cutBody: 0 }, { status: 202, text: '', error: 'ECONNRESET', complete: false }, 1],
    ['replaced', { status: 502, body: '<p>Bad</p>' }, { status: 502, text: '<p>Bad</p>', complete: true }, 0],
    ['no content', { status: 204 }, { status: 204, text: '', complete: true, announced: 'undefined' }, 0],
  ] as const)('%s', async (_, fault, seen, bought) => {
    const sandbox = createSandbox({ settleAfter: 'manual' });
    const listening = await sandbox.listen();
    sandbox.faults.add(fault);
    expect(await raw(sandbox, `${listening.baseUrl}/airtime/purchase`, 'a')).toMatchObject(seen);
    expect(sandbox.transactions).toHaveLength(bought);
    const again = await raw(sandbox, `${listening.baseUrl}/airtime/purchase`, 'a');
    expect(again).toMatchObject({ status: 202, complete: true });
    expect(sandbox.transactions).toHaveLength(1);
    await sandbox.close();
  });
});
