import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
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

  test('a form of the page itself is refused too: it cannot send JSON', async () => {
    const { origin } = await controlled();
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

describe('with a control token', () => {
  test('nothing is served without it, whatever the Host', async () => {
    const controlToken = 'a-token-of-at-least-16';
    const { origin } = await controlled({}, { controlToken });
    const authorization = `Bearer ${controlToken}`;
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: controlToken }]) {
      expect(await status(origin, '/_sandbox/audit', 'GET', headers)).toBe(401);
    }
    expect(await status(origin, '/_sandbox/audit', 'GET', { authorization, host: 'sandbox:4010' })).toBe(200);
    expect(await status(origin, '/health', 'GET', { host: 'sandbox:4010' })).toBe(200);
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
