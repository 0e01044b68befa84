import { request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { controlled } from '../control/support.js';
import { sandboxAtStart } from '../support.js';

/** A request with any Host, which fetch does not allow. */
function withHost(origin: string, path: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(origin);
    const request = httpRequest({ port, host: '127.0.0.1', path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject).end();
  });
}

const read = async (origin: string) =>
  Object.fromEntries(
    await Promise.all(
      ['/', '/page.js', '/page.css'].map(async (path) => {
        const response = await fetch(`${origin}${path}`);
        return [path, { type: response.headers.get('content-type'), text: await response.text() }] as const;
      }),
    ),
  );

test('the page allows nothing but its own script and style, and loads nothing else', async () => {
  const { origin } = await controlled();
  const policy = (await fetch(`${origin}/`)).headers.get('content-security-policy') ?? '';
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "trusted-types 'none'",
  ]) {
    expect(policy.split('; ')).toContain(rule);
  }
  expect(policy).not.toContain('unsafe');
  const files = await read(origin);
  expect(Object.values(files).map(({ type }) => type)).toEqual([
    'text/html; charset=UTF-8',
    'text/javascript; charset=utf-8',
    'text/css; charset=utf-8',
  ]);
  const links = [...(files['/']?.text ?? '').matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, link]) => link);
  expect(links).toEqual(['data:,', '/page.css', '/page.js']);
  expect(files['/page.css']?.text).not.toMatch(/url\(|@import/);
});

test.each(['/', '/health'])('HEAD %s gets the status of GET and no body', async (path) => {
  const { origin } = await controlled();
  const response = await fetch(`${origin}${path}`, { method: 'HEAD' });
  expect([response.status, await response.text()]).toEqual([200, '']);
});

test('the page is small: it is minified, libraries included', async () => {
  const { origin } = await controlled();
  const { length } = (await read(origin))['/page.js']?.text ?? '';
  expect(length).toBeGreaterThan(40_000);
  expect(length).toBeLessThan(90_000);
});

test('the page holds no data: no key of the sandbox is in it', async () => {
  const { origin, sandbox } = await controlled();
  const { secretKey, publicKey } = sandbox.credentials;
  for (const { text } of Object.values(await read(origin))) {
    expect(text).not.toContain(secretKey);
    expect(text).not.toContain(publicKey);
  }
});

test('the page exists only where the sandbox listens, and is no request to the service', async () => {
  const inProcess = sandboxAtStart();
  expect((await inProcess.fetch('https://sandbox.billpay.test/')).status).toBe(404);
  const { origin, sandbox } = await controlled();
  await fetch(`${origin}/`);
  expect(sandbox.requests).toEqual([]);
  expect((await fetch(`${origin}/`, { method: 'POST' })).status).toBe(404);
});

test('the page is refused to another Host, unless the sandbox lets other machines in', async () => {
  const { origin } = await controlled();
  expect(await withHost(origin, '/', 'evil.example')).toBe(403);
  expect(await withHost(origin, '/', `evil.example:${new URL(origin).port}`)).toBe(403);
  const open = await controlled({}, { host: '0.0.0.0', allowRemote: true });
  expect(await withHost(open.origin, '/', 'sandbox:8080')).toBe(200);
  expect(await withHost(open.origin, '/_sandbox/summary', 'sandbox:8080')).toBe(401);
});
