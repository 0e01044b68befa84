import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { airtime, call } from '../support.js';
import { controlled } from './support.js';

/** `fetch` sets Host and Origin itself; node:http sends what it is given. */
const status = (origin: string, path: string, method: string, headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${origin}${path}`, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end(method === 'GET' ? undefined : '{}');
  });

describe('on a loopback address', () => {
  test('programs need nothing', async () => {
    const { origin } = await controlled();
    expect(await status(origin, '/_sandbox/audit', 'GET', {})).toBe(200);
    expect(await status(origin, '/_sandbox/reset', 'POST', {})).toBe(200);
  });

  test.each<[Record<string, string>, string]>([
    [{ host: 'evil.example' }, 'another Host: DNS rebinding'],
    [{ origin: 'http://evil.example', 'content-type': 'application/json' }, 'another origin'],
    [{ 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' }, 'a page of another site'],
    [{ 'sec-fetch-site': 'same-site', 'content-type': 'application/json' }, 'a page of another port'],
    [{ origin: 'null' }, 'a sandboxed frame'],
  ])('%o is refused: %s', async (headers, _why) => {
    const { origin, sandbox } = await controlled();
    sandbox.client().fund(1);
    expect(await status(origin, '/_sandbox/audit', 'GET', headers)).toBe(403);
    expect(await status(origin, '/_sandbox/reset', 'POST', headers)).toBe(403);
    expect(await status(origin, '/_sandbox/events', 'GET', headers)).toBe(403);
    expect(sandbox.wallet().balance).toBe(100_001);
  });

  test('a form of the page itself is refused too: it cannot send JSON, and a link changes nothing', async () => {
    const { origin } = await controlled();
    const link = { 'sec-fetch-site': 'none', 'content-type': 'application/json' };
    expect(await status(origin, '/_sandbox/audit', 'GET', link)).toBe(200);
    expect(await status(origin, '/_sandbox/reset', 'POST', link)).toBe(403);
    const headers = { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' };
    expect(await status(origin, '/_sandbox/reset', 'POST', headers)).toBe(403);
    expect(
      await status(origin, '/_sandbox/reset', 'POST', { ...headers, 'content-type': 'application/json' }),
    ).toBe(200);
  });

  test('no response can be read by another origin', async () => {
    const { origin } = await controlled();
    const response = await fetch(`${origin}/_sandbox/audit`);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });
});

describe('the service on a loopback address', () => {
  const buy = async (origin: string, sandbox: Sandbox, host: string) => {
    const { secretKey, clientId } = sandbox.credentials;
    const path = `/api/v1/data/products?biller=MTN&client_id=${clientId}`;
    return status(origin, path, 'GET', { host, authorization: `Bearer ${secretKey}` });
  };

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.7'])(
    'refuses the Host %s, and enters that in its log: a page can point a name of its own at this machine',
    async (name) => {
      const { origin, sandbox } = await controlled();
      expect(await buy(origin, sandbox, `${name}:${new URL(origin).port}`)).toBe(403);
      expect(sandbox.requests).toMatchObject([{ path: '/api/v1/data/products', response: { status: 403 } }]);
    },
  );

  test.each([
    'localhost',
    'LOCALHOST:4010',
    '127.0.0.1:5000',
    '[::1]',
    'shop.localhost',
    'host.docker.internal',
  ])(
    'accepts the Host %s, which nobody can register, and any port, because a port may be forwarded',
    async (host) => {
      const { origin, sandbox } = await controlled();
      expect(await buy(origin, sandbox, host)).toBe(200);
    },
  );

  test('refuses another Host with a control token too: its own key is published', async () => {
    const { origin, sandbox } = await controlled({}, { controlToken: 'a-token-of-at-least-16' });
    expect(await buy(origin, sandbox, 'evil.example:4010')).toBe(403);
  });

  test('is used by any name where it lets other machines in', async () => {
    const { origin, sandbox } = await controlled({}, { host: '0.0.0.0', allowRemote: true });
    expect(await buy(origin, sandbox, 'sandbox:4010')).toBe(200);
  });
});

test.each(['127.0.0.1', 'localhost', '127.0.0.2'])(
  'a webhook to %s changes nothing through the control API of the sandbox itself',
  async (host) => {
    const { origin, sandbox } = await controlled();
    const { clientId, secretKey } = sandbox.credentials;
    const url = `http://${host}:${new URL(origin).port}/_sandbox/clients/${clientId}/rotate-key`;
    sandbox.webhooks.subscribe({ url });
    const { body } = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect(body).toMatchObject({ code: 'PROCESSING' });
    await sandbox.advance('1s');
    expect(sandbox.credentials.secretKey).toBe(secretKey);
    expect(sandbox.deliveries).toMatchObject([{ attempts: [{ delivered: false }] }]);
  },
);

describe('with a control token', () => {
  const controlToken = 'a-token-of-at-least-16';
  const authorization = `Bearer ${controlToken}`;

  test('nothing is served without it, and on a loopback address only under the own Host', async () => {
    const { origin } = await controlled({}, { controlToken });
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: controlToken }]) {
      expect(await status(origin, '/_sandbox/audit', 'GET', headers)).toBe(401);
    }
    expect(await status(origin, '/_sandbox/audit', 'GET', { authorization })).toBe(200);
    expect(await status(origin, '/_sandbox/audit', 'GET', { authorization, host: 'evil.example' })).toBe(403);
    expect(await status(origin, '/health', 'GET', { host: 'sandbox:4010' })).toBe(200);
  });

  test('any Host is served where the sandbox lets other machines in', async () => {
    const { origin } = await controlled({}, { controlToken, host: '0.0.0.0', allowRemote: true });
    expect(await status(origin, '/_sandbox/audit', 'GET', { authorization, host: 'sandbox:4010' })).toBe(200);
    expect(await status(origin, '/_sandbox/audit', 'GET', { host: 'sandbox:4010' })).toBe(401);
  });

  test('one is made where the sandbox is open to a network', async () => {
    const { token, ok, origin } = await controlled({}, { host: '0.0.0.0', allowRemote: true });
    expect(token).toMatch(/^[\da-f]{48}$/);
    expect(await ok('GET', '/audit')).toMatchObject({ ok: true });
    expect(await status(origin, '/_sandbox/audit', 'GET', {})).toBe(401);
  });

  test('a short one is refused', async () => {
    await expect(controlled({}, { controlToken: 'short' })).rejects.toThrow(
      'controlToken: must be at least 16',
    );
  });
});
