import { createHash } from 'node:crypto';
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

const sha256 = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

test('the page allows nothing but its own style and script, and loads nothing', async () => {
  const { origin } = await controlled();
  const response = await fetch(`${origin}/`);
  expect(response.headers.get('content-type')).toBe('text/html; charset=UTF-8');
  const policy = response.headers.get('content-security-policy') ?? '';
  const html = await response.text();
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
  const script = /<script>([\s\S]*)<\/script>/.exec(html)?.[1] ?? '';
  for (const rule of [
    "default-src 'none'",
    `script-src ${sha256(script)}`,
    `style-src ${sha256(style)}`,
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "trusted-types 'none'",
  ]) {
    expect(policy.split('; ')).toContain(rule);
  }
  expect(policy).not.toContain('unsafe');
  expect(html).not.toMatch(/\b(src|href)="(?!data:,)/);
  expect(style).not.toMatch(/url\(|@import/);
  expect(script).not.toContain('</script');
});

test.each(['/', '/health'])('HEAD %s gets the status of GET and no body', async (path) => {
  const { origin } = await controlled();
  const response = await fetch(`${origin}${path}`, { method: 'HEAD' });
  expect([response.status, await response.text()]).toEqual([200, '']);
});

test('the page is small: it is minified, libraries included', async () => {
  const { origin } = await controlled();
  const html = await (await fetch(`${origin}/`)).text();
  expect(html.length).toBeGreaterThan(40_000);
  expect(html.length).toBeLessThan(130_000);
});

test('the page holds no data: no key of the sandbox is in it', async () => {
  const { origin, sandbox } = await controlled();
  const html = await (await fetch(`${origin}/`)).text();
  for (const { secretKey, publicKey } of sandbox.clients) {
    expect(html).not.toContain(secretKey);
    expect(html).not.toContain(publicKey);
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

test('the page is refused to another Host, unless a token protects everything behind it', async () => {
  const { origin } = await controlled();
  expect(await withHost(origin, '/', 'evil.example')).toBe(403);
  expect(await withHost(origin, '/', `evil.example:${new URL(origin).port}`)).toBe(403);
  const open = await controlled({}, { controlToken: 'a-token-of-enough-length' });
  expect(await withHost(open.origin, '/', 'sandbox:8080')).toBe(200);
  expect(await withHost(open.origin, '/_sandbox/info', 'sandbox:8080')).toBe(401);
});
